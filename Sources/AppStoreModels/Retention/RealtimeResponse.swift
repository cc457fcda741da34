public import Foundation

/// The response to a ``DecodedRealtimeRequestBody``. Apple's page: `RealtimeResponseBody`. Set exactly one of the four.
public struct RealtimeResponseBody: Sendable, Hashable, Codable {
    /// A text, with or without an image.
    public var message: RetentionMessage?
    /// Another product of the group.
    public var alternateProduct: RetentionAlternateProduct?
    /// A promotional offer.
    public var promotionalOffer: RetentionPromotionalOffer?
    /// A change of an Advanced Commerce subscription. For other subscriptions Apple ignores the whole response.
    public var advancedCommerceInfo: RetentionAdvancedCommerceInfo?

    /// Creates the value from its parts.
    public init(
        message: RetentionMessage? = nil, alternateProduct: RetentionAlternateProduct? = nil,
        promotionalOffer: RetentionPromotionalOffer? = nil, advancedCommerceInfo: RetentionAdvancedCommerceInfo? = nil
    ) {
        self.message = message
        self.alternateProduct = alternateProduct
        self.promotionalOffer = promotionalOffer
        self.advancedCommerceInfo = advancedCommerceInfo
    }
}

/// A message to show. Apple's page: `Message`.
public struct RetentionMessage: Sendable, Hashable, Codable {
    /// The identifier of the message, which must be approved.
    public var messageIdentifier: UUID

    /// Creates the value from its parts.
    public init(messageIdentifier: UUID) {
        self.messageIdentifier = messageIdentifier
    }
}

/// Another product to propose. Apple's page: `AlternateProduct`.
public struct RetentionAlternateProduct: Sendable, Hashable, Codable {
    /// The identifier of the message to show with it, which must be approved and have no image.
    public var messageIdentifier: UUID
    /// The product, which must be in the same subscription group.
    public var productId: String
    /// How the product will be billed (1.5).
    public var billingPlanType: BillingPlanType?

    /// Creates the value from its parts.
    public init(messageIdentifier: UUID, productId: String, billingPlanType: BillingPlanType? = nil) {
        self.messageIdentifier = messageIdentifier
        self.productId = productId
        self.billingPlanType = billingPlanType
    }
}

/// A promotional offer to propose. Apple's page: `PromotionalOffer`. Set exactly one of the two signatures.
public struct RetentionPromotionalOffer: Sendable, Hashable, Codable {
    /// The identifier of the message to show with it, which must be approved and have no image.
    public var messageIdentifier: UUID
    /// The signed offer as a JWS.
    public var promotionalOfferSignatureV2: String?
    /// The signed offer in the original format.
    public var promotionalOfferSignatureV1: PromotionalOfferSignatureV1?

    /// Creates the value from its parts.
    public init(
        messageIdentifier: UUID, promotionalOfferSignatureV2: String? = nil,
        promotionalOfferSignatureV1: PromotionalOfferSignatureV1? = nil
    ) {
        self.messageIdentifier = messageIdentifier
        self.promotionalOfferSignatureV2 = promotionalOfferSignatureV2
        self.promotionalOfferSignatureV1 = promotionalOfferSignatureV1
    }
}

/// A signed promotional offer in the original format. Apple's page: `PromotionalOfferSignatureV1`.
public struct PromotionalOfferSignatureV1: Sendable, Hashable, Codable {
    /// The signature: Base64 of DER.
    public var encodedSignature: String
    /// The product identifier.
    public var productId: String
    /// The nonce; in lower case, as in the signed text.
    public var nonce: UUID
    /// When it was signed: exactly the number of milliseconds in the signed text.
    public var timestamp: Int64
    /// The identifier of the signing key.
    public var keyId: String
    /// The offer.
    public var offerIdentifier: String
    /// The account token; in lower case, as in the signed text.
    public var appAccountToken: UUID?

    /// Creates the value from its parts.
    public init(
        encodedSignature: String, productId: String, nonce: UUID, timestamp: Int64, keyId: String,
        offerIdentifier: String, appAccountToken: UUID? = nil
    ) {
        self.encodedSignature = encodedSignature
        self.productId = productId
        self.nonce = nonce
        self.timestamp = timestamp
        self.keyId = keyId
        self.offerIdentifier = offerIdentifier
        self.appAccountToken = appAccountToken
    }
}

/// A change of an Advanced Commerce subscription to propose. Apple's page: `AdvancedCommerceInfo`.
public struct RetentionAdvancedCommerceInfo: Sendable, Hashable, Codable {
    /// The identifier of the message to show with it, which must be approved.
    public var messageIdentifier: UUID
    /// Base64 of the signed ``AdvancedCommerceSubscriptionModifyInAppRequest``, with exactly one changed item.
    public var advancedCommerceData: String

    /// Creates the value from its parts.
    public init(messageIdentifier: UUID, advancedCommerceData: String) {
        self.messageIdentifier = messageIdentifier
        self.advancedCommerceData = advancedCommerceData
    }
}
