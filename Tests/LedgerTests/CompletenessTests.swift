import AppStoreModels
import Ledger
import Testing

@Suite struct `Completeness reports` {
    /// Everything is complete, except for what a case changes.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var age: Milliseconds? = 60_000
        var missing = MissingCounts()
        var status = Completeness.RecoveryStatus(hasKey: true, isEnabled: true, interval: .seconds(900))
        var state: Completeness.State
        var word = ""
    }

    private static func status(
        hasKey: Bool = true, isEnabled: Bool = true, trouble: String? = nil, isCatchingUp: Bool = false
    ) -> Completeness.RecoveryStatus {
        .init(
            hasKey: hasKey, isEnabled: isEnabled, interval: .seconds(900), trouble: trouble, isCatchingUp: isCatchingUp)
    }

    private static func missing(
        unverified: Int = 0, spans: Int = 0, failed: Int = 0, backlog: Int = 0, isFillingGap: Bool = false
    ) -> MissingCounts {
        var missing = MissingCounts()
        (missing.unverified, missing.unverifiedSpans) = (unverified, spans)
        (missing.failedNotifications, missing.backlog) = (failed, backlog)
        missing.isFillingGap = isFillingGap
        return missing
    }

    static let cases = [
        Case(testDescription: "everything was read", state: .complete),
        Case(
            testDescription: "unprocessed notifications are not missing", missing: missing(backlog: 5), state: .complete
        ),
        Case(
            testDescription: "no API key", status: status(hasKey: false), state: .unknown,
            word: "key"),
        Case(
            testDescription: "no API key, and other problems", missing: missing(failed: 1),
            status: status(hasKey: false, trouble: "no answer"), state: .unknown, word: "key"),
        Case(
            testDescription: "the last recovery failed", status: status(trouble: "no answer"),
            state: .behind, word: "no answer"),
        Case(
            testDescription: "the first recovery is running", age: nil, state: .catchingUp, word: "first time"),
        Case(
            testDescription: "the first recovery was requested", age: nil,
            status: status(isEnabled: false, isCatchingUp: true), state: .catchingUp, word: "first time"),
        Case(
            testDescription: "recovery is disabled and never ran", age: nil, status: status(isEnabled: false),
            state: .unknown, word: "disabled"),
        Case(
            testDescription: "recovery after a long outage is running", missing: missing(unverified: 1),
            status: status(isCatchingUp: true), state: .catchingUp, word: "outage"),
        Case(
            testDescription: "unverified items", missing: missing(unverified: 3), state: .behind,
            word: "3 items"),
        Case(
            testDescription: "an unverified span without items", missing: missing(spans: 1), state: .behind,
            word: "failed verification; unverified_spans lists"),
        Case(
            testDescription: "failed notifications", missing: missing(failed: 2), state: .behind,
            word: "state=failed"),
        Case(
            testDescription: "a gap is being filled from histories", missing: missing(isFillingGap: true),
            state: .catchingUp, word: "every known purchase is being requested"),
        Case(
            testDescription: "a gap can be filled, but recovery is disabled", missing: missing(isFillingGap: true),
            status: status(isEnabled: false), state: .behind, word: "Enable recovery"),
        Case(
            testDescription: "failed notifications while a gap is being filled",
            missing: missing(failed: 2, isFillingGap: true), state: .behind, word: "notifications/reprocess"),
        Case(testDescription: "three missed recoveries are tolerated", age: 3 * 900_000 + 600_000, state: .complete),
        Case(
            testDescription: "more missed recoveries are not", age: 3 * 900_000 + 600_001, state: .behind,
            word: "55 minutes"),
        Case(
            testDescription: "days without recovery are not", age: 4 * 86_400_000, state: .behind,
            word: "Notifications of the last 4 days may be missing."),
        Case(
            testDescription: "the named time is not shorter than the missing one", age: 74 * 86_400_000, state: .behind,
            word: "Notifications of the last 3 months may be missing."),
    ]

    @Test(arguments: cases)
    func `The state of completeness and its reason follow from recovery status, age and missing items`(_ testCase: Case)
    {
        let completeness = Completeness(
            appEnvironment: AppEnvironment(id: 1, bundleID: "com.example.shop", environment: .production),
            age: testCase.age, missing: testCase.missing, missingItems: MissingItems(), status: testCase.status)
        #expect(completeness.state == testCase.state)
        #expect(
            testCase.state == .complete
                ? completeness.reason == nil : completeness.reason?.contains(testCase.word) == true)
    }
}
