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

    @Test func `keeps an answer until shortly before its end`() async throws {
        let checker = checker(.hard)
        for hours in 0..<11 {
            #expect(try await checker.finding(for: chain).age == 60 + Double(hours) * 3600)
            clock.advance(by: 3600)
        }
        #expect(responders.asked.count == 2)
    }

    @Test func `renews an answer in the background before its end, and nobody waits for that`() async throws {
        let checker = checker(.hard)
        _ = try await checker.finding(for: chain)
        clock.advance(by: 11 * 3600 + 60)
        waiting.advance(by: .seconds(60))
        let gate = Gate()
        answerFromNow { await gate.pass() }
        // The known answer, though the responder is still thinking.
        #expect(try await checker.finding(for: chain).age == 11 * 3600 + 120)
        await responders.untilAsked(4)
        #expect(try await checker.finding(for: chain).status == .good)
        #expect(responders.asked.count == 4)
        gate.open()
        // The old answers would have ended by now.
        clock.advance(by: 3600)
        #expect(try await checker.finding(for: chain).age == 3660)
        #expect(responders.asked.count == 4)
    }

    @Test func `asks again, and waits, once an answer has ended`() async throws {
        let checker = checker(.hard)
        _ = try await checker.finding(for: chain)
        clock.advance(by: 12 * 3600)
        answerFromNow {}
        #expect(try await checker.finding(for: chain).age == 60)
        #expect(responders.asked.count == 4)
    }

    @Test func `asks one question for a hundred verifications at once`() async throws {
        let (gate, everybody) = (Gate(), Gate())
        answerFromNow { await gate.pass() }
        // Each verification looks at the clock once, right before it asks or joins.
        let looks = Mutex(0)
        let checker = RevocationChecker(RevocationOptions(.hard, responders)) {
            if looks.withLock({
                $0 += 1; return $0
            }) == 100 {
                everybody.open()
            }
            return TestStore.now
        }
        try await withThrowingTaskGroup(of: RevocationFinding.Status.self) { [chain] group in
            for _ in 0..<100 { group.addTask { try await checker.finding(for: chain).status } }
            await everybody.pass()
            gate.open()
            for try await status in group { #expect(status == .good) }
        }
        #expect(responders.asked.count == 2)
    }

    @Test(arguments: [(RevocationPolicy.soft, Int64(30)), (RevocationPolicy.hard, Int64(5))])
    func `does not ask again at once after a failure, with soft however fast the date goes`(
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
        #expect(responders.asked.count == 2)
        waiting.advance(by: .seconds(seconds) - .nanoseconds(1))
        _ = try await refusal { try await checker.finding(for: chain) }
        #expect(responders.asked.count == 2)
        waiting.advance(by: .nanoseconds(1))
        answerFromNow {}
        // Who would be refused waits for the answer; others are let in while it is asked for.
        if policy == .soft { #expect(try await checker.finding(for: chain).status == .unknown) }
        while try await checker.finding(for: chain).status != .good { await Task.yield() }
        #expect(responders.asked.count == 4)
    }

    @Test func `asks again when the date has moved on, where everything is refused meanwhile`() async throws {
        responders.set { _ in throw URLError(.timedOut) }
        let checker = checker(.hard)
        #expect(try await refusal { try await checker.finding(for: chain) } == .revocationUnknown)
        clock.advance(by: 4)
        #expect(try await refusal { try await checker.finding(for: chain) } == .revocationUnknown)
        #expect(responders.asked.count == 2)
        clock.advance(by: 3597)
        answerFromNow {}
        #expect(try await checker.finding(for: chain).status == .good)
        #expect(responders.asked.count == 4)
    }

    @Test func `an answer that the date has jumped past while it was on its way is no reason to pause`() async throws {
        let gate = Gate()
        answerFromNow { await gate.pass() }
        let checker = checker(.soft)
        let first = Task { [chain] in try await checker.finding(for: chain) }
        await responders.untilAsked(2)
        clock.advance(by: 86_400)
        gate.open()
        #expect(try await first.value.status == .unknown)
        while try await checker.finding(for: chain).status != .good { await Task.yield() }
        #expect(responders.asked.count == 4)
    }

    /// A responder whose clock is wrong may promise that, and would hide a revocation for as long.
    @Test func `asks again after a day where an answer promises years`() async throws {
        for (subject, issuer) in [(.leaf, authority.intermediate), (.intermediate, authority.root)]
            as [(TestResponders.Subject, Issued)]
        {
            var responder = OCSPResponder(issuer: issuer, now: TestStore.now)
            responder.nextUpdate = TestStore.now + 3650 * 86_400
            responders.set(subject) { [responder] in try responder.answer($0) }
        }
        let checker = checker(.soft)
        for (seconds, asked) in [(0, 2), (86_399, 2), (1, 4)] {
            clock.advance(by: Double(seconds))
            #expect(try await checker.finding(for: chain).status == .good)
            #expect(responders.asked.count == asked)
        }
    }

    /// Responders that sign ahead have no younger one: to refuse it would refuse everything for days.
    @Test func `takes an answer that was signed days ago and has not ended, and asks again a day after it came`()
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
        for (seconds, age, asked) in [(0, 3 * 86_400, 4), (86_399, 4 * 86_400 - 1, 4), (1, 4 * 86_400, 6)] {
            clock.advance(by: Double(seconds))
            #expect(try await lenient.finding(for: chain).age == Double(age))
            #expect(responders.asked.count == asked)
        }
    }

    @Test func `remembers that an answer was of no use, so that a thousand verifications ask once`() async throws {
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
        #expect(responders.asked.count == 2)
    }

    @Test func `a slow responder holds up nobody for longer than the limit, and nobody afterwards`() async throws {
        let gate = Gate()
        answerFromNow { await gate.pass() }
        var options = RevocationOptions(.soft, responders)
        (options.clock, options.timeLimit, options.maximumWait) = (waiting, 20, 1)
        let checker = RevocationChecker(options) { TestStore.now }
        let first = Task { [chain] in try await checker.finding(for: chain) }
        // Of both questions the time limit and the longest wait.
        await waiting.sleepers(4)
        waiting.advance(by: .seconds(1))
        #expect(try await first.value.explanation == "the responder has not answered within 1.0 s")
        // Would wait for ever, were they to wait: the clock stands.
        for _ in 0..<100 { #expect(try await checker.finding(for: chain).status == .unknown) }
        #expect(responders.asked.count == 2)
        gate.open()
        while try await checker.finding(for: chain).status != .good { await Task.yield() }
        #expect(responders.asked.count == 2)
    }

    @Test func `a responder that is slow each time is asked in the background after each pause`() async throws {
        var options = RevocationOptions(.soft, responders)
        (options.clock, options.timeLimit, options.maximumWait) = (waiting, 5, 1)
        let checker = RevocationChecker(options) { TestStore.now }
        // One of the two alone, since what is found tells of the first problem, and not whether another question has ended.
        responders.set(.intermediate) { _ in throw URLError(.timedOut) }
        _ = try await checker.finding(for: chain)
        // Until it is cancelled.
        answerFromNow { try await Task.sleep(for: .seconds(3600)) }
        waiting.advance(by: .seconds(30))
        #expect(try await checker.finding(for: chain).status == .unknown)
        await responders.untilAsked(3)
        answerFromNow {}
        // Of the question the time limit and the longest wait.
        await waiting.sleepers(2)
        waiting.advance(by: .seconds(5))
        while try await checker.finding(for: chain).explanation?.contains("within 5.0 s") != true { await Task.yield() }
        waiting.advance(by: .seconds(30))
        #expect(try await checker.finding(for: chain).status == .unknown)
        await responders.untilAsked(4)
        while try await checker.finding(for: chain).status != .good { await Task.yield() }
        #expect(responders.asked.count == 4)
    }

    @Test func `uses an ended answer for a while when the responder is silent, and says how old it is`() async throws {
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
    func `a revoked certificate stays revoked while the responder is silent, for however long`(
        _ policy: RevocationPolicy
    ) async throws {
        var responder = OCSPResponder(issuer: authority.intermediate, now: TestStore.now)
        responder.status = .revoked(TestStore.now)
        responders.set(.leaf) { [responder] in try responder.answer($0) }
        let checker = checker(policy)
        #expect(try await refusal { try await checker.finding(for: chain) } == .revoked)
        responders.set { _ in throw URLError(.timedOut) }
        // Within the time in which an ended answer is still used, and long after it.
        for seconds in [12 * 3600 + 10, 30 * 86_400] as [TimeInterval] {
            clock.advance(by: seconds)
            #expect(try await refusal { try await checker.finding(for: chain) } == .revoked)
        }
    }

    /// Caches in front of a responder serve old answers until these end.
    @Test(arguments: [RevocationPolicy.soft, .hard])
    func `an answer from before the revocation takes nothing back, a newer one does`(
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
        // The first waits for the answer, the second comes in the pause.
        for _ in 0..<2 {
            #expect(try await refusal { try await checker.finding(for: chain) } == .revoked)
            #expect(responders.asked.count == 4)
        }
        answerFromNow {}
        waiting.advance(by: .seconds(30))
        while try await refusal({ try await checker.finding(for: chain) }) != nil { await Task.yield() }
    }

    @Test func `gives up after the time limit and ends the question`() async throws {
        let ended = Gate()
        responders.set { _ in
            defer { ended.open() }
            // Far beyond the suite's patience: it ends by being cancelled.
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

    @Test func `one who stops waiting does not end the others' question`() async throws {
        let gate = Gate()
        answerFromNow {
            await gate.pass()
            try Task.checkCancellation()
        }
        let checker = checker(.hard)
        let first = Task { [chain] in try await checker.finding(for: chain) }
        await responders.untilAsked(2)
        let second = Task { [chain] in try await checker.finding(for: chain) }
        first.cancel()
        gate.open()
        #expect(try await second.value.status == .good)
        _ = await first.result
        #expect(responders.asked.count == 2)
    }

    @Test func `keeps answers for a bounded number of certificates, all of them right`() async throws {
        let checker = checker(.hard)
        for index in 0..<70 {
            let leaf = try Authority.leafTemplate("Test \(index)", TestStore.now)
                .issue(for: .init(authority.signingKey), by: authority.intermediate)
            let other = Authority(
                root: authority.root, intermediate: authority.intermediate, leaf: leaf, signingKey: authority.signingKey
            )
            #expect(try await checker.finding(for: other.provenChain()).status == .good)
        }
        // Seventy leaves and their one intermediate.
        #expect(responders.asked.count == 71)
    }

    private func checker(_ policy: RevocationPolicy) -> RevocationChecker {
        var options = RevocationOptions(policy, responders)
        options.clock = waiting
        return RevocationChecker(options) { [clock] in clock.now }
    }

    /// Good answers made at the clock's time, each after `wait`.
    private func answerFromNow(_ wait: @escaping @Sendable () async throws -> Void) {
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
