public import Foundation

/// A signed promotional offer in the original format: what an app hands to StoreKit to make the purchase.
public struct PromotionalOfferSignature: Sendable, Hashable {
    /// The signature: ECDSA with SHA-256, DER, in standard base64.
    public let signature: String

    /// The identifier of the key that made it.
    public let keyID: String

    /// The subscription.
    public let productID: String

    /// The promotional offer.
    public let offerID: String

    /// The account that the signature is tied to. The purchase needs the same.
    public let appAccountToken: UUID?

    /// Used once. On the wire in lower case: see ``nonceText``.
    public let nonce: UUID

    /// When the signature was made, in milliseconds since 1970. Apple accepts it for 24 hours.
    public let timestamp: Int64

    /// The nonce as it was signed: lower-case text.
    public var nonceText: String { nonce.uuidString.lowercased() }
}

/// A signed Advanced Commerce request, as the app needs it.
public struct AdvancedCommerceRequestData: Sendable, Hashable {
    /// The compact JWS alone.
    public let token: String

    /// The bytes that the app gives to StoreKit as the purchase option `advancedCommerceData`:
    /// `{"signatureInfo":{"token":"…"}}`.
    public let data: Data

    /// ``data`` in standard base64: the field `advancedCommerceData` of a Retention Messaging answer.
    public var base64: String { data.base64EncodedString() }
}
