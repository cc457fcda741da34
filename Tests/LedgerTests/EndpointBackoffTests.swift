import Ledger
import Testing

@Suite struct `How often an endpoint is tried` {
    /// What came of an attempt.
    struct Attempt: Sendable {
        var outcome: DeliveryOutcome
        var isPausing = false

        static func failed(_ deliveries: ClosedRange<Int64>, whilePausing isPausing: Bool = false) -> [Attempt] {
            deliveries.map { Attempt(outcome: .init($0, .again(at: 0, body: nil)), isPausing: isPausing) }
        }

        /// With the last attempt at each delivery.
        static func givenUp(_ deliveries: ClosedRange<Int64>) -> [Attempt] {
            deliveries.map { Attempt(outcome: .init($0, .failed)) }
        }

        static func arrived(whilePausing isPausing: Bool = false) -> [Attempt] {
            [Attempt(outcome: .init(0, .delivered), isPausing: isPausing)]
        }

        static func discarded(_ deliveries: ClosedRange<Int64>) -> [Attempt] {
            deliveries.map { Attempt(outcome: .init($0, .discarded)) }
        }

        static func notSent(_ deliveries: ClosedRange<Int64>) -> [Attempt] {
            deliveries.map { Attempt(outcome: .init($0, .again(at: 0, body: nil), isOurFault: true)) }
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var attempts: [Attempt]
        /// What follows, where something does.
        var actions: [EndpointBackoff.Action]
    }

    static let cases: [Case] = [
        Case(testDescription: "some fail", attempts: Attempt.failed(1...9), actions: []),
        Case(testDescription: "many fail", attempts: Attempt.failed(1...10), actions: [pause(1)]),
        Case(testDescription: "the last attempt counts too", attempts: Attempt.givenUp(1...10), actions: [pause(1)]),
        Case(
            testDescription: "one delivery fails again and again",
            attempts: (0..<30).flatMap { _ in Attempt.failed(1...1) }, actions: []),
        Case(
            testDescription: "one arrives in between",
            attempts: Attempt.failed(1...9) + Attempt.arrived() + Attempt.failed(10...18), actions: [.resume]),
        Case(
            testDescription: "each pause is longer, to a limit", attempts: Attempt.failed(1...18),
            actions: [1, 2, 4, 8, 16, 32, 60, 60, 60].map(pause)),
        Case(
            testDescription: "a delivery that failed before fails after the pause",
            attempts: Attempt.failed(1...10) + Attempt.failed(1...1), actions: [pause(1), pause(2)]),
        Case(
            testDescription: "what was under way when the pause began fails",
            attempts: Attempt.failed(1...10) + Attempt.failed(11...17, whilePausing: true) + Attempt.failed(18...18),
            actions: [pause(1), pause(2)]),
        Case(
            testDescription: "what was under way when the pause began arrives",
            attempts: Attempt.failed(1...10) + Attempt.arrived(whilePausing: true) + Attempt.failed(11...19),
            actions: [pause(1), .resume]),
        Case(
            testDescription: "the pauses begin anew after one arrived",
            attempts: Attempt.failed(1...12) + Attempt.arrived() + Attempt.failed(13...22),
            actions: [pause(1), pause(2), pause(4), .resume, pause(1)]),
        Case(testDescription: "what never came to sending", attempts: Attempt.notSent(1...30), actions: []),
        Case(testDescription: "what was not to be sent", attempts: Attempt.discarded(1...30), actions: []),
        Case(
            testDescription: "what was not to be sent says nothing about those before",
            attempts: Attempt.failed(1...9) + Attempt.discarded(10...10) + Attempt.failed(11...11),
            actions: [pause(1)]),
    ]

    private static func pause(_ seconds: Int) -> EndpointBackoff.Action { .pause(.seconds(seconds)) }

    @Test(arguments: cases) func `follows from what came of attempts in a row`(_ it: Case) {
        var backoff = EndpointBackoff()
        let actions = it.attempts.map { backoff.record($0.outcome, isPausing: $0.isPausing) }
        #expect(actions.filter { $0 != .nothing } == it.actions)
    }
}

extension DeliveryOutcome {
    fileprivate init(_ delivery: Int64, _ result: Result, isOurFault: Bool = false) {
        self.init(delivery: delivery, endpoint: 1, result: result, isOurFault: isOurFault)
    }
}
