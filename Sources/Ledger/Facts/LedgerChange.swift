package import AppStoreModels
package import AppStoreTrust
package import Entitlements
package import Foundation

/// How a fact came here.
package enum Origin: Int64, Sendable, Hashable, CaseIterable {
    /// The App Store sent it.
    case delivered = 0
    /// From the notification history of the App Store Server API.
    case recovered = 1
    /// From any other answer of the App Store Server API.
    case asked = 2
    /// The app handed it over.
    case app = 3
    /// From a file.
    case imported = 4

    /// The name in answers and exports.
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

/// A notification to be kept, its outer signature verified.
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

    package init(
        _ verified: Verified<ResponseBodyV2DecodedPayload>, scope: Scope, at now: Date, origin: Origin
    ) {
        self.scope = scope.id
        uuid = verified.payload.notificationUUID
        type = verified.payload.notificationType.rawValue
        subtype = verified.payload.subtype?.rawValue
        signedDate = verified.payload.signedDate.milliseconds
        receivedAt = now.milliseconds
        self.origin = origin
        text = verified.text
    }
}

/// What became of a notification that was to be kept.
package enum Reception: Sendable, Hashable {
    /// It is on disk under this number and waits to be folded.
    case kept(Int64)
    /// It was there already.
    case duplicate(Int64)

    /// The number under which it is kept.
    package var id: Int64 {
        switch self {
        case .kept(let id), .duplicate(let id): id
        }
    }
}

/// What a notification says, its inner signatures verified, ready to go into the ledger.
package struct FoldedNotification: Sendable {
    package var id: Int64
    package var scope: Int64
    package var uuid: String
    package var type: NotificationTypeV2
    package var subtype: NotificationSubtype?
    package var signedDate: Milliseconds
    package var transaction: TransactionFact?
    package var renewal: RenewalFact?
    /// When the server learned of it, for events.
    package var foldedAt: Milliseconds

    package init(
        id: Int64, scope: Int64, uuid: String, type: NotificationTypeV2, subtype: NotificationSubtype? = nil,
        signedDate: Milliseconds, transaction: TransactionFact? = nil, renewal: RenewalFact? = nil,
        foldedAt: Milliseconds
    ) {
        self.id = id
        self.scope = scope
        self.uuid = uuid
        self.type = type
        self.subtype = subtype
        self.signedDate = signedDate
        self.transaction = transaction
        self.renewal = renewal
        self.foldedAt = foldedAt
    }

    /// The subscription or purchase that it is about.
    package var originalTransactionID: String? {
        transaction?.originalTransactionID ?? renewal?.originalTransactionID
    }
}

/// A fact that came by itself, from an answer of the App Store, from the app, from a file: a transaction or a renewal info
/// that was signed, or a purchase in a receipt that was validated.
package struct Statement: Sendable {
    package enum Fact: Sendable {
        case transaction(TransactionFact)
        case renewal(RenewalFact)

        package var originalTransactionID: String {
            switch self {
            case .transaction(let fact): fact.originalTransactionID
            case .renewal(let fact): fact.originalTransactionID
            }
        }

        /// When the App Store signed it.
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
    /// What was signed; of a purchase in a receipt, which is not kept, a ``ReceiptFact``.
    package var text: String
    /// Whether it is of a receipt. Such a fact stands as long as the App Store has signed nothing about the transaction.
    package private(set) var isOfReceipt = false

    /// What the text is.
    package enum Kind: Int64, Sendable, Hashable {
        case renewal = 0
        case transaction = 1
        /// What a receipt says of one purchase.
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
        _ verified: Verified<JWSTransactionDecodedPayload>, scope: Scope, at now: Date, origin: Origin
    ) {
        self.scope = scope.id
        fact = .transaction(TransactionFact(verified.payload))
        self.origin = origin
        receivedAt = now.milliseconds
        text = verified.text
    }

    package init(
        _ verified: Verified<JWSRenewalInfoDecodedPayload>, scope: Scope, at now: Date, origin: Origin
    ) {
        self.scope = scope.id
        fact = .renewal(RenewalFact(verified.payload))
        self.origin = origin
        receivedAt = now.milliseconds
        text = verified.text
    }

    /// What a receipt says of a purchase.
    package init(receipt fact: TransactionFact, scope: Scope, at now: Date, origin: Origin) throws {
        let kept = ReceiptFact(fact)
        self.scope = scope.id
        // As it will be read again.
        self.fact = .transaction(kept.fact)
        self.origin = origin
        receivedAt = now.milliseconds
        text = try kept.text
        isOfReceipt = true
    }
}
