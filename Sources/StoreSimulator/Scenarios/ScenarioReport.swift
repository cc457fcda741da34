/// What came of a scenario.
public struct ScenarioReport: Sendable, Hashable, Codable {
    /// The scenario's name.
    public var name: String
    /// Whether everything was as expected.
    public var passed: Bool
    /// Every step, in order.
    public var steps: [Step]

    /// What came of a step.
    public struct Step: Sendable, Hashable, Codable {
        /// The line of the file.
        public var line: Int?
        /// The step in short.
        public var title: String
        /// How it ended.
        public var outcome: Outcome
        /// The notifications it caused, such as `DID_RENEW.BILLING_RECOVERY`.
        public var notifications: [String] = []
        /// What was not as expected: where, what was expected, what there was instead.
        public var mismatches: [String] = []
    }

    /// How a step can end.
    @nonexhaustive
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// As it should.
        case passed
        /// Otherwise.
        case failed
        /// Not at all: an earlier one failed.
        case skipped
    }

    /// A line for each step that failed, and for each thing that was not as expected; empty if there is none.
    public var explanation: String {
        steps.filter { $0.outcome == .failed }.flatMap { step in
            [(step.line.map { "line \($0): " } ?? "") + step.title] + step.mismatches.map { "  " + $0 }
        }.joined(separator: "\n")
    }
}
