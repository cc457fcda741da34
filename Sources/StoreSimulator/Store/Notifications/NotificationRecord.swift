package import AppStoreModels
package import Foundation

/// A notification with the content it had when it was created, and the state of its delivery.
package struct NotificationRecord: Sendable {
    package let id: UUID
    /// The notification type; for version 1, the version 1 name.
    package let type: NotificationTypeV2
    package let subtype: NotificationSubtype?
    /// The date of the event.
    package let date: Date
    /// The signing date: the date of the event, or later if another change was signed at the same instant.
    package let signedDate: Date
    package private(set) var content: Content
    /// The customer that the notification is about; nil for a summary, a test or an external purchase.
    package let customer: String?
    /// The token of a test notification.
    package let testToken: String?
    /// Values that replace fields of the payload, by path, from `trigger --override`.
    package var overrides: [String: JSONValue] = [:]
    package var attempts: [NotificationAttempt] = []
    /// The attempts of Apple's retry schedule, and manual resends that succeeded.
    package var sendAttempts: [NotificationAttempt] { attempts.filter { !$0.isManual || $0.result == .success } }
    /// Whether the notification was delivered.
    package var isDelivered = false
    /// When the next attempt is due; nil if none is scheduled. A schedule entry with another date is obsolete.
    package var due: Date?
    /// Whether an injected fault has delayed this notification behind others.
    package var wasPostponed = false
    /// The `appAppleId` of the payload, set when the notification was created.
    package let appAppleID: Int64?
    /// The app version on sale at that time; nil for `app.version`.
    @Boxed package private(set) var bundleVersion: String? = nil
    /// The signatures, created at the first access and stored from then on.
    package var signatures: Signatures?

    /// The `notificationUUID`, in lower case.
    package var uuid: String { id.text }

    /// Shares the payload's storage with the transaction that the notification is about.
    package mutating func shareStorage(with transactions: [String: StoredTransaction]) {
        guard case .purchase(var purchase) = content,
            let transaction = transactions[purchase.transaction.transactionId]
        else { return }
        purchase.shareStorage(with: transaction)
        content = .purchase(purchase)
    }

    /// Whether another attempt is scheduled.
    package var isPending: Bool { due != nil }

    /// The version of the notification.
    package var version: NotificationVersion {
        if case .version1 = content { .one } else { .two }
    }

    /// The name of the notification, such as `DID_RENEW.BILLING_RECOVERY` or `V1.DID_RECOVER`.
    package var name: String {
        if case .version1(let content) = content { content.type.name } else { NotificationKind.name(type, subtype) }
    }

    /// Exactly one of the payload's four objects. Rare cases are indirect so that they do not enlarge the others.
    package enum Content: Sendable, Codable {
        case purchase(Purchase)
        indirect case summary(NotificationSummary)
        indirect case externalPurchaseToken(ExternalPurchaseToken)
        indirect case appTransaction(AppTransaction)
        case test
        /// A version 1 notification, which is not signed.
        indirect case version1(Version1)
    }

    /// The subject of a version 1 notification. Its other fields are taken from the store when it is sent.
    package struct Version1: Sendable, Codable {
        package var type: NotificationTypeV1
        package var transactionID: String
        package var originalTransactionID: String
        package var productID: String

        private enum CodingKeys: String, CodingKey {
            case type
            case transactionID = "transactionId"
            case originalTransactionID = "originalTransactionId"
            case productID = "productId"
        }
    }

    package struct Purchase: Sendable, Codable {
        /// The transaction's payload at that time, except for its signing date. Usually it shares storage with the
        /// stored transaction.
        @Packed private(set) var payload: JWSTransactionDecodedPayload
        private(set) var renewal: Packed<JWSRenewalInfoDecodedPayload>?
        /// The signing date of the transaction and the renewal info.
        package var signedDate: Date
        package var status: SubscriptionStatus?
        package var consumptionRequestReason: ConsumptionRequestReason?

        init(
            _ payload: Packed<JWSTransactionDecodedPayload>, _ renewal: Packed<JWSRenewalInfoDecodedPayload>?,
            signed: Date,
            _ status: SubscriptionStatus?, _ reason: ConsumptionRequestReason?
        ) {
            (_payload, self.renewal, signedDate) = (payload, renewal, signed)
            (self.status, consumptionRequestReason) = (status, reason)
        }

        package init(
            _ transaction: StoredTransaction, _ renewalInfo: JWSRenewalInfoDecodedPayload? = nil,
            status: SubscriptionStatus? = nil, reason: ConsumptionRequestReason? = nil
        ) {
            _payload = transaction.$payload
            renewal = renewalInfo.map { Packed(wrappedValue: $0) }
            signedDate = transaction.payload.signedDate
            (self.status, consumptionRequestReason) = (status, reason)
        }

        package var transaction: JWSTransactionDecodedPayload {
            var payload = payload
            payload.signedDate = signedDate
            return payload
        }

        /// Shares the payload's storage with a transaction whose payload is equal except for the signing date.
        package mutating func shareStorage(with transaction: StoredTransaction) {
            if _payload.isSame(as: transaction.$payload) { return _payload = transaction.$payload }
            var other = transaction.payload
            other.signedDate = signedDate
            if other == self.transaction { _payload = transaction.$payload }
        }

        package var renewalInfo: JWSRenewalInfoDecodedPayload? {
            var payload = renewal?.wrappedValue
            payload?.signedDate = signedDate
            return payload
        }
    }
}
