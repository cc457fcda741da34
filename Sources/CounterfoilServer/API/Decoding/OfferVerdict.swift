internal import AppStoreServer
internal import AppStoreTrust
internal import Crypto
internal import Foundation

/// Verifies the signature of a promotional offer in the original format. The signature contains no data: the signed
/// values must come with it, as in the API's response. They do not include the app, so every app is tried.
enum OfferVerdict {
    /// The signed values, except the app.
    private struct Offer: Decodable {
        var productID, offerID, keyID: String
        var nonce: RequestUUID
        var timestamp: Int64
        var appAccountToken: RequestUUID?
        var signature: String

        private enum CodingKeys: String, CodingKey {
            case nonce, timestamp, signature
            case productID = "product_id"
            case offerID = "offer_id"
            case keyID = "key_id"
            case appAccountToken = "app_account_token"
        }
    }

    /// How long the App Store accepts a signature, in seconds.
    private static let lifetime = 24 * 3600.0

    /// The verdict about a signature without the signed values, which cannot be verified.
    static var bareSignature: DecodeVerdict {
        DecodeVerdict(
            kind: "offer_signature", code: "incomplete",
            message:
                "Cannot be verified: a signature alone does not say what was signed. Decode the JSON object that the API returned, with product_id, offer_id, key_id, nonce, timestamp and signature.",
            checks: [
                .init(name: "form", result: .passed),
                .init(name: "key", result: .notReached),
                .init(name: "signature", result: .notReached),
                .init(name: "expiry", result: .notReached),
            ])
    }

    static func make(
        _ json: [UInt8], _ keys: [String: SigningKey], bundleIDs: Set<String>, now: Date
    ) -> DecodeVerdict {
        var verdict = DecodeVerdict(kind: "offer_signature", message: "", payload: json)
        let offer: Offer
        do { offer = try JSONDecoder().decode(Offer.self, from: Data(json)) } catch {
            verdict.code = "bad_json"
            verdict.message =
                "Refused: the JSON object needs product_id, offer_id, key_id, nonce and timestamp beside the signature, as the API returns them."
            verdict.checks = [.init(name: "form", result: .failed), .init(name: "signature", result: .notReached)]
            return verdict
        }
        let key = keys[offer.keyID]
        let app = key.flatMap { key in bundleIDs.sorted().first { holds(offer, for: $0, by: key) } }
        let age = now.timeIntervalSince1970 - Double(offer.timestamp) / 1000
        let isAhead = age < -TokenVerdict.tolerance
        let isCurrent = !isAhead && age <= lifetime
        verdict.checks = [
            .init(name: "form", result: .passed),
            .init(
                name: "key", result: key == nil ? .failed : .passed,
                note: key == nil ? "No app of the configuration has this key." : nil),
            .init(name: "signature", result: key == nil ? .notReached : app == nil ? .failed : .passed),
            .init(
                name: "expiry", result: app == nil ? .notReached : isCurrent ? .passed : .failed,
                note: isAhead ? TokenVerdict.aheadNote : isCurrent ? nil : "The App Store accepts it for 24 hours."),
        ]
        verdict.isProven = app != nil && isCurrent
        verdict.code =
            if key == nil {
                "unknown_key"
            } else if app == nil {
                "bad_signature"
            } else if isAhead {
                "not_yet_valid"
            } else {
                isCurrent ? nil : "expired"
            }
        verdict.message =
            verdict.isProven
            ? "Valid: signed with a key of this configuration for \(app ?? "")."
            : "Refused: not signed with a key of this configuration, expired, or dated in the future."
        verdict.subject.bundleID = app
        return verdict
    }

    private static func holds(_ offer: Offer, for bundleID: String, by key: SigningKey) -> Bool {
        guard
            let text = try? OfferSigner.promotionalOfferText(
                bundleID: bundleID, keyID: offer.keyID, productID: offer.productID, offerID: offer.offerID,
                appAccountToken: offer.appAccountToken?.id, nonce: offer.nonce.id, timestamp: offer.timestamp),
            let bytes = Data(base64Encoded: offer.signature),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: bytes),
            let publicKey = try? P256.Signing.PublicKey(pemRepresentation: key.publicKeyPEM)
        else { return false }
        return publicKey.isValidSignature(signature, for: Data(text.utf8))
    }
}
