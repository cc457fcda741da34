/// A preset of random faults between the App Store and the developer's server. The seed determines when they occur.
@nonexhaustive
public enum RandomFaultLevel: String, Sendable, Hashable, Codable, CaseIterable {
    /// Some notifications arrive twice or out of order; some notifications and API responses are late.
    case low
    /// Also, some notifications are lost, the receiver is sometimes unreachable, some API requests fail, and the
    /// history changes between pages.
    case medium
    /// The same faults more often; API connections are also dropped.
    case high

    /// The faults of the preset.
    public var faults: [Fault] {
        notifications.map { Fault("notification:*", $0, probability: $1) }
            + answers.map { Fault("route:*", $0, probability: $1) }
    }

    private var notifications: [(Fault.Effect, Double)] {
        switch self {
        case .low: [(.duplicate, 0.05), (.reorder, 0.05), (.delay(seconds: 0.02), 0.05)]
        case .medium:
            [(.duplicate, 0.15), (.reorder, 0.15), (.delay(seconds: 0.05), 0.1), (.drop, 0.03), (.unreachable, 0.1)]
        case .high:
            [(.duplicate, 0.25), (.reorder, 0.3), (.delay(seconds: 0.1), 0.1), (.drop, 0.1), (.unreachable, 0.2)]
        }
    }

    private var answers: [(Fault.Effect, Double)] {
        switch self {
        case .low: [(.delay(seconds: 0.05), 0.05)]
        case .medium: [(.delay(seconds: 0.1), 0.1), (.changeHistory, 0.1), (.status(code: 500), 0.03)]
        case .high: [(.delay(seconds: 0.2), 0.1), (.changeHistory, 0.3), (.status(code: 500), 0.1), (.drop, 0.05)]
        }
    }
}
