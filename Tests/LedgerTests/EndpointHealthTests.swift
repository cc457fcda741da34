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
        Case(testDescription: "the first failure is noted", after: .init(failingSince: 1000)),
        Case(
            testDescription: "the last attempt of a delivery counts too", result: .failed,
            after: .init(failingSince: 1000)),
        Case(
            testDescription: "it has some patience left", before: .init(failingSince: 501),
            after: .init(failingSince: 501)),
        Case(
            testDescription: "it has none left", before: .init(failingSince: 500),
            after: .init(failingSince: 500, disabled: .failing)),
        Case(
            testDescription: "something arrives after a long time", before: .init(failingSince: 1), result: .delivered,
            after: .init()),
        Case(
            testDescription: "it says that it is gone", isGone: true, after: .init(failingSince: 1000, disabled: .gone)),
        Case(
            testDescription: "what never came to sending is not its fault", before: .init(failingSince: 1),
            isOurFault: true, after: .init(failingSince: 1)),
        Case(
            testDescription: "what was not to be sent says nothing", before: .init(failingSince: 1), result: .discarded,
            after: .init(failingSince: 1)),
        Case(
            testDescription: "somebody switched it off meanwhile",
            before: .init(failingSince: 1, disabled: .requested), isGone: true,
            after: .init(failingSince: 1, disabled: .requested)),
        Case(
            testDescription: "something under way arrives after it was switched off",
            before: .init(failingSince: 1, disabled: .failing), result: .delivered, after: .init(disabled: .failing)),
    ]

    @Test(arguments: cases) func `follows from what came of an attempt`(_ it: Case) {
        let outcome = DeliveryOutcome(
            delivery: 1, endpoint: 1, result: it.result, isGone: it.isGone, isOurFault: it.isOurFault)
        #expect(it.before.after(outcome, patience: 500, at: 1000) == it.after)
    }
}
