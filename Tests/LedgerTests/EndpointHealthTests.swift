import Ledger
import Testing

@Suite struct `When an endpoint is switched off` {
    /// An attempt at 1000, with a patience of 500.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var before = EndpointHealth()
        var result = DeliveryOutcome.Result.again(at: 2000, body: nil)
        var isGone = false
        var isOurFault = false
        var after: EndpointHealth
    }

    static let cases = [
        Case(testDescription: "the first failure is noted", after: .init(failingSince: 1000, failedAt: 1000)),
        Case(
            testDescription: "the last attempt of a delivery counts too", result: .failed,
            after: .init(failingSince: 1000, failedAt: 1000)),
        Case(
            testDescription: "it has some patience left", before: .init(failingSince: 501, failedAt: 900),
            after: .init(failingSince: 501, failedAt: 1000)),
        Case(
            testDescription: "it has none left", before: .init(failingSince: 500, failedAt: 900),
            after: .init(failingSince: 500, failedAt: 1000, disabled: .failing)),
        Case(
            testDescription: "when it failed last was not written down yet", before: .init(failingSince: 500),
            after: .init(failingSince: 500, failedAt: 1000, disabled: .failing)),
        Case(
            testDescription: "something arrives after a long time", before: .init(failingSince: 1, failedAt: 2),
            result: .delivered, after: .init()),
        Case(
            testDescription: "it says that it is gone", isGone: true,
            after: .init(failingSince: 1000, failedAt: 1000, disabled: .gone)),
        Case(
            testDescription: "what never came to sending is not its fault", before: .init(failingSince: 1),
            isOurFault: true, after: .init(failingSince: 1)),
        Case(
            testDescription: "what was not to be sent says nothing", before: .init(failingSince: 1), result: .discarded,
            after: .init(failingSince: 1)),
        Case(
            testDescription: "somebody switched it off meanwhile",
            before: .init(failingSince: 1, disabled: .requested), isGone: true,
            after: .init(failingSince: 1, failedAt: 1000, disabled: .requested)),
        Case(
            testDescription: "something under way arrives after it was switched off",
            before: .init(failingSince: 1, disabled: .failing), result: .delivered, after: .init(disabled: .failing)),
    ]

    /// Longer than any attempt waits.
    private static let idle = RetrySchedule.longestPause + 1

    static let idleCases = [
        Case(
            testDescription: "one failure long after another is none of days",
            before: .init(failingSince: 1000 - idle, failedAt: 1000 - idle),
            after: .init(failingSince: 1000, failedAt: 1000)),
        Case(
            testDescription: "what was tried before and after counts together, and is not enough",
            before: .init(failingSince: 501 - idle, failedAt: 1000 - idle),
            after: .init(failingSince: 501, failedAt: 1000)),
        Case(
            testDescription: "what was tried before and after counts together, and is enough",
            before: .init(failingSince: 500 - idle, failedAt: 1000 - idle),
            after: .init(failingSince: 500, failedAt: 1000, disabled: .failing)),
        Case(
            testDescription: "the longest pause between two attempts counts",
            before: .init(failingSince: 1001 - idle, failedAt: 1001 - idle),
            after: .init(failingSince: 1001 - idle, failedAt: 1000, disabled: .failing)),
        // In a ledger from before that was written down an endpoint begins anew at its first failure after the update.
        Case(
            testDescription: "when it failed last was not written down yet, and it began long ago",
            before: .init(failingSince: 1000 - idle), after: .init(failingSince: 1000, failedAt: 1000)),
        Case(
            testDescription: "a clock that was ahead when it began says nothing",
            before: .init(failingSince: 5000, failedAt: 6000), after: .init(failingSince: 1000, failedAt: 1000)),
        Case(
            testDescription: "a clock that was ahead at the last failure changes nothing",
            before: .init(failingSince: 500, failedAt: 6000),
            after: .init(failingSince: 500, failedAt: 1000, disabled: .failing)),
        Case(
            testDescription: "instants that make no sense are no reason to end",
            before: .init(failingSince: .min, failedAt: .min), after: .init(failingSince: 1000, failedAt: 1000)),
    ]

    @Test(arguments: cases + idleCases) func `follows from what came of an attempt`(_ it: Case) {
        let outcome = DeliveryOutcome(
            delivery: 1, endpoint: 1, result: it.result, isGone: it.isGone, isOurFault: it.isOurFault)
        #expect(it.before.after(outcome, patience: 500, at: 1000) == it.after)
    }
}
