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

    /// How long what has ended is kept, in milliseconds.
    package static let keeping: Milliseconds = 30 * 86_400_000

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

    package init(
        id: Int64, endpoint: Int64, event: Int64, variant: Int, state: State, attempts: Int, due: Milliseconds? = nil,
        lastStatus: Int? = nil, lastError: String? = nil, createdAt: Milliseconds, endedAt: Milliseconds? = nil,
        body: Data? = nil, eventID: String, eventType: EventType, isRepeat: Bool = false
    ) {
        self.id = id
        self.endpoint = endpoint
        self.event = event
        self.variant = variant
        self.state = state
        self.attempts = attempts
        self.due = due
        self.lastStatus = lastStatus
        self.lastError = lastError
        self.createdAt = createdAt
        self.endedAt = endedAt
        self.body = body
        self.eventID = eventID
        self.eventType = eventType
        self.isRepeat = isRepeat
    }

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
    /// Whether it was only put off, which is no attempt.
    package var isPostponed = false
    /// The attempt itself; nil where nothing was sent.
    package var attempt: DeliveryAttempt?

    package init(
        delivery: Int64, endpoint: Int64, result: Result, status: Int? = nil, error: String? = nil,
        isGone: Bool = false, isOurFault: Bool = false
    ) {
        self.delivery = delivery
        self.endpoint = endpoint
        self.result = result
        self.status = status
        self.error = error
        self.isGone = isGone
        self.isOurFault = isOurFault
    }
}
