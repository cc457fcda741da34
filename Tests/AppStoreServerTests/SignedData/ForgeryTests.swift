import AppStoreServer
import Foundation
import Testing
import TestSupport

@Suite("Forgeries") struct ForgeryTests {
    @Test("every hostile input is refused, for its own reason", arguments: Specimens.forgeries)
    func refusal(_ forgery: Specimen) async throws {
        let error = try await forgery.verdict(on: forgery.make())
        #expect(error?.code == forgery.code, "\(error?.message ?? "accepted")")
        #expect(error?.isRetryable == false)
        #expect((error?.message.utf8.count ?? 0) < 1024, "a reason is for a person")
    }

    @Test("what is right is accepted, at its very edges too", arguments: Specimens.accepted)
    func acceptance(_ specimen: Specimen) async throws {
        let error = try await specimen.verdict(on: specimen.make())
        #expect(error == nil)
    }

    @Test("the table is large and no row is there twice")
    func table() throws {
        let names = Specimens.forgeries.map(\.name) + Specimens.accepted.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Specimens.forgeries.count >= 80)
    }
}
