public import AppStoreModels
public import Foundation

/// Signs the data that an app needs for purchases on special terms: promotional offers in both formats, eligibility for
/// an introductory offer, and Advanced Commerce requests. Win-back offers and offer codes have no signature.
///
/// Each signature is for one purchase: it contains its own nonce and date, and Apple accepts it for a limited time only
/// (24 hours for ``promotionalOffer(productID:offerID:appAccountToken:)``). The signer does not check whether the
/// customer is eligible for the offer: do so before signing.
///
/// Besides the errors listed, every method throws `signing_failed` if the cryptographic library refuses to sign.
public struct OfferSigner: Sendable {
    /// The issuer ID, a UUID as text. App Store Connect shows it above the list of keys.
    public let issuerID: String

    /// The bundle identifier of the app.
    public let bundleID: String

    private let key: SigningKey
    private let now: @Sendable () -> Date
    private let nonce: @Sendable () -> UUID

    /// Creates a signer for one app.
    ///
    /// - Parameters:
    ///   - key: The private key, an In-App Purchase key from App Store Connect.
    ///   - issuerID: The issuer ID.
    ///   - bundleID: The bundle identifier of the app.
    ///   - now: The clock for the dates in the signatures.
    ///   - nonce: Returns a new UUID for each signature.
    /// - Throws: ``SigningError`` with `invalid_identifier` if an identifier is empty or too long.
    public init(
        key: SigningKey, issuerID: String, bundleID: String, now: @escaping @Sendable () -> Date = { Date() },
        nonce: @escaping @Sendable () -> UUID = { UUID() }
    ) throws(SigningError) {
        try SigningIdentifier.check(issuerID, "issuer ID")
        try SigningIdentifier.check(bundleID, "bundle ID")
        self.key = key
        self.issuerID = issuerID
        self.bundleID = bundleID
        self.now = now
        self.nonce = nonce
    }

    /// Signs a promotional offer in the original format. Apple's page: *Generating a signature for promotional offers*.
    ///
    /// - Parameters:
    ///   - productID: The subscription.
    ///   - offerID: The promotional offer, as configured in App Store Connect.
    ///   - appAccountToken: The account to associate the purchase with. If there is one, the app has to make the
    ///     purchase with the same token.
    /// - Returns: The signature and the other values that the app has to pass to StoreKit. The nonce and the account
    ///   are signed in lower case, and the app has to pass them in lower case.
    /// - Throws: `invalid_identifier` if an identifier is empty, has more than 1024 bytes or contains U+2063;
    ///   `invalid_date` if the clock shows no usable date.
    public func promotionalOffer(
        productID: String, offerID: String, appAccountToken: UUID? = nil
    ) throws(SigningError) -> PromotionalOfferSignatureV1 {
        let timestamp = try now().unixTime(unitsPerSecond: 1000)
        let nonce = nonce()
        let text = try Self.promotionalOfferText(
            bundleID: bundleID, keyID: key.keyID, productID: productID, offerID: offerID,
            appAccountToken: appAccountToken, nonce: nonce, timestamp: timestamp)
        return PromotionalOfferSignatureV1(
            encodedSignature: try key.derSignature(of: Data(text.utf8)).base64EncodedString(), productId: productID,
            nonce: nonce, timestamp: timestamp, keyId: key.keyID, offerIdentifier: offerID,
            appAccountToken: appAccountToken)
    }

    /// Signs a promotional offer as a JWS. Apple's page: *Generating JWS to sign App Store requests*.
    ///
    /// - Parameters:
    ///   - productID: The subscription.
    ///   - offerID: The promotional offer, as configured in App Store Connect.
    ///   - transactionID: Any transaction of the customer, or the identifier of the app transaction. Optional, but
    ///     recommended by Apple: the signature is then useless to other customers.
    /// - Returns: A compact JWS.
    /// - Throws: `invalid_identifier` if an identifier is empty or has more than 1024 bytes; `invalid_date` if the
    ///   clock shows no usable date.
    public func promotionalOfferV2(
        productID: String, offerID: String, transactionID: String? = nil
    ) throws(SigningError) -> String {
        var claims = try claims(for: "promotional-offer")
        claims.productId = try SigningIdentifier.check(productID, "product ID")
        claims.offerIdentifier = try SigningIdentifier.check(offerID, "offer ID")
        if let transactionID { claims.transactionId = try SigningIdentifier.check(transactionID, "transaction ID") }
        return try key.sign(claims: claims)
    }

