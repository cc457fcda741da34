internal import AppStoreModels
internal import Basics
package import Entitlements
internal import Foundation

/// A purchase in a validated receipt, as the ledger and its exports store it: JSON with a deterministic encoding.
///
/// The receipt itself is not stored, because it contains all purchases of its customer and a new one comes with every
/// purchase. So the fact cannot be verified again, and signed data of the App Store about the transaction replace it.
package struct ReceiptFact: Sendable, Codable {
    private var transactionID: String
    private var originalTransactionID: String
    private var productID: String
    private var type: String
    private var purchaseDate: Milliseconds
    private var expiresDate: Milliseconds?
    /// When the receipt was created.
    private var signedDate: Milliseconds
    private var revocationDate: Milliseconds?
    private var revocationReason: Int32?
    private var isUpgraded: Bool
    private var ownership: String
    private var subscriptionGroupIdentifier: String?
    private var offerType: Int32?
    private var offerIdentifier: String?
    private var offerDiscountType: String?
    private var quantity: Int32
    private var appAccountToken: UUID?

    private enum CodingKeys: String, CodingKey {
        case type, ownership, quantity
        case transactionID = "transaction_id"
        case originalTransactionID = "original_transaction_id"
        case productID = "product_id"
        case purchaseDate = "purchase_date"
        case expiresDate = "expires_date"
        case signedDate = "signed_date"
        case revocationDate = "revocation_date"
        case revocationReason = "revocation_reason"
        case isUpgraded = "is_upgraded"
        case subscriptionGroupIdentifier = "subscription_group_identifier"
        case offerType = "offer_type"
        case offerIdentifier = "offer_identifier"
        case offerDiscountType = "offer_discount_type"
        case appAccountToken = "app_account_token"
    }

    package init(_ fact: TransactionFact) {
        transactionID = fact.transactionID
        originalTransactionID = fact.originalTransactionID
        productID = fact.productID
        type = fact.type.rawValue
        purchaseDate = fact.purchaseDate.milliseconds
        expiresDate = fact.expiresDate?.milliseconds
        signedDate = fact.signedDate.milliseconds
        revocationDate = fact.revocationDate?.milliseconds
        revocationReason = fact.revocationReason?.rawValue
        isUpgraded = fact.isUpgraded
        ownership = fact.ownership.rawValue
        subscriptionGroupIdentifier = fact.subscriptionGroupIdentifier
        offerType = fact.offerType?.rawValue
        offerIdentifier = fact.offerIdentifier
        offerDiscountType = fact.offerDiscountType?.rawValue
        quantity = fact.quantity
        appAccountToken = fact.appAccountToken
    }

    /// The fact.
    package var fact: TransactionFact {
        TransactionFact(
            transactionID: transactionID, originalTransactionID: originalTransactionID, productID: productID,
            type: ProductType(rawValue: type), purchaseDate: Date(milliseconds: purchaseDate),
            expiresDate: expiresDate.map { Date(milliseconds: $0) },
            subscriptionGroupIdentifier: subscriptionGroupIdentifier, signedDate: Date(milliseconds: signedDate),
            revocationDate: revocationDate.map { Date(milliseconds: $0) },
            revocationReason: revocationReason.map { RevocationReason(rawValue: $0) }, isUpgraded: isUpgraded,
            ownership: InAppOwnershipType(rawValue: ownership), offerType: offerType.map { OfferType(rawValue: $0) },
            offerIdentifier: offerIdentifier,
            offerDiscountType: offerDiscountType.map { OfferDiscountType(rawValue: $0) }, quantity: quantity,
            appAccountToken: appAccountToken)
    }

    /// The JSON.
    var text: String {
        get throws { String(decoding: try JSONEncoder.sorted.encode(self), as: UTF8.self) }
    }

    /// Decodes ``text``; nil if it is invalid.
    init?(text: String) {
        do { self = try StrictJSONDecoder.decode(ReceiptFact.self, from: Array(text.utf8)) } catch { return nil }
    }
}
