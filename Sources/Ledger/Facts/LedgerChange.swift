package import AppStoreModels
package import AppStoreServer
package import AppStoreTrust
package import Entitlements
package import Foundation

/// How the ledger received a fact.
package enum Origin: Int64, Sendable, Hashable, CaseIterable {
    /// The App Store sent it as a notification.
    case delivered = 0
    /// From the notification history of the App Store Server API.
    case recovered = 1
    /// From any other response of the App Store Server API.
    case asked = 2
    /// The app sent it.
    case app = 3
    /// From an import.
    case imported = 4

    /// The name in responses and exports.
    package var name: String {
        switch self {
        case .delivered: "delivered"
        case .recovered: "recovered"
        case .asked: "asked"
        case .app: "app"
        case .imported: "imported"
        }
    }
}

/// A received notification whose outer signature is verified.
package struct ReceivedNotification: Sendable {
    package var scope: Int64
    package var uuid: String
    package var type: String
    package var subtype: String?
    package var signedDate: Milliseconds
    package var receivedAt: Milliseconds
    package var origin: Origin
    package var text: String

    package init(
        scope: Int64, uuid: String, type: String, subtype: String? = nil, signedDate: Milliseconds,
        receivedAt: Milliseconds, origin: Origin, text: String
    ) {
        self.scope = scope
        self.uuid = uuid
        self.type = type
        self.subtype = subtype
        self.signedDate = signedDate
        self.receivedAt = receivedAt
        self.origin = origin
        self.text = text
    }

    package init(_ genuine: GenuineNotification, in appEnvironment: AppEnvironment, at now: Date, origin: Origin) {
        let envelope = genuine.envelope
        self.init(
            scope: appEnvironment.id, uuid: envelope.uuid, type: envelope.type.rawValue,
            subtype: envelope.subtype?.rawValue, signedDate: envelope.signedDate.milliseconds,
            receivedAt: now.milliseconds, origin: origin, text: genuine.text)
    }
}

/// The result of storing a received notification.
package enum InsertionResult: Sendable, Hashable {
    /// It was stored under this ``InboxText/code`` and waits to be processed.
    case stored(Int64)
    /// It was already stored. The number is the row identifier of the notification with the UUID.
    case duplicate(Int64)
}

/// A notification with its verified signed parts, ready to be processed into the ledger.
package struct ProcessedNotification: Sendable {
    /// The ``InboxText/code`` of the text.
    package var id: Int64
    package var scope: Int64
    package var uuid: String
    package var type: NotificationTypeV2
    package var subtype: NotificationSubtype?
    package var signedDate: Milliseconds
    package var transaction: TransactionFact?
    package var renewal: RenewalFact?
    /// The app transaction identifier, if the notification contains an app transaction.
    package var appTransactionID: String?
    /// When the server processed it; events use it as their creation time.
    package var processedAt: Milliseconds

    package init(
        id: Int64, scope: Int64, uuid: String, type: NotificationTypeV2, subtype: NotificationSubtype? = nil,
        signedDate: Milliseconds, transaction: TransactionFact? = nil, renewal: RenewalFact? = nil,
        appTransactionID: String? = nil, processedAt: Milliseconds
    ) {
        self.id = id
        self.scope = scope
        self.uuid = uuid
        self.type = type
        self.subtype = subtype
        self.signedDate = signedDate
        self.transaction = transaction
        self.renewal = renewal
        self.appTransactionID = appTransactionID
        self.processedAt = processedAt
    }

    /// The subscription or purchase that it is about.
    package var originalTransactionID: String? {
        transaction?.originalTransactionID ?? renewal?.originalTransactionID
    }

    /// The app transaction identifier of the Apple account, if the notification is about an account instead of a
    /// purchase.
    package var account: String? { originalTransactionID == nil ? appTransactionID : nil }
}

/// A fact that was received without a notification, from a response of the App Store, from the app or from a file: a
/// signed transaction or renewal info, or a purchase in a validated receipt.
package struct SignedFact: Sendable {
    package enum Fact: Sendable {
        case transaction(TransactionFact)
        case renewal(RenewalFact)

        package var originalTransactionID: String {
            switch self {
            case .transaction(let fact): fact.originalTransactionID
            case .renewal(let fact): fact.originalTransactionID
            }
        }

        /// When the App Store signed the fact.
        package var signedDate: Date {
            switch self {
            case .transaction(let fact): fact.signedDate
            case .renewal(let fact): fact.signedDate
            }
        }
    }

    package var scope: Int64
    package var fact: Fact
    package var origin: Origin
    package var receivedAt: Milliseconds
    /// The signed text. For a purchase in a receipt, which is not stored itself, the JSON of a ``ReceiptFact``.
    package var text: String
    /// Whether the fact is from a receipt. Signed data of the App Store about the same transaction replace such a fact.
    private var isOfReceipt = false

    /// The kind of text.
    package enum Kind: Int64, Sendable, Hashable {
        case renewal = 0
        case transaction = 1
        /// One purchase in a receipt.
        case receipt = 2
    }

    package var kind: Kind {
        switch fact {
        case .transaction: isOfReceipt ? .receipt : .transaction
        case .renewal: .renewal
        }
    }

    package init(scope: Int64, fact: Fact, origin: Origin, receivedAt: Milliseconds, text: String) {
        self.scope = scope
        self.fact = fact
        self.origin = origin
        self.receivedAt = receivedAt
        self.text = text
    }

    package init(
        _ verified: Verified<JWSTransactionDecodedPayload>, in appEnvironment: AppEnvironment, at now: Date,
        origin: Origin
    ) {
        self.init(
            scope: appEnvironment.id, fact: .transaction(TransactionFact(verified.payload)), origin: origin,
            receivedAt: now.milliseconds, text: verified.text)
    }

    package init(
        _ verified: Verified<JWSRenewalInfoDecodedPayload>, in appEnvironment: AppEnvironment, at now: Date,
        origin: Origin
    ) {
        self.init(
            scope: appEnvironment.id, fact: .renewal(RenewalFact(verified.payload)), origin: origin,
            receivedAt: now.milliseconds, text: verified.text)
    }

    /// Creates a signed fact from one purchase in a receipt.
    package init(receipt fact: TransactionFact, in appEnvironment: AppEnvironment, at now: Date, origin: Origin) throws
    {
        let receiptFact = ReceiptFact(fact)
        // With the precision that the stored text has.
        self.init(
            scope: appEnvironment.id, fact: .transaction(receiptFact.fact), origin: origin,
            receivedAt: now.milliseconds, text: try receiptFact.text)
        isOfReceipt = true
    }
}
