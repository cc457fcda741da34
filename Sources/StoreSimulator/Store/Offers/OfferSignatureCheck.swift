internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Crypto
package import Foundation

/// Checks offer signatures by the developer's server. It does not check whether the customer is eligible.
package struct OfferSignatureCheck: Sendable {
    /// Provides the app's key.
    private let bearer: BearerCheck
    /// The real time. Servers date signatures by the real clock or by the simulator's.
    private let real: Date

    package init(_ bearer: BearerCheck, real: Date) {
        self.bearer = bearer
        self.real = real
    }

    /// How long a signature is valid. Apple documents it for the original format.
    static let lifetime: TimeInterval = 24 * 3600

    /// How far the signer's clock may be ahead.
    static let tolerance: TimeInterval = 300

    /// The purchase that a signature must match.
    struct Subject {
        var product: Product
        var offer: String
        var account: UUID?
        /// The customer's transaction identifiers and `appTransactionId`.
        var identifiers: Set<String>
        var catalogue: Catalogue
        /// Other accounts that may have been signed by mistake, for error messages.
        var otherAccounts: [UUID?]
    }

    /// A valid signature. Its nonce can be used once.
    struct Approval {
        var nonce: String
        var date: Date
        /// Whether the customer gets the introductory offer, if the signature states it.
        var allowsIntroductoryOffer: Bool?
    }

    /// Checks a signature for a promotional offer at `now`. Throws if it is not valid.
    func promotional(_ signature: OfferSignature, for subject: Subject, at now: Date) throws(StoreError) -> Approval {
        switch signature {
        case .jws(let token):
            let (claims, approval) = try claims(token, audience: "promotional-offer", for: subject, at: now)
            guard let offer = claims.offerIdentifier else { throw Self.malformed("it names no offer") }
            guard offer.isExactly(subject.offer) else {
                throw StoreError(.offerSignatureWrongOffer, "the signature is for the offer \(offer.quoted)")
            }
            return approval
        case .original(let keyID, let nonce, let timestamp, let signature):
            return try original(keyID, nonce, timestamp, signature, for: subject, at: now)
        }
    }

    /// Checks a token that states whether the customer gets the introductory offer. Throws if it is not valid.
    func introductory(_ token: String, for subject: Subject, at now: Date) throws(StoreError) -> Approval {
        var (claims, approval) = try claims(token, audience: "introductory-offer-eligibility", for: subject, at: now)
        guard let allows = claims.allowIntroductoryOffer else {
            throw Self.malformed("it does not say whether to allow the introductory offer")
        }
        guard claims.transactionId != nil else { throw Self.malformed("it names no transaction") }
        approval.allowsIntroductoryOffer = allows
        return approval
    }

    private static func malformed(_ problem: String) -> StoreError {
        StoreError(.offerSignatureMalformed, "the signature cannot be read: \(problem)")
    }

    private func checkAge(of date: Date, at now: Date) throws(StoreError) {
        let ages = [now, real].map { $0.timeIntervalSince(date) }
        guard !ages.contains(where: { (-Self.tolerance...Self.lifetime).contains($0) }) else { return }
        // Report the age by the nearer clock: the server does not use the other one.
        guard let age = ages.min(by: { $0.magnitude < $1.magnitude }), age > 0 else {
            throw StoreError(.offerSignatureNotYetValid, "the signature is from the future")
        }
        throw StoreError(.offerSignatureExpired, "the signature is older than 24 hours")
    }

    private func wrongKey(_ keyID: String) -> StoreError {
        StoreError(
            .offerSignatureWrongKey,
            "the signature names the key \(keyID.quoted); the app's is \(bearer.keyIDList)")
    }
}

// The JWS.
extension OfferSignatureCheck {
    private struct Claims: Decodable {
        let iss: String
        let iat: Double
        let aud: String
        let bid: String
        let nonce: String
        let productId: String?
        let offerIdentifier: String?
        let transactionId: String?
        let allowIntroductoryOffer: Bool?
    }

    /// Returns the product and the offer that a JWS names, not verified; nil if it names none.
    static func offer(namedIn token: String) -> (product: String, offer: String)? {
        guard token.utf8.count <= BearerCheck.maximumSize, let claims = DeveloperJWS(token)?.claims(Claims.self),
            let product = claims.productId, let offer = claims.offerIdentifier
        else { return nil }
        return (product, offer)
    }

