import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport
import Testing
import X509

@testable import AppStoreTrust

@Suite struct `The simulator's OCSP service` {
    private static let shared = Result { try TestAuthority.new() }

    private let authority: StoreAuthority

    init() throws { authority = try Self.shared.get() }

    @Test(arguments: [false, true])
    func `The verifier accepts a good chain through the OCSP service, by POST and by GET`(_ usesGET: Bool) async throws
    {
        let transport = ServiceTransport(OCSPService(authority), usesGET: usesGET)
        let trace = try await verify(authority.current.signer.sign(transaction), transport).trace
        #expect(trace.revocation.status == .good)
        #expect(trace.anchor == "Counterfoil Simulator Root CA")
        #expect(
            Set(transport.requestedURLs.map(\.absoluteString)) == [
                TestAuthority.base + "/root", TestAuthority.base + "/intermediate",
            ])
    }

    private static let meanings: [(OCSPService.Mode, VerificationError.Code?)] = [
        (.good, nil), (.revoked(at: TestStore.now - 60), .revoked), (.unknown, .revocationUnknown),
        (.expired, .revocationUnknown), (.slow(seconds: 7), nil), (.wrong, .revocationUnknown),
        (.unreachable, .revocationUnknown),
    ]

    @Test(arguments: meanings)
    func `Each OCSP mode gives the expected verification result, per certificate and as the default`(
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

    @Test func `Revoking a leaf affects neither its successor nor the intermediate`()
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

    @Test func `A certificate that was never issued is unknown, and another authority's is unauthorized`() throws {
        let service = OCSPService(authority)
        let current = authority.current
        let never = try Authority.leafTemplate("Counterfoil Simulator", TestStore.now)
            .issue(for: current.leaf.key, by: current.intermediate)
        let question = try OCSPRequest(certificate: never.certificate, issuer: current.intermediate.certificate)
        let body = try #require(try service.reply(to: question.encoded(), times: TestAuthority.times).body)
        let answer = try VerifiedOCSPResponse(
            der: body, to: question, issuer: current.intermediate.certificate, now: TestStore.now)
        #expect(answer.status == .unknown)
        let other = try Authority(now: TestStore.now, name: "Other")
        let foreign = try OCSPRequest(certificate: other.leaf.certificate, issuer: other.intermediate.certificate)
        #expect(
            try service.reply(to: foreign.encoded(), times: TestAuthority.times).body == Data([0x30, 3, 0x0A, 1, 6]))
    }

    @Test(arguments: [.infinity, -.infinity, .nan, -1, 1e9, 0, 599])
    func `An OCSP delay is finite, bounded and not negative`(_ seconds: TimeInterval) throws {
        var service = OCSPService(authority)
        service.defaultMode = .slow(seconds: seconds)
        let delay = try service.reply(to: request(), times: TestAuthority.times).delay
        #expect((0...OCSPService.maximumDelay).contains(delay))
        if seconds == 599 { #expect(delay == 599) }
    }

    @Test func `A good OCSP response is valid at the real and the simulated time, an expired one at neither`() throws {
        let year: TimeInterval = 365 * 86_400
        for other in [TestStore.now + 8 * 86_400, TestStore.now + 1.1 * year, TestStore.now - year, TestStore.now] {
            let times = min(other, TestStore.now)...max(other, TestStore.now)
            for (mode, isGood) in [(OCSPService.Mode.good, true), (.expired, false)] {
                var service = OCSPService(authority)
                service.defaultMode = mode
                let question = try question()
                let body = try #require(try service.reply(to: question.encoded(), times: times).body)
                for now in [other, TestStore.now] {
                    let answer = Result {
                        try VerifiedOCSPResponse(
                            der: body, to: question, issuer: authority.current.intermediate.certificate, now: now)
                    }
                    #expect((try? answer.get().status) == (isGood ? .good : nil))
                    // A client caches the response for at most a day, however far apart the clocks are.
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
    func `A malformed OCSP request gets the response malformedRequest`(_ request: Data) {
        #expect(OCSPService(authority).reply(to: request, times: TestAuthority.times).body == Self.malformed)
    }

    @Test(arguments: [
        "", "/", "%", "%zz", "AAAA", "MA==", "M A", "%00%00", "..%2F..%2Fetc",
        String(repeating: "A", count: 1 << 20),
    ])
    func `A GET path without an OCSP request gets the response malformedRequest`(_ path: String) {
        #expect(OCSPService(authority).reply(toPath: path, times: TestAuthority.times).body == Self.malformed)
    }

    @Test func `A mutated OCSP request never gets a response about another certificate than it names`() async throws {
        let service = OCSPService(authority)
        let question = try question()
        let request = try question.encoded()
        /// The status in a response, if the client accepts it as the answer to `question`.
        func accepted(_ body: Data) -> VerifiedOCSPResponse.Status? {
            let response = try? VerifiedOCSPResponse(
                der: body, to: question, issuer: authority.current.intermediate.certificate, now: TestStore.now)
            return response?.status
        }
        let unchanged = try #require(service.reply(to: request, times: TestAuthority.times).body)
        #expect(accepted(unchanged) == .good)
        let serialNumber = try OCSPQuery(der: request).serialNumber
        var generator = SeededGenerator(seed: 20)
        for await _ in Yielding(0..<2000) {
            let mutated = generator.mutated(Array(request))
            let body = try #require(service.reply(to: mutated, times: TestAuthority.times).body)
            guard let status = accepted(body) else { continue }
            #expect(status == .good)
            #expect(try OCSPQuery(der: mutated).serialNumber == serialNumber)
        }
    }

    @Test func `A truncated OCSP request gets the response malformedRequest`() async throws {
        let service = OCSPService(authority)
        let request = try request()
        for await end in Yielding(request.indices) {
            #expect(service.reply(to: request[..<end], times: TestAuthority.times).body == Self.malformed)
        }
    }

    @Test func `A time that an OCSP response cannot represent gets the response internalError`() throws {
        for seconds in [1e18, -1e18, .infinity, -.infinity] {
            let date = Date(timeIntervalSince1970: seconds)
            let reply = try OCSPService(authority).reply(to: request(), times: date...date)
            #expect(reply.body == Data([0x30, 3, 0x0A, 1, 2]))
        }
    }

    private var transaction: JWSTransactionDecodedPayload { TestAuthority.transaction }

    private func question() throws -> OCSPRequest {
        try OCSPRequest(
            certificate: authority.current.leaf.certificate, issuer: authority.current.intermediate.certificate)
    }

    private func request() throws -> Data { try question().encoded() }

    @discardableResult
    private func verify(
        _ text: String, _ transport: ServiceTransport, _ authority: StoreAuthority? = nil
    ) async throws -> Verified<JWSTransactionDecodedPayload> {
        let verifier = try (authority ?? self.authority).verifier {
            var options = RevocationOptions(policy: .hard, transport: transport)
            options.allowedHosts = ["127.0.0.1"]
            options.timeLimit = 600
            $0.revocation = options
        }
        return try await verifier.transaction(text)
    }
}
