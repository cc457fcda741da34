import AppStoreModels
import Ledger
import Testing

@Suite struct `What is said about completeness` {
    /// All is well, but for what a case says.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var age: Milliseconds? = 60_000
        var missing = MissingCounts()
        var situation = Completeness.Situation(canAsk: true, isEnabled: true, interval: .seconds(900))
        var state: Completeness.State
        var word = ""
    }

    private static func situation(
        canAsk: Bool = true, isEnabled: Bool = true, trouble: String? = nil, isCatchingUp: Bool = false
    ) -> Completeness.Situation {
        .init(
            canAsk: canAsk, isEnabled: isEnabled, interval: .seconds(900), trouble: trouble, isCatchingUp: isCatchingUp)
    }

    private static func missing(
        unverified: Int = 0, spans: Int = 0, failed: Int = 0, backlog: Int = 0
    ) -> MissingCounts {
        var missing = MissingCounts()
        (missing.unverified, missing.unverifiedSpans) = (unverified, spans)
        (missing.failedNotifications, missing.backlog) = (failed, backlog)
        return missing
    }

    static let cases = [
        Case(testDescription: "all is well", state: .complete),
        Case(testDescription: "what waits to be folded is here", missing: missing(backlog: 5), state: .complete),
        Case(
            testDescription: "without a key nobody can know", situation: situation(canAsk: false), state: .unknown,
            word: "key"),
        Case(
            testDescription: "without a key, whatever else is wrong", missing: missing(failed: 1),
            situation: situation(canAsk: false, trouble: "no answer"), state: .unknown, word: "key"),
        Case(
            testDescription: "trouble is told in its own words", situation: situation(trouble: "no answer"),
            state: .behind, word: "no answer"),
        Case(
            testDescription: "the first reading is under way", age: nil, state: .catchingUp, word: "first time"),
        Case(
            testDescription: "somebody asked for the first reading", age: nil,
            situation: situation(isEnabled: false, isCatchingUp: true), state: .catchingUp, word: "first time"),
        Case(
            testDescription: "nothing was ever read", age: nil, situation: situation(isEnabled: false),
            state: .unknown, word: "disabled"),
        Case(
            testDescription: "a long outage is being read", missing: missing(unverified: 1),
            situation: situation(isCatchingUp: true), state: .catchingUp, word: "outage"),
        Case(
            testDescription: "something cannot be believed", missing: missing(unverified: 3), state: .behind,
            word: "3 items"),
        Case(
            testDescription: "a time is in doubt", missing: missing(spans: 1), state: .behind,
            word: "failed verification"),
        Case(
            testDescription: "the inside of one cannot be believed", missing: missing(failed: 2), state: .behind,
            word: "state=failed"),
        Case(testDescription: "three passes may fail", age: 3 * 900_000 + 600_000, state: .complete),
        Case(
            testDescription: "more is behind", age: 3 * 900_000 + 600_001, state: .behind, word: "55 minutes"),
    ]

    @Test(arguments: cases) func `follows from what is known`(_ it: Case) {
        var completeness = Completeness(
            scope: Scope(id: 1, bundleID: "com.example.shop", environment: .production), state: .unknown, age: it.age,
            missing: it.missing, names: MissingNames())
        completeness.judge(it.situation)
        #expect(completeness.state == it.state)
        #expect(it.state == .complete ? completeness.reason == nil : completeness.reason?.contains(it.word) == true)
    }
}