    private func claims(
        _ token: String, audience: String, for subject: Subject, at now: Date
    ) throws(StoreError) -> (Claims, Approval) {
        guard token.utf8.count <= BearerCheck.maximumSize, let jws = DeveloperJWS(token) else {
            throw Self.malformed("it is no JWS")
        }
        if let problem = jws.headerProblem { throw Self.malformed(problem) }
        guard let key = bearer.key(jws.keyID) else { throw wrongKey(jws.keyID) }
        guard jws.isSigned(by: key) else {
            throw StoreError(.offerSignatureInvalid, "the signature is not by the key \(jws.keyID)")
        }
        guard let claims = jws.claims(Claims.self) else {
            throw Self.malformed("it lacks iss, iat, aud, bid or nonce, or one has the wrong type")
        }
        guard let nonce = UUID(text: claims.nonce) else { throw Self.malformed("the nonce is no UUID") }
        guard claims.iat.magnitude < 0x1p40 else { throw Self.malformed("iat is not in seconds") }
        guard claims.aud.isExactly(audience) else {
            throw StoreError(
                .offerSignatureWrongAudience,
                "the signature is for the audience \(claims.aud.quoted), not \(audience)")
        }
        guard claims.iss.isExactly(bearer.issuerID), claims.bid.isExactly(bearer.bundleID) else {
            throw StoreError(.offerSignatureWrongApp, "the signature is of another issuer or for another app")
        }
        guard let product = claims.productId else { throw Self.malformed("it names no product") }
        guard product.isExactly(subject.product.id) else {
            throw StoreError(
                .offerSignatureWrongProduct, "the signature is for the product \(product.quoted)")
        }
        if let id = claims.transactionId, !subject.identifiers.contains(id) {
            throw StoreError(
                .offerSignatureWrongCustomer, "the transaction \(id.quoted) is not the customer's")
        }
        let date = Date(timeIntervalSince1970: claims.iat)
        try checkAge(of: date, at: now)
        return (claims, Approval(nonce: nonce.text, date: date))
    }
}

// The original format.
extension OfferSignatureCheck {
    private func original(
        _ keyID: String, _ nonce: String, _ timestamp: Int64, _ signature: String, for subject: Subject, at now: Date
    ) throws(StoreError) -> Approval {
        guard let nonce = UUID(text: nonce) else { throw Self.malformed("the nonce is no UUID") }
        guard let date = Date(millisecondsSince1970: timestamp) else {
            throw Self.malformed("the timestamp is no date")
        }
        guard let der = Data(base64Encoded: signature),
            let parsed = try? P256.Signing.ECDSASignature(derRepresentation: der)
        else { throw Self.malformed("it is not base64 of a signature in DER") }
        guard let key = bearer.key(keyID) else { throw wrongKey(keyID) }
        func isSigned(_ product: String, _ offer: String, _ account: UUID?) -> Bool {
            guard
                let text = try? OfferSigner.promotionalOfferText(
                    bundleID: bearer.bundleID, keyID: keyID, productID: product, offerID: offer,
                    appAccountToken: account, nonce: nonce, timestamp: timestamp)
            else { return false }
            return key.isValidSignature(parsed, for: Data(text.utf8))
        }
        guard isSigned(subject.product.id, subject.offer, subject.account) else {
            throw Self.diagnose(subject, isSigned)
        }
        try checkAge(of: date, at: now)
        return Approval(nonce: nonce.text, date: date)
    }

    /// Finds out what was signed instead, for the error. The App Store only reports an invalid signature.
    private static func diagnose(_ subject: Subject, _ isSigned: (String, String, UUID?) -> Bool) -> StoreError {
        for account in subject.otherAccounts where account != subject.account {
            guard isSigned(subject.product.id, subject.offer, account) else { continue }
            let named = account.map { "the account \($0.text)" } ?? "no account"
            return StoreError(
                .offerSignatureWrongAccount,
                "the signature is for \(named), the purchase names \(subject.account?.text ?? "none")")
        }
        let offers = subject.catalogue.products.flatMap { product in
            (product.subscription?.offers ?? []).compactMap(\.identifier).map { (product.id, $0) }
        }
        // Each check takes 0.1 ms.
        for (product, offer) in [(subject.product.id, subject.offer)] + offers.prefix(500) {
            if product == subject.product.id, isSigned(product, offer, subject.account) {
                return StoreError(.offerSignatureWrongOffer, "the signature is for the offer \(offer)")
            }
            if isSigned(product, offer, subject.account) || isSigned(product, subject.offer, subject.account) {
                return StoreError(.offerSignatureWrongProduct, "the signature is for the product \(product)")
            }
        }
        return StoreError(
            .offerSignatureInvalid,
            "the signature does not match bundle, key, product, offer, account, nonce and timestamp of the purchase")
    }
}
