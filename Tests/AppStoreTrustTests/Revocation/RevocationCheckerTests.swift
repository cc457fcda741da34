import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing
import X509

@testable import AppStoreTrust

@Suite(.timeLimit(.minutes(10))) struct `The revocation checker` {
    let authority: Authority
    let chain: CertificateChain
    let responders: TestResponders
    let clock = TestClock(TestStore.now)
    let waiting = ManualClock()

    init() throws {
        authority = try TestStore.authority()
        chain = try authority.provenChain()
        responders = TestResponders(authority)
    }

    @Test func `A response is cached until shortly before it expires`() async throws {
        let checker = checker(.hard)
        for hours in 0..<11 {
            #expect(try await checker.finding(for: chain).age == 60 + Double(hours) * 3600)
            clock.advance(by: 3600)
        }
        #expect(responders.requestedURLs.count == 2)
    }

    @Test func `A response is renewed in the background before it expires, without delaying verifications`()
        async throws
    {
        let checker = checker(.hard)
        _ = try await checker.finding(for: chain)
        clock.advance(by: 11 * 3600 + 60)
        waiting.advance(by: .seconds(60))
        let gate = Gate()
        let signed = Mutex(0)
        answerGood {
            signed.withLock { $0 += 1 }
            await gate.pass()
        }
        // The cached response is returned although the responder has not answered yet.
        #expect(try await checker.finding(for: chain).age == 11 * 3600 + 120)
        try await waitUntil("both responses are signed") { signed.withLock(\.self) == 2 }
        #expect(try await checker.finding(for: chain).status == .good)
        #expect(responders.requestedURLs.count == 4)
        gate.open()
        // The first responses have expired by now.
        clock.advance(by: 3600)
        #expect(try await checker.finding(for: chain).age == 3660)
        #expect(responders.requestedURLs.count == 4)
    }

    @Test func `An expired response is requested again, and the verification waits`() async throws {
        let checker = checker(.hard)
        _ = try await checker.finding(for: chain)
        clock.advance(by: 12 * 3600)
        answerGood {}
        #expect(try await checker.finding(for: chain).age == 60)
        #expect(responders.requestedURLs.count == 4)
    }

    @Test func `A hundred concurrent verifications share one request`() async throws {
        let (gate, allStarted) = (Gate(), Gate())
        answerGood { await gate.pass() }
        // Each verification reads the clock once, right before it starts or joins a request.
        let clockReads = Mutex(0)
        let checker = RevocationChecker(RevocationOptions(.hard, responders)) {
            if clockReads.withLock({
                $0 += 1; return $0
            }) == 100 {
                allStarted.open()
            }
            return TestStore.now
        }
        try await withThrowingTaskGroup(of: RevocationFinding.Status.self) { [chain] group in
            for _ in 0..<100 { group.addTask { try await checker.finding(for: chain).status } }
            await allStarted.pass()
            gate.open()
            for try await status in group { #expect(status == .good) }
        }
        #expect(responders.requestedURLs.count == 2)
    }

    /// A responder with a wrong clock may promise years, and would hide a revocation for as long.
    @Test func `A response that is valid for years is requested again after a day`() async throws {
        for (subject, issuer) in [(.leaf, authority.intermediate), (.intermediate, authority.root)]
            as [(TestResponders.Subject, Issued)]
        {
            var responder = OCSPResponder(issuer: issuer, now: TestStore.now)
            responder.nextUpdate = TestStore.now + 3650 * 86_400
            responders.set(subject) { [responder] in try responder.answer($0) }
        }
        let checker = checker(.soft)
        for (seconds, requests) in [(0, 2), (86_399, 2), (1, 4)] {
            clock.advance(by: Double(seconds))
            #expect(try await checker.finding(for: chain).status == .good)
            #expect(responders.requestedURLs.count == requests)
        }
    }

    /// Responders that sign in advance have no newer response: refusing it would refuse everything for days.
    @Test func `A response that was signed days ago is accepted until it expires, and requested again after a day`()
        async throws
    {
        for (subject, issuer) in [(.leaf, authority.intermediate), (.intermediate, authority.root)]
            as [(TestResponders.Subject, Issued)]
        {
            var responder = OCSPResponder(issuer: issuer, now: TestStore.now)
            responder.thisUpdate = TestStore.now - 3 * 86_400
            responder.nextUpdate = TestStore.now + 4 * 86_400
            responders.set(subject) { [responder] in try responder.answer($0) }
        }
        let (strict, lenient) = (checker(.hard), checker(.soft))
        #expect(try await strict.finding(for: chain).age == 3 * 86_400)
        for (seconds, age, requests) in [(0, 3 * 86_400, 4), (86_399, 4 * 86_400 - 1, 4), (1, 4 * 86_400, 6)] {
            clock.advance(by: Double(seconds))
            #expect(try await lenient.finding(for: chain).age == Double(age))
            #expect(responders.requestedURLs.count == requests)
        }
    }

    @Test(arguments: [RevocationPolicy.soft, .hard])
    func `A date that is set back does not extend the use of a response`(_ policy: RevocationPolicy) async throws {
        let checker = checker(policy)
        #expect(try await checker.finding(for: chain).status == .good)
        responders.set { _ in throw URLError(.timedOut) }
        clock.advance(by: -6 * 3600)
        // The response expires after twelve hours, and is used for another hour while the responder is unavailable.
        waiting.advance(by: .seconds(12 * 3600 - 61))
        #expect(try await checker.finding(for: chain).status == .good)
        #expect(responders.requestedURLs.count == 2)
        waiting.advance(by: .seconds(61))
        #expect(try await checker.finding(for: chain).status == .good)
        #expect(responders.requestedURLs.count == 4)
        waiting.advance(by: .seconds(3600))
        #expect(
            try await refusal { try await checker.finding(for: chain) }
                == (policy == .hard ? .revocationUnknown : nil))
        if policy == .soft { #expect(try await checker.finding(for: chain).status == .unknown) }
    }

    /// Caches in front of a responder serve old responses until they expire.
    @Test(arguments: [RevocationPolicy.soft, .hard])
    func `A response from before the revocation does not undo it, a newer one does`(
        _ policy: RevocationPolicy
    ) async throws {
        var responder = OCSPResponder(issuer: authority.intermediate, now: TestStore.now)
        responder.nextUpdate = TestStore.now + 7 * 86_400
        let before = responder
        responder.thisUpdate = TestStore.now
        responder.nextUpdate = TestStore.now + 12 * 3600
        responder.status = .revoked(TestStore.now)
        responders.set(.leaf) { [responder] in try responder.answer($0) }
        let checker = checker(policy)
        #expect(try await refusal { try await checker.finding(for: chain) } == .revoked)
        responders.set(.leaf) { try before.answer($0) }
        clock.advance(by: 12 * 3600)
        waiting.advance(by: .seconds(30))
        // The first verification waits for the response, the second one comes during the pause.
        for _ in 0..<2 {
            #expect(try await refusal { try await checker.finding(for: chain) } == .revoked)
            #expect(responders.requestedURLs.count == 4)
        }
        answerGood {}
        waiting.advance(by: .seconds(30))
        try await waitUntil("the certificate is good") {
            try await refusal { try await checker.finding(for: chain) } == nil
        }
    }

    @Test func `Responses are cached for a bounded number of certificates`() async throws {
        let checker = checker(.hard)
        for index in 0..<70 {
            let leaf = try Authority.leafTemplate("Test \(index)", TestStore.now)
                .issue(for: .init(authority.signingKey), by: authority.intermediate)
            let other = Authority(
                root: authority.root, intermediate: authority.intermediate, leaf: leaf, signingKey: authority.signingKey
            )
            #expect(try await checker.finding(for: other.provenChain()).status == .good)
        }
        // Seventy leaves and their common intermediate.
        #expect(responders.requestedURLs.count == 71)
    }

    func checker(_ policy: RevocationPolicy) -> RevocationChecker {
        var options = RevocationOptions(policy, responders)
        options.clock = waiting
        return RevocationChecker(options) { [clock] in clock.now }
    }

    /// Lets the responders answer "good", signed at the clock's time, after `wait`.
    func answerGood(_ wait: @escaping @Sendable () async throws -> Void) {
        for (subject, issuer) in [(.leaf, authority.intermediate), (.intermediate, authority.root)]
            as [(TestResponders.Subject, Issued)]
        {
            responders.set(subject) { [clock] request in
                let answer = try OCSPResponder(issuer: issuer, now: clock.now).answer(request)
                try await wait()
                return answer
            }
        }
    }
}
