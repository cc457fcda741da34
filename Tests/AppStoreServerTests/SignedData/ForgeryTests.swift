import AppStoreServer
import Foundation
import Testing
import TestSupport

@Suite struct `Forged signed data is refused` {
    @Test(arguments: Specimens.forgeries)
    func `Every forgery is refused with its own code, not retryable, with a short message`(_ forgery: Specimen)
        async throws
    {
        let error = try await forgery.verdict(on: forgery.make())
        #expect(error?.code == forgery.code, "\(error?.message ?? "accepted")")
        #expect(error?.isRetryable == false)
        #expect((error?.message.utf8.count ?? 0) < 1024, "a reason is for a person")
    }

    @Test(arguments: Specimens.accepted)
    func `Every valid specimen is accepted`(_ specimen: Specimen) async throws {
        let error = try await specimen.verdict(on: specimen.make())
        #expect(error == nil)
    }

    @Test func `The tables have at least 80 forgeries and distinct names`() throws {
        let names = Specimens.forgeries.map(\.name) + Specimens.accepted.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Specimens.forgeries.count >= 80)
    }
}