    /// Signs whether a customer is eligible for the introductory offer of a subscription. It overrides the App Store's
    /// own check. Apple's page: *Generating JWS to sign App Store requests*.
    ///
    /// - Parameters:
    ///   - productID: The subscription.
    ///   - isAllowed: Whether the customer gets the introductory offer.
    ///   - transactionID: Any transaction of the customer, or the identifier of the app transaction.
    /// - Returns: A compact JWS.
    /// - Throws: `invalid_identifier` if an identifier is empty or has more than 1024 bytes; `invalid_date` if the
    ///   clock shows no usable date.
    public func introductoryOfferEligibility(
        productID: String, isAllowed: Bool, transactionID: String
    ) throws(SigningError) -> String {
        var claims = try claims(for: "introductory-offer-eligibility")
        claims.productId = try SigningIdentifier.check(productID, "product ID")
        claims.allowIntroductoryOffer = isAllowed
        claims.transactionId = try SigningIdentifier.check(transactionID, "transaction ID")
        return try key.sign(claims: claims)
    }

    /// Signs an Advanced Commerce request that the app sends through StoreKit.
    /// Apple's page: *Generating JWS to sign App Store requests*.
    ///
    /// - Parameter request: One of the in-app requests: `AdvancedCommerceOneTimeChargeCreateRequest`,
    ///   `…SubscriptionCreateRequest`, `…SubscriptionModifyInAppRequest`, `…SubscriptionReactivateInAppRequest`.
    /// - Throws: `unencodable` if the request cannot be written as JSON; `invalid_date` if the clock shows no usable
    ///   date.
    public func advancedCommerce(_ request: some Encodable & Sendable) throws(SigningError)
        -> AdvancedCommerceRequestData
    {
        try advancedCommerce(json: CompactJWS.json(request))
    }

    /// Signs an Advanced Commerce request that is JSON already. The bytes are signed unchanged and are not checked.
    ///
    /// - Throws: `invalid_date` if the clock shows no usable date.
    public func advancedCommerce(json request: Data) throws(SigningError) -> AdvancedCommerceRequestData {
        var claims = try claims(for: "advanced-commerce-api")
        // Standard base64 with padding, not base64url, as in all of Apple's libraries.
        claims.request = request.base64EncodedString()
        let token = try key.sign(claims: claims)
        let wrapper = ["signatureInfo": ["token": token]]
        return AdvancedCommerceRequestData(token: token, data: try CompactJWS.json(wrapper))
    }

    private func claims(for audience: String) throws(SigningError) -> OfferClaims {
        OfferClaims(
            iss: issuerID, iat: try now().unixTime(), aud: audience, bid: bundleID, nonce: nonce().text)
    }
}

// No `exp`: Apple derives the expiry from `iat`.
private struct OfferClaims: Encodable {
    let iss: String
    let iat: Int64
    let aud: String
    let bid: String
    let nonce: String
    var productId: String?
    var offerIdentifier: String?
    var transactionId: String?
    var allowIntroductoryOffer: Bool?
    var request: String?
}

extension OfferSigner {
    private static let separator: Unicode.Scalar = "\u{2063}"

    /// Returns the text that is signed for a promotional offer in the original format: seven parts, separated by
    /// INVISIBLE SEPARATOR (U+2063).
    package static func promotionalOfferText(
        bundleID: String, keyID: String, productID: String, offerID: String, appAccountToken: UUID?, nonce: UUID,
        timestamp: Int64
    ) throws(SigningError) -> String {
        for (part, name) in [
            (bundleID, "bundle ID"), (keyID, "key ID"), (productID, "product ID"), (offerID, "offer ID"),
        ] {
            try SigningIdentifier.check(part, name)
            // A separator within a part could make one part pass for two.
            if part.unicodeScalars.contains(separator) {
                throw SigningError(identifier: name, "contains U+2063")
            }
        }
        return [
            bundleID, keyID, productID, offerID, appAccountToken?.text ?? "", nonce.text, String(timestamp),
        ].joined(separator: String(separator))
    }
}
