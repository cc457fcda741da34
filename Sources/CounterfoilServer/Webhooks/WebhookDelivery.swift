package import Foundation

/// One event on its way to one endpoint.
package struct WebhookDelivery: Sendable, Hashable {
    package enum State: Int64, Sendable, Hashable, CaseIterable {
        /// It is to be sent.
        case pending = 0
        /// It arrived.
        case delivered = 1
        /// It did not, and is not tried again.
        case failed = 2
        /// There was nothing to send, or somebody no longer wanted it sent.
        case discarded = 3

        /// The name in answers.
        package var name: String {
            switch self {
            case .pending: "pending"
            case .delivered: "delivered"
            case .failed: "failed"
            case .discarded: "discarded"
            }
        }
    }

    package var id: Int64
    package var endpoint: Int64
    /// The number of the event.
    package var event: Int64
    /// Which of the words it is that the endpoint's vocabulary has for the event.
    package var variant: Int
    package var state: State
    /// How often it was sent.
    package var attempts: Int
    /// When it is to be sent next; nil when it has ended, or waits for an earlier one of the same customer.
    package var due: Milliseconds?
    package var lastStatus: Int?
    package var lastError: String?
    package var createdAt: Milliseconds
    package var endedAt: Milliseconds?
    /// What was sent the last time, and is sent again.
    package var body: Data?
    /// The event's identifier and type.
    package var eventID: String
    package var eventType: EventType
    /// Whether the event is said again, since something older was told after it.
    package var isRepeat = false

    /// What receivers know it by: the same in all attempts, another one for everything else that is sent of the event.
    package var messageID: String {
        let name = variant == 0 ? eventID : "\(eventID)_\(variant + 1)"
        return isRepeat ? "\(name)_again_\(id)" : name
    }
}

/// What came of one attempt.
package struct DeliveryOutcome: Sendable {
    package enum Result: Sendable, Hashable {
        case delivered
        /// It is sent again then, with this body.
        case again(at: Milliseconds, body: Data?)
        case failed
        /// It was not sent and never will be.
        case discarded
    }

    package var delivery: Int64
    package var endpoint: Int64
    package var result: Result
    package var status: Int?
    /// A word, or a short sentence.
    package var error: String?
    /// Whether the endpoint is to be left alone from now on.
    package var isGone = false
    /// Whether it never came to sending, so that it says nothing about the endpoint.
    package var isOurFault = false
}

/// When what did not arrive is sent again.
enum RetrySchedule {
    /// The pauses after each attempt, in seconds; after the last one it has failed. All together four days.
    static let pauses: [Double] = [
        5, 30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 24 * 3600, 24 * 3600,
    ]

    /// The longest that a receiver may ask us to wait, in seconds.
    static let longestWish: Double = 24 * 3600

    /// How long an endpoint may fail before nothing more is sent there.
    static let patience: Milliseconds = 5 * 86_400_000

    /// The pause after so many attempts, in seconds; nil when they were enough. A fifth more or less, so that what failed
    /// together does not come again together.
    ///
    /// - Parameter wish: What the receiver asked for (`Retry-After`), in seconds.
    static func pause(
        after attempts: Int, wish: Double?, using generator: inout some RandomNumberGenerator
    ) -> Double? {
        guard pauses.indices.contains(attempts - 1) else { return nil }
        let pause = pauses[attempts - 1] * Double.random(in: 0.8...1.2, using: &generator)
        return max(pause, min(wish ?? 0, longestWish))
    }
}
