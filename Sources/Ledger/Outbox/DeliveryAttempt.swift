package import Foundation

/// One attempt to send a delivery, with the receiver's response.
package struct DeliveryAttempt: Sendable, Hashable {
    /// The maximum number of stored bytes of a response.
    package static let maximumResponseBytes = 512

    /// When the attempt began.
    package var at: Milliseconds
    /// The duration.
    package var milliseconds: Int64
    /// The status of the response; nil without a response.
    package var status: Int?
    /// The error code; nil if the attempt succeeded.
    package var error: String?
    /// The first bytes of the response body.
    package var response: Data
    /// The header `webhook-timestamp`, in seconds; nil if nothing was sent, or if an older version stored the attempt.
    package var timestamp: Int64?

    package init(
        at: Milliseconds, milliseconds: Int64, status: Int? = nil, error: String? = nil, response: Data = Data(),
        timestamp: Int64? = nil
    ) {
        (self.at, self.milliseconds, self.status, self.error) = (at, milliseconds, status, error)
        self.response = response.prefix(Self.maximumResponseBytes)
        self.timestamp = timestamp
    }
}

/// A delivery with its attempts.
package struct AttemptedDelivery: Sendable, Equatable {
    package var delivery: WebhookDelivery
    /// The attempts, the oldest first.
    package var attempts: [DeliveryAttempt]

    package init(_ delivery: WebhookDelivery, attempts: [DeliveryAttempt] = []) {
        (self.delivery, self.attempts) = (delivery, attempts)
    }
}

/// Reads the attempts of deliveries. Attempts are stored as long as their delivery.
package protocol AttemptStorage: Sendable {
    /// Returns the deliveries of an event, the newest first, at most `limit`, each with its first `attempts` attempts.
    /// Nil if no event has the identifier.
    func deliveries(ofEvent id: String, limit: Int, attempts: Int) async throws -> [AttemptedDelivery]?

    /// Returns the attempts of a delivery in the order in which they were recorded, whatever the clock showed, at most
    /// `limit`.
    func attempts(of delivery: Int64, limit: Int) async throws -> [DeliveryAttempt]
}
