import AppStoreServer
import AppStoreTrust
import Foundation
import TestSupport
import Testing

@Suite struct `Forged signed data is refused` {
    @Test(arguments: VerificationCases.forgeries)
    func `Every forgery is refused with its own code and a short message, and causes no OCSP request`(
        _ forgery: VerificationCase
    ) async throws {
        let responders = TestResponders(try TestStore.authority())
        let error = try await forgery.verdict(on: forgery.make(), revocation: RevocationOptions(.hard, responders))
        #expect(error?.code == forgery.code, "\(error?.message ?? "accepted")")
        #expect(error?.isRetryable == false)
        #expect((error?.message.utf8.count ?? 0) < 1024, "a reason is for a person")
        #expect(responders.requestedURLs.isEmpty)
    }

    @Test(arguments: VerificationCases.accepted)
    func `Every valid case is accepted`(_ testCase: VerificationCase) async throws {
        let error = try await testCase.verdict(on: testCase.make())
        #expect(error == nil)
    }

    @Test func `The tables have at least 80 forgeries and distinct names`() throws {
        let names = VerificationCases.forgeries.map(\.name) + VerificationCases.accepted.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(VerificationCases.forgeries.count >= 80)
    }
}
