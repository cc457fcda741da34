import Foundation
import StoreSimulator
import Synchronization
import Testing
import TestSupport
import X509

@testable import AppStoreTrust

@Suite struct `The revocation checker` {
    private let authority: Authority
    private let chain: CertificateChain
    private let responders: TestResponders
    private let clock = TestClock(TestStore.now)
    private let waiting = ManualClock()

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
        answerGood { await gate.pass() }
        // The cached response is returned although the responder has not answered yet.
        #expect(try await checker.finding(for: chain).age == 11 * 3600 + 120)
        await responders.waitForRequests(4)
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

    @Test(arguments: [(RevocationPolicy.soft, Int64(30)), (RevocationPolicy.hard, Int64(5))])
    func `A failed request is not repeated during a pause, with the soft policy even if the date moves on`(
        _ policy: RevocationPolicy, _ seconds: Int64
    ) async throws {
        responders.set { _ in throw URLError(.timedOut) }
        let checker = checker(policy)
        for _ in 0..<10 {
            #expect(
                try await refusal { try await checker.finding(for: chain) }
                    == (policy == .hard ? .revocationUnknown : nil))
            if policy == .soft { clock.advance(by: 86_400) }
        }
        #expect(responders.requestedURLs.count == 2)
        waiting.advance(by: .seconds(seconds) - .nanoseconds(1))
        _ = try await refusal { try await checker.finding(for: chain) }
        #expect(responders.requestedURLs.count == 2)
        waiting.advance(by: .nanoseconds(1))
        answerGood {}
        // With the hard policy the verification waits; with the soft one it succeeds while the request runs.
        if policy == .soft { #expect(try await checker.finding(for: chain).status == .unknown) }
        try await waitUntil("the certificate is good") { try await checker.finding(for: chain).status == .good }
        #expect(responders.requestedURLs.count == 4)
    }

    @Test func `With the hard policy, a failed request is repeated when the date has moved on`() async throws {
        responders.set { _ in throw URLError(.timedOut) }
        let checker = checker(.hard)
        #expect(try await refusal { try await checker.finding(for: chain) } == .revocationUnknown)
        clock.advance(by: 4)
        #expect(try await refusal { try await checker.finding(for: chain) } == .revocationUnknown)
        #expect(responders.requestedURLs.count == 2)
        clock.advance(by: 3597)
        answerGood {}
        #expect(try await checker.finding(for: chain).status == .good)
        #expect(responders.requestedURLs.count == 4)
    }

