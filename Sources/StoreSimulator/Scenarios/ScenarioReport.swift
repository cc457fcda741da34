/// The result of a scenario.
public struct ScenarioReport: Sendable, Hashable, Codable {
    /// The name of the scenario.
    public var name: String
    /// Whether all steps passed.
    public var passed: Bool
    /// All steps, in order.
    public var steps: [Step]

    /// The result of a step.
    public struct Step: Sendable, Hashable, Codable {
        /// The line in the file.
        public var line: Int?
        /// A short description of the step.
        public var title: String
        /// The outcome of the step.
        public var outcome: Outcome
        /// The notifications that the step caused, such as `DID_RENEW.BILLING_RECOVERY`.
        public var notifications: [String] = []
        /// The differences from the expectations, each with location, expected value and actual value.
        public var mismatches: [String] = []
    }

    /// The outcome of a step.
    @nonexhaustive
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// The step had the expected result.
        case passed
        /// The step had another result.
        case failed
        /// The step was not performed because an earlier one failed.
        case skipped
    }

    /// A line for each failed step and for each of its mismatches; empty if no step failed.
    public var explanation: String {
        steps.filter { $0.outcome == .failed }.flatMap { step in
            [(step.line.map { "line \($0): " } ?? "") + step.title] + step.mismatches.map { "  " + $0 }
        }.joined(separator: "\n")
    }
}
