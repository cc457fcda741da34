internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Crypto
internal import Foundation

/// Verifies JWS that were signed with an app's own key: offers, and tokens for the App Store Server API.
enum TokenVerdict {
    /// How far the signer's clock may be ahead, in seconds.
    static let tolerance = 300.0
    static let aheadNote = "It is dated later than now: the clock of the server that signed it may be ahead."

    /// - Parameter now: The time for offers. Tokens are dated by the real clock, also while the server follows a
    ///   simulator's.
    static func make(
        _ text: String, _ header: [String: Any], _ payload: [UInt8]?, _ keys: [String: SigningKey], now: Date
    ) -> DecodeVerdict {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let claims = payload.flatMap(VerbatimJSON.object)
        let isToken = claims?["aud"] as? String == "appstoreconnect-v1"
        let now = (isToken ? Date() : now).timeIntervalSince1970
        var checks: [DecodeVerdict.Check] = [
            .init(name: "form", result: claims == nil ? .failed : .passed),
            .init(name: "header", result: Self.isPlain(header) ? .passed : .failed),
            .init(name: "algorithm", result: header["alg"] as? String == "ES256" ? .passed : .failed),
        ]
        let name = header["kid"] as? String
        let key = name.flatMap { keys[$0] }
        checks.append(
            .init(
                name: "key", result: key == nil ? .failed : .passed,
                note: key == nil ? "No app in the configuration has the key in the header." : nil))
        let isSigned = key.map { Self.holds(parts, by: $0) } ?? false
        checks.append(.init(name: "signature", result: key == nil ? .notReached : isSigned ? .passed : .failed))
        if let issued = (claims?["iat"] as? NSNumber)?.doubleValue {
            let isAhead = issued > now + tolerance
            checks.append(
                .init(name: "issued_at", result: isAhead ? .failed : .passed, note: isAhead ? aheadNote : nil))
        }
        let expiry = (claims?["exp"] as? NSNumber)?.doubleValue
        if let expiry {
            checks.append(.init(name: "expiry", result: expiry > now ? .passed : .failed))
        }
        let failed = checks.first { $0.result == .failed }
        let codes = [
            "form": "bad_json", "header": "unsupported_header", "algorithm": "unsupported_algorithm",
            "key": "unknown_key", "signature": "bad_signature", "issued_at": "not_yet_valid",
            "expiry": "expired",
        ]
        return DecodeVerdict(
            kind: isToken ? "api_token" : "our_signature", isProven: failed == nil,
            code: failed.flatMap { codes[$0.name] },
            message: failed == nil
                ? "Valid: signed with a key of this configuration."
                : "Refused: its header is not supported, it was not signed with a key of this configuration, has expired, "
                    + "or is dated in the future.",
            checks: checks, payload: payload, subject: .init(bundleID: claims?["bid"] as? String))
    }

    /// Whether the header has the type JWT or none (case-insensitive, RFC 7515 §4.1.9), and no members that a reader has
    /// to understand (RFC 7515 §4.1.11, RFC 7797).
    private static func isPlain(_ header: [String: Any]) -> Bool {
        guard header["crit"] == nil, header["b64"] == nil else { return false }
        return header["typ"].map { ($0 as? String)?.uppercased() == "JWT" } ?? true
    }

    private static func holds(_ parts: [Substring], by key: SigningKey) -> Bool {
        guard parts.count == 3, let bytes = Base64.decodeURL(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes),
            let publicKey = try? P256.Signing.PublicKey(pemRepresentation: key.publicKeyPEM)
        else { return false }
        return publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
    }
}
