package import Foundation

/// The delivery of one event to one endpoint.
package struct WebhookDelivery: Sendable, Hashable, Identifiable {
    package enum State: Int64, Sendable, Hashable, CaseIterable {
        /// The delivery waits for its next attempt.
        case pending = 0
        /// The receiver accepted the delivery.
        case delivered = 1
        /// All attempts failed.
        case failed = 2
        /// There was nothing to send, or the backlog was discarded.
        case discarded = 3

        /// The name in API responses.
        package var name: String {
            switch self {
            case .pending: "pending"
            case .delivered: "delivered"
            case .failed: "failed"
            case .discarded: "discarded"
            }
        }
    }

    /// How long ended deliveries are stored, in milliseconds.
    package static let retention: Milliseconds = 30 * 86_400_000

    /// The ``lastError`` of deliveries that a user discarded with the backlog of their endpoint.
    package static let discardedBacklog = "discarded"

    package var id: Int64
    package var endpoint: Int64
    /// The row identifier of the event.
    package var event: Int64
    /// The index of the message, if the endpoint's format has several messages for the event.
    package var variant: Int
    package var state: State
    /// The number of attempts.
    package var attempts: Int
    /// The time of the next attempt; nil if the delivery has ended, or waits for an earlier one of the same customer.
    package var due: Milliseconds?
    package var lastStatus: Int?
    package var lastError: String?
    package var createdAt: Milliseconds
    package var endedAt: Milliseconds?
    /// The body of the last attempt, which is sent again.
    package var body: Data?
    /// The event's identifier.
    package var eventID: String
    package var eventType: EventType
    /// Whether the event is sent again because an older one was published after it.
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

    /// The message identifier for receivers (`webhook-id`): the same in all attempts, different for each delivery of
    /// the event to an endpoint.
    package var messageID: String {
        let name = variant == 0 ? eventID : "\(eventID)_\(variant + 1)"
        return isRepeat ? "\(name)_again_\(id)" : name
    }
}

/// The result of one attempt.
package struct DeliveryOutcome: Sendable {
    package enum Result: Sendable, Hashable {
        case delivered
        /// The delivery is sent again at this time. ``DeliveryOutcome/bodyToStore(isStored:event:)`` decides
        /// whether this body is stored for it.
        case retry(at: Milliseconds, body: Data?)
        case failed
        /// The delivery was not sent and never will be.
        case discarded
    }

    package var delivery: Int64
    package var endpoint: Int64
    package var result: Result
    package var status: Int?
    /// An error code, or a short sentence.
    package var error: String?
    /// Whether the endpoint answered 410 Gone.
    package var isGone = false
    /// Whether the failure happened before anything was sent, so that it says nothing about the endpoint.
    package var isInternalFailure = false
    /// Whether the delivery was only rescheduled, which does not count as an attempt.
    package var isPostponed = false
    /// The number of attempts before this one; nil if unknown.
    package var previousAttempts: Int?
    /// The attempt; nil if nothing was sent.
    package var attempt: DeliveryAttempt?
    /// The event that the body was built from; nil if an earlier attempt stored the body.
    package var event: LedgerEvent?

    package init(
        delivery: Int64, endpoint: Int64, result: Result, status: Int? = nil, error: String? = nil,
        isGone: Bool = false, isInternalFailure: Bool = false
    ) {
        self.delivery = delivery
        self.endpoint = endpoint
        self.result = result
        self.status = status
        self.error = error
        self.isGone = isGone
        self.isInternalFailure = isInternalFailure
    }

    /// The final state of the delivery; nil if it is sent again.
    package var endState: WebhookDelivery.State? {
        switch result {
        case .retry: nil
        case .delivered: .delivered
        case .failed: .failed
        case .discarded: .discarded
        }
    }

    /// Whether it counts as an attempt.
    package var isAttempt: Bool { !isPostponed && result != .discarded }

    /// Whether a pending delivery with a number of attempts has this failure already: a commit that is not confirmed is
    /// repeated.
    package func isRecorded(in attempts: Int) -> Bool {
        guard case .retry = result, isAttempt, let previousAttempts else { return false }
        return attempts > previousAttempts
    }

    /// Returns the body to store, so that the next attempts send the same bytes; nil to leave the stored body. A stored
    /// body is never replaced. A body is not stored if its event has changed since: the body may contain the name of a
    /// customer who was erased meanwhile.
    ///
    /// - Parameters:
    ///   - isStored: Whether the delivery has a stored body.
    ///   - current: The event as it is now.
    package func bodyToStore(isStored: Bool, event current: LedgerEvent?) -> Data? {
        guard case .retry(_, let body) = result, !isStored, let event, event == current else { return nil }
        return body
    }
}
