import AppStoreServer
import Foundation
import Testing
import TestSupport

@Suite struct `Forgeries` {
    @Test(arguments: Specimens.forgeries)
    func `every hostile input is refused, for its own reason`(_ forgery: Specimen) async throws {
        let error = try await forgery.verdict(on: forgery.make())
        #expect(error?.code == forgery.code, "\(error?.message ?? "accepted")")
        #expect(error?.isRetryable == false)
        #expect((error?.message.utf8.count ?? 0) < 1024, "a reason is for a person")
    }

    @Test(arguments: Specimens.accepted)
    func `what is right is accepted, at its very edges too`(_ specimen: Specimen) async throws {
        let error = try await specimen.verdict(on: specimen.make())
        #expect(error == nil)
    }

    @Test func `the table is large and no row is there twice`() throws {
        let names = Specimens.forgeries.map(\.name) + Specimens.accepted.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Specimens.forgeries.count >= 80)
    }
}
