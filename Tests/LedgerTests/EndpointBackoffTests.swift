import Ledger
import Testing

@Suite struct `Backoff of an endpoint` {
    /// The outcome of an attempt.
    struct Attempt: Sendable {
        var outcome: DeliveryOutcome
        var isPausing = false

        static func failed(_ deliveries: ClosedRange<Int64>, whilePausing isPausing: Bool = false) -> [Attempt] {
            deliveries.map { Attempt(outcome: .init($0, .retry(at: 0, body: nil)), isPausing: isPausing) }
        }

        /// The last attempts at these deliveries.
        static func lastAttemptFailed(_ deliveries: ClosedRange<Int64>) -> [Attempt] {
            deliveries.map { Attempt(outcome: .init($0, .failed)) }
        }

        static func delivered(whilePausing isPausing: Bool = false) -> [Attempt] {
            [Attempt(outcome: .init(0, .delivered), isPausing: isPausing)]
        }

        static func discarded(_ deliveries: ClosedRange<Int64>) -> [Attempt] {
            deliveries.map { Attempt(outcome: .init($0, .discarded)) }
        }

        static func internallyFailed(_ deliveries: ClosedRange<Int64>) -> [Attempt] {
            deliveries.map { Attempt(outcome: .init($0, .retry(at: 0, body: nil), isInternalFailure: true)) }
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var attempts: [Attempt]
        /// The expected actions, without `nothing`.
        var actions: [EndpointBackoff.Action]
    }

    static let cases: [Case] = [
        Case(testDescription: "nine deliveries fail", attempts: Attempt.failed(1...9), actions: []),
        Case(testDescription: "ten deliveries fail", attempts: Attempt.failed(1...10), actions: [pause(1)]),
        Case(
            testDescription: "last attempts count too", attempts: Attempt.lastAttemptFailed(1...10), actions: [pause(1)]
        ),
        Case(
            testDescription: "one delivery fails repeatedly",
            attempts: (0..<30).flatMap { _ in Attempt.failed(1...1) }, actions: []),
        Case(
            testDescription: "a success in between",
            attempts: Attempt.failed(1...9) + Attempt.delivered() + Attempt.failed(10...18), actions: [.resume]),
        Case(
            testDescription: "each pause is longer, up to a limit", attempts: Attempt.failed(1...18),
            actions: [1, 2, 4, 8, 16, 32, 60, 60, 60].map(pause)),
        Case(
            testDescription: "a delivery that failed before fails after the pause",
            attempts: Attempt.failed(1...10) + Attempt.failed(1...1), actions: [pause(1), pause(2)]),
        Case(
            testDescription: "running attempts fail during the pause",
            attempts: Attempt.failed(1...10) + Attempt.failed(11...17, whilePausing: true) + Attempt.failed(18...18),
            actions: [pause(1), pause(2)]),
        Case(
            testDescription: "a running attempt succeeds during the pause",
            attempts: Attempt.failed(1...10) + Attempt.delivered(whilePausing: true) + Attempt.failed(11...19),
            actions: [pause(1), .resume]),
        Case(
            testDescription: "the pauses start again after a success",
            attempts: Attempt.failed(1...12) + Attempt.delivered() + Attempt.failed(13...22),
            actions: [pause(1), pause(2), pause(4), .resume, pause(1)]),
        Case(testDescription: "internal failures", attempts: Attempt.internallyFailed(1...30), actions: []),
        Case(testDescription: "discarded deliveries", attempts: Attempt.discarded(1...30), actions: []),
        Case(
            testDescription: "discarded deliveries do not reset the count",
            attempts: Attempt.failed(1...9) + Attempt.discarded(10...10) + Attempt.failed(11...11),
            actions: [pause(1)]),
    ]

    private static func pause(_ seconds: Int) -> EndpointBackoff.Action { .pause(.seconds(seconds)) }

    @Test(arguments: cases)
    func `An endpoint is paused after failures in a row, for longer each time, and resumes after a success`(
        _ testCase: Case
    ) {
        var backoff = EndpointBackoff()
        let actions = testCase.attempts.map { backoff.record($0.outcome, isPausing: $0.isPausing) }
        #expect(actions.filter { $0 != .nothing } == testCase.actions)
    }
}

extension DeliveryOutcome {
    fileprivate init(_ delivery: Int64, _ result: Result, isInternalFailure: Bool = false) {
        self.init(delivery: delivery, endpoint: 1, result: result, isInternalFailure: isInternalFailure)
    }
}
