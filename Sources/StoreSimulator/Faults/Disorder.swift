/// How much of what goes wrong between two servers goes wrong by itself, all by the seed.
@nonexhaustive
public enum Disorder: String, Sendable, Hashable, Codable, CaseIterable {
    /// Notifications come twice or out of order now and then, and an answer is late.
    case low
    /// Some are lost, some are refused by a receiver that is not there, and pages change while they are read.
    case medium
    /// A third of all that is sent arrives wrong, and requests fail.
    case high

    /// The faults that it is made of.
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
        case .medium: [(.delay(seconds: 0.1), 0.1), (.revise, 0.1), (.status(code: 500), 0.03)]
        case .high: [(.delay(seconds: 0.2), 0.1), (.revise, 0.3), (.status(code: 500), 0.1), (.drop, 0.05)]
        }
    }
}
