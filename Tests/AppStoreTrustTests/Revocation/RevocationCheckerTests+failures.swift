import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing
import X509

@testable import AppStoreTrust

// Responders that fail, are slow or do not answer.
extension `The revocation checker` {
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
        let signed = Mutex(0)
        answerGood {
            signed.withLock { $0 += 1 }
            await gate.pass()
        }
        let checker = checker(.soft)
        let first = Task { [chain] in try await checker.finding(for: chain) }
        try await waitUntil("both responses are signed") { signed.withLock(\.self) == 2 }
        clock.advance(by: 86_400)
        gate.open()
        #expect(try await first.value.status == .unknown)
        try await waitUntil("the certificate is good") { try await checker.finding(for: chain).status == .good }
        #expect(responders.requestedURLs.count == 4)
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
        try await waiting.waitForSleepers(4)
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
        try await responders.waitForRequests(3)
        answerGood {}
        // The time limit and the longest wait of the request.
        try await waiting.waitForSleepers(2)
        waiting.advance(by: .seconds(5))
        try await waitUntil("the request has timed out") {
            try await checker.finding(for: chain).explanation?.contains("within 5.0 s") == true
        }
        waiting.advance(by: .seconds(30))
        #expect(try await checker.finding(for: chain).status == .unknown)
        try await responders.waitForRequests(4)
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
        try await responders.waitForRequests(2)
        let second = Task { [chain] in try await checker.finding(for: chain) }
        first.cancel()
        gate.open()
        #expect(try await second.value.status == .good)
        _ = await first.result
        #expect(responders.requestedURLs.count == 2)
    }
}
