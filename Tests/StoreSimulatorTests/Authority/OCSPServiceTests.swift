import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing
import TestSupport
import X509

@testable import AppStoreTrust

@Suite struct `The simulator's OCSP service` {
    private static let shared = Result { try TestAuthority.new() }

    private let authority: StoreAuthority

    init() throws { authority = try Self.shared.get() }

    @Test(arguments: [false, true])
    func `our verifier accepts a good chain online, by POST and by GET`(_ usesGET: Bool) async throws {
        let transport = ServiceTransport(OCSPService(authority), usesGET: usesGET)
        let trace = try await verify(authority.current.signer.sign(transaction), transport).trace
        #expect(trace.revocation.status == .good)
        #expect(trace.anchor == "Counterfoil Simulator Root CA")
        #expect(
            Set(transport.asked.map(\.absoluteString)) == [
                TestAuthority.base + "/root", TestAuthority.base + "/intermediate",
            ])
    }

    private static let meanings: [(OCSPService.Mode, VerificationError.Code?)] = [
        (.good, nil), (.revoked(at: TestStore.now - 60), .revoked), (.unknown, .revocationUnknown),
        (.expired, .revocationUnknown), (.slow(seconds: 7), nil), (.wrong, .revocationUnknown),
        (.unreachable, .revocationUnknown),
    ]

    @Test(arguments: meanings)
    func `each mode means what it says to our verifier, for each certificate and by default`(
        _ mode: OCSPService.Mode, _ code: VerificationError.Code?
    ) async throws {
        let text = try authority.current.signer.sign(transaction)
        for subject in [.intermediate, .leaf(generation: 1), nil] as [OCSPService.Subject?] {
            var service = OCSPService(authority)
            if let subject { service.modes[subject] = mode } else { service.defaultMode = mode }
            let transport = ServiceTransport(service)
            #expect(try await refusal { try await verify(text, transport) } == code)
            if case .slow = mode { #expect(transport.delays.contains(7)) }
        }
    }

    @Test func `a leaf is revoked alone: the one that replaced it stays good, and so does the intermediate`()
        async throws
    {
        let authority = try TestAuthority.new()
        let old = try authority.current.signer.sign(transaction)
        try authority.rotateLeaf(now: TestStore.now)
        var service = OCSPService(authority)
        service.modes[.leaf(generation: 1)] = .revoked(at: TestStore.now)
        let transport = ServiceTransport(service)
        #expect(try await refusal { try await verify(old, transport, authority) } == .revoked)
        let new = try authority.current.signer.sign(transaction)
        #expect(try await verify(new, transport, authority).trace.revocation.status == .good)
    }

    @Test func `a certificate that was never issued is unknown; another authority's is not answered for`() throws {
        let service = OCSPService(authority)
        let current = authority.current
        let never = try Authority.leafTemplate("Counterfoil Simulator", TestStore.now)
            .issue(for: current.leaf.key, by: current.intermediate)
        let question = try OCSPQuestion(certificate: never.certificate, issuer: current.intermediate.certificate)
        let body = try #require(try service.reply(to: question.request(), times: TestAuthority.times).body)
        let answer = try OCSPAnswer(
            der: body, to: question, issuer: current.intermediate.certificate, now: TestStore.now)
        #expect(answer.status == .unknown)
        let other = try Authority(now: TestStore.now, name: "Other")
        let foreign = try OCSPQuestion(certificate: other.leaf.certificate, issuer: other.intermediate.certificate)
        #expect(
            try service.reply(to: foreign.request(), times: TestAuthority.times).body == Data([0x30, 3, 0x0A, 1, 6]))
    }

    @Test(arguments: [.infinity, -.infinity, .nan, -1, 1e9, 0, 599])
    func `a delay is never endless, negative or no number`(_ seconds: TimeInterval) throws {
        var service = OCSPService(authority)
        service.defaultMode = .slow(seconds: seconds)
        let delay = try service.reply(to: request(), times: TestAuthority.times).delay
        #expect((0...OCSPService.longestDelay).contains(delay))
        if seconds == 599 { #expect(delay == 599) }
    }

    @Test func `a good answer holds by the real clock and by the simulated one, and an expired one by neither`() throws
    {
        let year: TimeInterval = 365 * 86_400
        for other in [TestStore.now + 8 * 86_400, TestStore.now + 1.1 * year, TestStore.now - year, TestStore.now] {
            let times = min(other, TestStore.now)...max(other, TestStore.now)
            for (mode, isGood) in [(OCSPService.Mode.good, true), (.expired, false)] {
                var service = OCSPService(authority)
                service.defaultMode = mode
                let question = try question()
                let body = try #require(try service.reply(to: question.request(), times: times).body)
                for now in [other, TestStore.now] {
                    let answer = Result {
                        try OCSPAnswer(
                            der: body, to: question, issuer: authority.current.intermediate.certificate, now: now)
                    }
                    #expect((try? answer.get().status) == (isGood ? .good : nil))
                    // Whoever asked in a rehearsal asks again within a day, however far the clocks are apart.
                    if isGood { #expect(try answer.get().expires <= now + 86_400) }
                }
            }
        }
    }

    private static let malformed = Data([0x30, 3, 0x0A, 1, 1])

    @Test(arguments: [
        Data(), Data([0x30]), Data([0x30, 0]), Data(count: 100), Data("GET / HTTP/1.1".utf8), Data(count: 1 << 20),
        Data([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]), Data(repeating: 0x30, count: 4000),
        Data([UInt8](repeating: 0x30, count: 2000).flatMap { [$0, 0x80] }),
    ])
    func `hostile requests are called malformed`(_ request: Data) {
        #expect(OCSPService(authority).reply(to: request, times: TestAuthority.times).body == Self.malformed)
    }

    @Test(arguments: [
        "", "/", "%", "%zz", "AAAA", "MA==", "M A", "%00%00", "..%2F..%2Fetc",
        String(repeating: "A", count: 1 << 20),
    ])
    func `paths that hold no request are called malformed`(_ path: String) {
        #expect(OCSPService(authority).reply(toPath: path, times: TestAuthority.times).body == Self.malformed)
    }

    @Test func `mutated requests never stop the service, and never get an answer as to another's question`() throws {
        let service = OCSPService(authority)
        let question = try question()
        let request = try question.request()
        var generator = SeededGenerator(seed: 20)
        for _ in 0..<2000 {
            let mutated = generator.mutated(Array(request))
            let body = try #require(service.reply(to: mutated, times: TestAuthority.times).body)
            #expect(body.count >= 5)
        }
        for end in request.indices { _ = service.reply(to: request[..<end], times: TestAuthority.times) }
    }

    @Test func `a time that no answer can hold is an internal error, not a stop`() throws {
        for seconds in [1e18, -1e18, .infinity, -.infinity] {
            let date = Date(timeIntervalSince1970: seconds)
            let reply = try OCSPService(authority).reply(to: request(), times: date...date)
            #expect(reply.body == Data([0x30, 3, 0x0A, 1, 2]))
        }
    }

    private var transaction: JWSTransactionDecodedPayload { TestAuthority.transaction }

    private func question() throws -> OCSPQuestion {
        try OCSPQuestion(
            certificate: authority.current.leaf.certificate, issuer: authority.current.intermediate.certificate)
    }

    private func request() throws -> Data { try question().request() }

    @discardableResult
    private func verify(
        _ text: String, _ transport: ServiceTransport, _ authority: StoreAuthority? = nil
    ) async throws -> Verified<JWSTransactionDecodedPayload> {
        let verifier = try (authority ?? self.authority).verifier {
            var options = RevocationOptions(policy: .hard, transport: transport)
            options.allowedHosts = ["127.0.0.1"]
            options.timeLimit = 60
            $0.revocation = options
        }
        return try await verifier.transaction(text)
    }
}