    @Test func `A response that expires in transit because the date jumps causes no pause`() async throws {
        let gate = Gate()
        answerGood { await gate.pass() }
        let checker = checker(.soft)
        let first = Task { [chain] in try await checker.finding(for: chain) }
        await responders.waitForRequests(2)
        clock.advance(by: 86_400)
        gate.open()
        #expect(try await first.value.status == .unknown)
        try await waitUntil("the certificate is good") { try await checker.finding(for: chain).status == .good }
        #expect(responders.requestedURLs.count == 4)
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

    @Test func `An unusable response is remembered, so that a thousand verifications request it once`() async throws {
        for (subject, issuer) in [(.leaf, authority.intermediate), (.intermediate, authority.root)]
            as [(TestResponders.Subject, Issued)]
        {
            var responder = OCSPResponder(issuer: issuer, now: TestStore.now)
            responder.nextUpdate = TestStore.now
            responders.set(subject) { [responder] in try responder.answer($0) }
        }
        let checker = checker(.soft)
        for _ in 0..<1000 {
            let finding = try await checker.finding(for: chain)
            #expect(finding.explanation == "the answer has expired")
            clock.advance(by: 60)
        }
        #expect(responders.requestedURLs.count == 2)
    }

    @Test func `A slow responder delays the first verification up to the limit, and no later one`() async throws {
        let gate = Gate()
        answerGood { await gate.pass() }
        var options = RevocationOptions(.soft, responders)
        (options.clock, options.timeLimit, options.maximumWait) = (waiting, 20, 1)
        let checker = RevocationChecker(options) { TestStore.now }
        let first = Task { [chain] in try await checker.finding(for: chain) }
        // The time limit and the longest wait of both requests.
        await waiting.waitForSleepers(4)
        waiting.advance(by: .seconds(1))
        #expect(try await first.value.explanation == "the responder has not answered within 1.0 s")
        // The clock stands still, so a verification that waits would never end.
        for _ in 0..<100 { #expect(try await checker.finding(for: chain).status == .unknown) }
        #expect(responders.requestedURLs.count == 2)
        gate.open()
        try await waitUntil("the certificate is good") { try await checker.finding(for: chain).status == .good }
        #expect(responders.requestedURLs.count == 2)
    }

    @Test func `A responder that is always slow is queried in the background after each pause`() async throws {
        var options = RevocationOptions(.soft, responders)
        (options.clock, options.timeLimit, options.maximumWait) = (waiting, 5, 1)
        let checker = RevocationChecker(options) { TestStore.now }
        // Only one responder is queried, because the finding names only the first problem.
        responders.set(.intermediate) { _ in throw URLError(.timedOut) }
        _ = try await checker.finding(for: chain)
        // The task sleeps until it is cancelled.
        answerGood { try await Task.sleep(for: .seconds(3600)) }
        waiting.advance(by: .seconds(30))
        #expect(try await checker.finding(for: chain).status == .unknown)
        await responders.waitForRequests(3)
        answerGood {}
        // The time limit and the longest wait of the request.
        await waiting.waitForSleepers(2)
        waiting.advance(by: .seconds(5))
        try await waitUntil("the request has timed out") {
            try await checker.finding(for: chain).explanation?.contains("within 5.0 s") == true
        }
        waiting.advance(by: .seconds(30))
        #expect(try await checker.finding(for: chain).status == .unknown)
        await responders.waitForRequests(4)
        try await waitUntil("the certificate is good") { try await checker.finding(for: chain).status == .good }
        #expect(responders.requestedURLs.count == 4)
    }

    @Test func `An expired response is used for an hour while the responder is unavailable, with its age`() async throws
    {
        let checker = checker(.hard)
        _ = try await checker.finding(for: chain)
        responders.set { _ in throw URLError(.timedOut) }
        clock.advance(by: 12 * 3600 + 10)
        #expect(try await checker.finding(for: chain).age == 12 * 3600 + 70)
        clock.advance(by: 3600 - 11)
        #expect(try await checker.finding(for: chain).status == .good)
        clock.advance(by: 1)
        #expect(try await refusal { try await checker.finding(for: chain) } == .revocationUnknown)
    }

    @Test(arguments: [RevocationPolicy.soft, .hard])
    func `A revoked certificate stays revoked while the responder is unavailable`(
        _ policy: RevocationPolicy
    ) async throws {
        var responder = OCSPResponder(issuer: authority.intermediate, now: TestStore.now)
        responder.status = .revoked(TestStore.now)
        responders.set(.leaf) { [responder] in try responder.answer($0) }
        let checker = checker(policy)
        #expect(try await refusal { try await checker.finding(for: chain) } == .revoked)
        responders.set { _ in throw URLError(.timedOut) }
        // Within the time in which expired responses are used, and long after it.
        for seconds in [12 * 3600 + 10, 30 * 86_400] as [TimeInterval] {
            clock.advance(by: seconds)
            #expect(try await refusal { try await checker.finding(for: chain) } == .revoked)
        }
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

    @Test func `A request is cancelled after the time limit`() async throws {
        let ended = Gate()
        responders.set { _ in
            defer { ended.open() }
            // Far longer than the suite's time limit: it ends when it is cancelled.
            try await Task.sleep(for: .seconds(86_400))
            return Data()
        }
        var options = RevocationOptions(.soft, responders)
        options.timeLimit = 0.01
        let checker = RevocationChecker(options) { TestStore.now }
        let finding = try await checker.finding(for: chain)
        #expect(finding.explanation?.contains("within 0.01 s") == true)
        await ended.pass()
    }

    @Test func `A cancelled verification does not end the request of others`() async throws {
        let gate = Gate()
        answerGood {
            await gate.pass()
            try Task.checkCancellation()
        }
        let checker = checker(.hard)
        let first = Task { [chain] in try await checker.finding(for: chain) }
        await responders.waitForRequests(2)
        let second = Task { [chain] in try await checker.finding(for: chain) }
        first.cancel()
        gate.open()
        #expect(try await second.value.status == .good)
        _ = await first.result
        #expect(responders.requestedURLs.count == 2)
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

    private func checker(_ policy: RevocationPolicy) -> RevocationChecker {
        var options = RevocationOptions(policy, responders)
        options.clock = waiting
        return RevocationChecker(options) { [clock] in clock.now }
    }

    /// Lets the responders answer "good", signed at the clock's time, after `wait`.
    private func answerGood(_ wait: @escaping @Sendable () async throws -> Void) {
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
