package import AppStoreModels
package import Foundation

/// A notification as it was when it was signed, and what became of it.
package struct NotificationRecord: Sendable, Codable {
    package let uuid: String
    package let type: NotificationTypeV2
    package let subtype: NotificationSubtype?
    /// When it happened.
    package let date: Date
    /// When it was signed: then, or later where something else was signed at the same instant.
    package let signedDate: Date
    package let content: Content
    /// Whom it is about; nil for a summary, a test or an external purchase.
    package let customer: String?
    /// The token of a test notification.
    package let testToken: String?
    /// Other values for fields, by path, as `trigger --override` asks for.
    package var overrides: [String: JSONValue] = [:]
    package var attempts: [SendAttemptItem] = []
    /// Whether it reached the receiver.
    package var isDelivered = false
    /// When the next attempt is due; nil if none is planned. An entry of the schedule with another date is out of date.
    package var due: Date?
    /// Whether a fault has let others go first.
    package var wasPostponed = false
    /// What the payload says, settled when it was announced.
    package let appAppleId: Int64?
    /// Made when it is first asked for, and the same from then on.
    package var seal: Seal?

    /// Whether another attempt is planned.
    package var isPending: Bool { due != nil }

    /// Exactly one of the payload's four objects.
    package enum Content: Sendable, Codable {
        case purchase(Purchase)
        case summary(NotificationSummary)
        case externalPurchaseToken(ExternalPurchaseToken)
        case appTransaction(AppTransaction)
        case test
    }

    package struct Purchase: Sendable, Codable {
        package var transaction: JWSTransactionDecodedPayload
        package var renewalInfo: JWSRenewalInfoDecodedPayload?
        package var status: SubscriptionStatus?
        package var consumptionRequestReason: ConsumptionRequestReason?
    }

    /// The signatures: with the payload's bytes, which can be made again, they give the exact text again.
    package struct Seal: Sendable, Codable {
        /// Which leaf signed: its number, and its certificate's serial number, as every authority counts from 1.
        package var generation: Int
        package var leaf: Data
        package var notification: Data
        package var transaction: Data?
        package var renewalInfo: Data?
    }
}
