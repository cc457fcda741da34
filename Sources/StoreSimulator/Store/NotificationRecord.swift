package import AppStoreModels
package import Foundation

/// A notification as it was when it was signed, and what became of it.
package struct NotificationRecord: Sendable {
    package let id: UUID
    /// The type; in version 1 by its own names.
    package let type: NotificationTypeV2
    package let subtype: NotificationSubtype?
    /// When it happened.
    package let date: Date
    /// When it was signed: then, or later where something else was signed at the same instant.
    package let signedDate: Date
    package private(set) var content: Content
    /// Whom it is about; nil for a summary, a test or an external purchase.
    package let customer: String?
    /// The token of a test notification.
    package let testToken: String?
    /// Other values for fields, by path, as `trigger --override` asks for.
    package var overrides: [String: JSONValue] = [:]
    package var attempts: [NotificationAttempt] = []
    /// The attempts of Apple's schedule, and those on top of it by which the notification arrived.
    package var sendAttempts: [NotificationAttempt] { attempts.filter { !$0.isManual || $0.result == .success } }
    /// Whether it reached the receiver.
    package var isDelivered = false
    /// When the next attempt is due; nil if none is planned. An entry of the schedule with another date is out of date.
    package var due: Date?
    /// Whether a fault has let others go first.
    package var wasPostponed = false
    /// What the payload says, settled when it was announced.
    package let appAppleID: Int64?
    /// The version of the app on sale then; nil for that of the start.
    @Boxed package private(set) var bundleVersion: String? = nil
    /// Made when it is first asked for, and the same from then on.
    package var seal: Seal?

    /// The `notificationUUID`, in lower case.
    package var uuid: String { id.uuidString.lowercased() }

    /// Shares what it says with the transaction that it is about.
    package mutating func share(with transactions: [String: StoredTransaction]) {
        guard case .purchase(var purchase) = content,
            let transaction = transactions[purchase.transaction.transactionId]
        else { return }
        purchase.share(transaction)
        content = .purchase(purchase)
    }

    /// Whether another attempt is planned.
    package var isPending: Bool { due != nil }

    /// Whether it is of version 1 or 2.
    package var version: NotificationVersion {
        if case .version1 = content { .one } else { .two }
    }

    /// `DID_RENEW.BILLING_RECOVERY`, or `V1.DID_RECOVER`.
    package var name: String {
        if case .version1(let content) = content { content.type.name } else { NotificationKind.name(type, subtype) }
    }

    /// Exactly one of the payload's four objects. What is rare takes no room in the others.
    package enum Content: Sendable, Codable {
        case purchase(Purchase)
        indirect case summary(NotificationSummary)
        indirect case externalPurchaseToken(ExternalPurchaseToken)
        indirect case appTransaction(AppTransaction)
        case test
        /// In version 1, which is not signed.
        indirect case version1(Version1)
    }

    /// What a notification of version 1 is about. The rest is what holds when it is sent.
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

    package struct Purchase: Sendable {
        /// As the store had it then, but for when it is signed: mostly the very value that the store still has.
        @Packed fileprivate(set) var payload: JWSTransactionDecodedPayload
        private(set) var renewal: Packed<JWSRenewalInfoDecodedPayload>?
        /// When both are signed.
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
            get {
                var payload = payload
                payload.signedDate = signedDate
                return payload
            }
            set { (payload, signedDate) = (newValue, newValue.signedDate) }
        }

        /// Shares the payload with a transaction that says the same but for when it was signed.
        package mutating func share(_ transaction: StoredTransaction) {
            if _payload.isSame(as: transaction.$payload) { return _payload = transaction.$payload }
            var other = transaction.payload
            other.signedDate = signedDate
            if other == self.transaction { _payload = transaction.$payload }
        }

        /// What its payloads are kept as differences from.
        package func add(to templates: inout TemplatesInUse) {
            templates.add(_payload)
            if let renewal { templates.add(renewal) }
        }

        package var renewalInfo: JWSRenewalInfoDecodedPayload? {
            var payload = renewal?.wrappedValue
            payload?.signedDate = signedDate
            return payload
        }
    }
}
