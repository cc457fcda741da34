import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Revocation of signed data` {
    private let authority: Authority
    private let responders: TestResponders

    init() throws {
        authority = try TestStore.authority()
        responders = TestResponders(authority)
    }

    @Test func `A good OCSP response is in the trace, with its age`() async throws {
        let verifier = try TestStore.verifier { $0.revocation = RevocationOptions(.hard, responders) }
        let text = try authority.sign(Members(.transaction))
        let finding = try await verifier.transaction(text).trace.revocation
        #expect(finding.status == .good)
        #expect(finding.age == 60)
        _ = try await verifier.transaction(text)
        #expect(responders.requestedURLs.count == 2)
    }

    @Test func `Verifiers of a server share OCSP responses`() async throws {
        let verifier = try TestStore.verifier { $0.revocation = RevocationOptions(.hard, responders) }
        let text = try authority.sign(Members(.transaction))
        _ = try await verifier.transaction(text)
        let trace = try await verifier.validating(at: .signingDate).transaction(text).trace
        #expect(trace.revocation.status == .good)
        #expect(responders.requestedURLs.count == 2)
    }

    @Test func `A failing responder is reported by the soft policy, and retryable with the hard policy`()
        async throws
    {
        responders.set { _ in throw URLError(.timedOut) }
        let text = try authority.sign(Members(.transaction))
        let soft = try TestStore.verifier { $0.revocation = RevocationOptions(.soft, responders) }
        #expect(try await soft.transaction(text).trace.revocation.status == .unknown)
        let hard = try TestStore.verifier { $0.revocation = RevocationOptions(.hard, responders) }
        let error = await #expect(throws: VerificationError.self) { try await hard.transaction(text) }
        #expect(error?.code == .revocationUnknown)
        #expect(error?.isRetryable == true)
    }

    @Test(arguments: [true, false])
    func `Data signed long ago is verified at its signing date without an OCSP request`(_ isOld: Bool) async throws {
        responders.set { _ in throw URLError(.timedOut) }
        let text = try authority.sign(Members(.transaction))
        let later = TestStore.now + (isOld ? 2 * 86_400 : 3600)
        let verifier = try TestStore.verifier {
            $0.now = { later }
            $0.validationTime = .signingDate
            $0.revocation = RevocationOptions(.hard, responders)
        }
        if isOld {
            let finding = try await verifier.transaction(text).trace.revocation
            #expect(finding.status == .notChecked && finding.explanation?.contains("signed long ago") == true)
            #expect(responders.requestedURLs.isEmpty)
        } else {
            await #expect(throws: VerificationError.self) { try await verifier.transaction(text) }
            #expect(!responders.requestedURLs.isEmpty)
        }
    }

    @Test func `A known revocation counts for data signed long ago`() async throws {
        let text = try authority.sign(Members(.transaction))
        let clock = TestClock(TestStore.now)
        for (subject, issuer) in [(.leaf, authority.intermediate), (.intermediate, authority.root)]
            as [(TestResponders.Subject, Issued)]
        {
            var responder = OCSPResponder(issuer: issuer, now: clock.now)
            if subject == .leaf { responder.status = .revoked(clock.now) }
            responders.set(subject) { [responder] in try responder.answer($0) }
        }
        let verifier = try TestStore.verifier {
            $0.revocation = RevocationOptions(.soft, responders)
            $0.now = { clock.now }
        }
        let error = await #expect(throws: VerificationError.self) { try await verifier.transaction(text) }
        #expect(error?.code == .revoked)
        clock.advance(by: 2 * 86_400)
        let old = await #expect(throws: VerificationError.self) {
            try await verifier.validating(at: .signingDate).transaction(text)
        }
        #expect(old?.code == .revoked)
    }

    @Test func `A certificate that is revoked later is refused when its responder says so`() async throws {
        let clock = TestClock(TestStore.now)
        let verifier = try TestStore.verifier {
            $0.revocation = RevocationOptions(.hard, responders)
            $0.now = { clock.now }
        }
        let text = try authority.sign(Members(.transaction))
        _ = try await verifier.transaction(text)
        clock.advance(by: 12 * 3600)
        for (subject, issuer) in [(.leaf, authority.intermediate), (.intermediate, authority.root)]
            as [(TestResponders.Subject, Issued)]
        {
            var responder = OCSPResponder(issuer: issuer, now: clock.now)
            if subject == .leaf { responder.status = .revoked(clock.now) }
            responders.set(subject) { [responder] in try responder.answer($0) }
        }
        let error = await #expect(throws: VerificationError.self) { try await verifier.transaction(text) }
        #expect(error?.code == .revoked)
        #expect(error?.isRetryable == false)
    }

    @Test func `An enrolled certificate causes no OCSP request`() async throws {
        let signer = try XcodeSigner.shared()
        let verifier = try TestStore.verifier(apps: .any([.xcode])) {
            $0.revocation = RevocationOptions(.hard, responders)
            $0.enrolledXcodeCertificates = [Data(signer.certificate.der)]
        }
        #expect(try await verifier.transaction(signer.sign(.xcode).text).trace.revocation == .notChecked)
        #expect(responders.requestedURLs.isEmpty)
    }
}
