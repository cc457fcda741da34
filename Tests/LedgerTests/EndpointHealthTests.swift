import Ledger
import Testing

@Suite struct `Health of an endpoint` {
    /// An attempt at 1000; an endpoint is disabled after 500 milliseconds of failures.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var before = EndpointHealth()
        var result = DeliveryOutcome.Result.retry(at: 2000, body: nil)
        var isGone = false
        var isInternalFailure = false
        var after: EndpointHealth
    }

    static let cases = [
        Case(testDescription: "the first failure is recorded", after: .init(failingSince: 1000, failedAt: 1000)),
        Case(
            testDescription: "the last attempt of a delivery counts too", result: .failed,
            after: .init(failingSince: 1000, failedAt: 1000)),
        Case(
            testDescription: "failing for less than the limit", before: .init(failingSince: 501, failedAt: 900),
            after: .init(failingSince: 501, failedAt: 1000)),
        Case(
            testDescription: "failing for as long as the limit", before: .init(failingSince: 500, failedAt: 900),
            after: .init(failingSince: 500, failedAt: 1000, disabled: .failing)),
        Case(
            testDescription: "the last failure is unknown", before: .init(failingSince: 500),
            after: .init(failingSince: 500, failedAt: 1000, disabled: .failing)),
        Case(
            testDescription: "a success after long failing", before: .init(failingSince: 1, failedAt: 2),
            result: .delivered, after: .init()),
        Case(
            testDescription: "the endpoint answers 410 Gone", isGone: true,
            after: .init(failingSince: 1000, failedAt: 1000, disabled: .gone)),
        Case(
            testDescription: "an internal failure", before: .init(failingSince: 1),
            isInternalFailure: true, after: .init(failingSince: 1)),
        Case(
            testDescription: "a discarded delivery", before: .init(failingSince: 1), result: .discarded,
            after: .init(failingSince: 1)),
        Case(
            testDescription: "disabled by request meanwhile",
            before: .init(failingSince: 1, disabled: .requested), isGone: true,
            after: .init(failingSince: 1, failedAt: 1000, disabled: .requested)),
        Case(
            testDescription: "a running attempt succeeds after the endpoint was disabled",
            before: .init(failingSince: 1, disabled: .failing), result: .delivered, after: .init(disabled: .failing)),
    ]

    /// Longer than the longest pause between attempts.
    private static let idle = RetrySchedule.longestPause + 1

    static let idleCases = [
        Case(
            testDescription: "one failure long after another does not count as failing all the time",
            before: .init(failingSince: 1000 - idle, failedAt: 1000 - idle),
            after: .init(failingSince: 1000, failedAt: 1000)),
        Case(
            testDescription: "the attempts before and after a break count together, and are not enough",
            before: .init(failingSince: 501 - idle, failedAt: 1000 - idle),
            after: .init(failingSince: 501, failedAt: 1000)),
        Case(
            testDescription: "the attempts before and after a break count together, and are enough",
            before: .init(failingSince: 500 - idle, failedAt: 1000 - idle),
            after: .init(failingSince: 500, failedAt: 1000, disabled: .failing)),
        Case(
            testDescription: "the longest pause between two attempts counts",
            before: .init(failingSince: 1001 - idle, failedAt: 1001 - idle),
            after: .init(failingSince: 1001 - idle, failedAt: 1000, disabled: .failing)),
        // Ledgers from before `failedAt` existed count from the first failure after the update.
        Case(
            testDescription: "the last failure is unknown, and the first one was long ago",
            before: .init(failingSince: 1000 - idle), after: .init(failingSince: 1000, failedAt: 1000)),
        Case(
            testDescription: "the clock was ahead at the first failure",
            before: .init(failingSince: 5000, failedAt: 6000), after: .init(failingSince: 1000, failedAt: 1000)),
        Case(
            testDescription: "the clock was ahead at the last failure",
            before: .init(failingSince: 500, failedAt: 6000),
            after: .init(failingSince: 500, failedAt: 1000, disabled: .failing)),
        Case(
            testDescription: "extreme instants do not overflow",
            before: .init(failingSince: .min, failedAt: .min), after: .init(failingSince: 1000, failedAt: 1000)),
    ]

    @Test(arguments: cases + idleCases)
    func `The health of an endpoint after an attempt follows from its outcome and earlier failures`(_ testCase: Case) {
        let outcome = DeliveryOutcome(
            delivery: 1, endpoint: 1, result: testCase.result, isGone: testCase.isGone,
            isInternalFailure: testCase.isInternalFailure)
        #expect(testCase.before.after(outcome, disableAfter: 500, at: 1000) == testCase.after)
    }
}
