import Crypto
import Foundation
import StoreSimulator
import TestSupport
import Testing
import X509

@testable import AppStoreTrust

@Suite struct `Revocation policy` {
    private let authority: Authority
    private let chain: CertificateChain
    private let responders: TestResponders

    init() throws {
        authority = try TestStore.authority()
        chain = try authority.provenChain()
        responders = TestResponders(authority)
    }

    @Test(
        arguments: ResponderCase.all,
        TestResponders.Subject.allCases)
    func `Every OCSP response has its result under the soft and hard policies`(
        _ testCase: ResponderCase, _ subject: TestResponders.Subject
    ) async throws {
        let issuer = subject == .leaf ? authority.intermediate : authority.root
        responders.set(subject) { try await testCase.answer(issuer, $0) }
        let (soft, softCode) = try await finding(.soft)
        let (hard, hardCode) = try await finding(.hard)
        switch testCase.meaning {
        case .good:
            #expect(soft?.status == .good && hard?.status == .good, "\(soft?.explanation ?? "")")
            #expect(soft?.explanation == nil)
        case .revoked:
            #expect(softCode == .revoked && hardCode == .revoked)
        case .unknown(let fragment):
            #expect(hardCode == .revocationUnknown)
            #expect(soft?.status == .unknown)
            #expect(soft?.age == nil)
            let explanation = try #require(soft?.explanation)
            #expect(fragment.split(separator: "|").contains { explanation.contains($0) }, "\(explanation)")
        }
    }

    @Test(arguments: ResponderCase.all)
    func `Without a revocation policy no responder is queried`(_ testCase: ResponderCase) async throws {
        responders.set { [issuer = authority.root] in try await testCase.answer(issuer, $0) }
        #expect(try await finding(.off).0 == .notChecked)
        #expect(responders.requestedURLs.isEmpty)
    }

    @Test(arguments: TestResponders.Subject.allCases)
    func `A revoked certificate is refused even if the other one's status is unknown`(_ subject: TestResponders.Subject)
        async throws
    {
        responders.set { _ in Data() }
        responders.set(subject) { [authority] request in
            var responder = OCSPResponder(
                issuer: subject == .leaf ? authority.intermediate : authority.root, now: TestStore.now)
            responder.status = .revoked(TestStore.now)
            return try responder.answer(request)
        }
        #expect(try await finding(.soft).1 == .revoked)
        #expect(try await finding(.hard).1 == .revoked)
    }

    /// A cache may serve a response from before the responder knew the certificate.
    @Test(arguments: [(60.0, VerificationError.Code.revocationUnknown as VerificationError.Code?), (-3600, nil)])
    func `A newer response "unknown" replaces a good one, an older one does not`(
        _ seconds: TimeInterval, _ refusal: VerificationError.Code?
    ) async throws {
        let clock = TestClock(TestStore.now)
        let checker = RevocationChecker(RevocationOptions(.hard, responders)) { clock.now }
        #expect(try await checker.finding(for: chain).status == .good)
        // Both good responses have expired, and are used for an hour while the responder does not answer.
        clock.advance(by: 12 * 3600)
        responders.set { _ in throw URLError(.timedOut) }
        var responder = OCSPResponder(issuer: authority.intermediate, now: TestStore.now)
        responder.thisUpdate += seconds
        responder.nextUpdate = clock.now + 3600
        responder.status = .unknown
        responders.set(.leaf) { [responder] in try responder.answer($0) }
        var code: VerificationError.Code?
        do { _ = try await checker.finding(for: chain) } catch { code = error.code }
        #expect(code == refusal)
    }

    @Test func `The age of a finding is that of the oldest response`() async throws {
        for (subject, issuer, age) in [(.leaf, authority.intermediate, 100), (.intermediate, authority.root, 4000)]
            as [(TestResponders.Subject, Issued, Double)]
        {
            var responder = OCSPResponder(issuer: issuer, now: TestStore.now)
            responder.thisUpdate = TestStore.now - age
            responders.set(subject) { [responder] in try responder.answer($0) }
        }
        #expect(try await finding(.hard).0?.age == 4000)
    }

    @Test func `Each certificate's own responder is queried once`() async throws {
        _ = try await finding(.hard)
        let host = "http://\(Authority.ocspHost)"
        #expect(Set(responders.requestedURLs.map(\.absoluteString)) == ["\(host)/root", "\(host)/intermediate"])
        #expect(responders.requestedURLs.count == 2)
    }

    @Test(arguments: [
        "http://ocsp.example.com/intermediate", "http://ocsp.counterfoil.test.example.com/intermediate",
        "http://x.ocsp.counterfoil.test/intermediate", "ftp://ocsp.counterfoil.test/intermediate",
        "file:///etc/passwd", "http://user@ocsp.counterfoil.test/intermediate",
        "http://ocsp.counterfoil.test@example.com/intermediate", "http://169.254.169.254/latest", "", "not a URL",
        "//ocsp.counterfoil.test/intermediate", nil,
    ])
    func `A responder with a forbidden host or URL is not queried`(_ responder: String?) async throws {
        var changes = Authority.Changes()
        changes.leaf = { $0.ocspResponder = responder }
        let authority = try Authority(now: TestStore.now, changes: changes)
        let responders = TestResponders(authority)
        let checker = RevocationChecker(RevocationOptions(.soft, responders)) { TestStore.now }
        let finding = try await checker.finding(for: authority.provenChain())
        #expect(finding.status == .unknown)
        #expect(finding.explanation?.contains("names no responder that may be asked") == true)
        #expect(responders.requestedURLs.map { $0.path() } == ["/root"])
    }

    @Test func `A responder's host is compared case-insensitively, and HTTPS is accepted`() async throws {
        var changes = Authority.Changes()
        changes.leaf = { $0.ocspResponder = "https://OCSP.Counterfoil.Test/intermediate" }
        let authority = try Authority(now: TestStore.now, changes: changes)
        let checker = RevocationChecker(RevocationOptions(.hard, TestResponders(authority))) { TestStore.now }
        #expect(try await checker.finding(for: authority.provenChain()).status == .good)
    }

    @Test func `By default only Apple's responders are allowed`() async throws {
        #expect(
            RevocationOptions(policy: .hard, transport: responders).allowedHosts == [
                "ocsp.apple.com", "ocsp2.apple.com",
            ])
    }

    private func finding(_ policy: RevocationPolicy) async throws -> (RevocationFinding?, VerificationError.Code?) {
        let checker = RevocationChecker(RevocationOptions(policy, responders)) { TestStore.now }
        do { return (try await checker.finding(for: chain), nil) } catch { return (nil, error.code) }
    }
}

extension Authority {
    /// The verified chain.
    func provenChain() throws -> CertificateChain {
        try CertificateChain(
            ders: chain, anchors: TrustAnchors(certificates: [Data(root.der)]), markers: .appStore)
    }
}
