package import Foundation

/// One attempt to send a delivery, and what the receiver said.
package struct DeliveryAttempt: Sendable, Hashable {
    /// The most bytes of an answer that are kept.
    package static let maximumAnswer = 512

    /// When it began.
    package var at: Milliseconds
    /// How long it took.
    package var milliseconds: Int64
    /// The status of the answer; nil without one.
    package var status: Int?
    /// Why it did not succeed: a word.
    package var error: String?
    /// The first bytes of the answer's body.
    package var answer: Data
    /// The header `webhook-timestamp`, in seconds; nil where nothing was sent, and where it was not kept yet.
    package var timestamp: Int64?

    package init(
        at: Milliseconds, milliseconds: Int64, status: Int? = nil, error: String? = nil, answer: Data = Data(),
        timestamp: Int64? = nil
    ) {
        (self.at, self.milliseconds, self.status, self.error) = (at, milliseconds, status, error)
        self.answer = answer.prefix(Self.maximumAnswer)
        self.timestamp = timestamp
    }
}

/// A delivery with what came of each attempt.
package struct AttemptedDelivery: Sendable, Equatable {
    package var delivery: WebhookDelivery
    /// The first first.
    package var attempts: [DeliveryAttempt]

    package init(_ delivery: WebhookDelivery, attempts: [DeliveryAttempt] = []) {
        (self.delivery, self.attempts) = (delivery, attempts)
    }
}

/// Keeps the attempts of deliveries, as long as the delivery itself.
package protocol AttemptStorage: Sendable {
    /// A delivery to an endpoint.
    func delivery(_ id: Int64, of endpoint: Int64) async throws -> WebhookDelivery?

    /// What became of the event with an identifier: the last delivery first, at most `limit` of them, each with its first
    /// `attempts` attempts. Nil where no event has the identifier.
    func deliveries(ofEvent id: String, limit: Int, attempts: Int) async throws -> [AttemptedDelivery]?

    /// The attempts of a delivery, the first first, at most `limit` of them.
    func attempts(of delivery: Int64, limit: Int) async throws -> [DeliveryAttempt]
}
