internal import AppStoreModels
internal import Basics
internal import Crypto
package import Foundation
internal import HTTPTypes
internal import Ledger

/// Identifies the user of an app: a JWT that the app's backend signed with HS256 and the app's `customer_token_secret`.
///
/// Claims: `sub`, the customer; `iat` and `exp`, at most a day apart; optionally `aud`, the bundle identifier. Tokens
/// of ``SessionRoutes`` also have `app_transaction_id`, and permit less. `app_account_token` is the account token of
/// the customer's purchases, if it is not the customer's own identifier.
package struct CustomerToken: Sendable {
    /// The customer's identifier.
    package let customer: String
    /// The app transaction ID of the session's Apple account; nil if the app's backend signed the token.
    package let appTransactionID: String?
    /// The account token of the customer's purchases, a UUID; nil if it is the customer's identifier or there is none.
    package let appAccountToken: String?

    static let header = "Counterfoil-Customer-Token"
    private static let maximumBytes = 4096
    private static let maximumAge: TimeInterval = 24 * 3600
    /// The tolerated difference between clocks, in seconds.
    private static let tolerance: TimeInterval = 60

    /// The reason why a token is rejected.
    package enum Refusal: Error {
        case malformed, notSigned, notNFC, dotSegment, expired, notYet, tooLong, wrongAudience
    }

    private struct Head: Decodable {
        let alg: String
        let isPlain: Bool

        private enum Name: String, CodingKey { case alg, crit, b64 }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            alg = try members.decode(String.self, forKey: .alg)
            // RFC 7515 §4.1.11: a JWS is invalid if the recipient does not understand its extensions.
            isPlain = !members.contains(.crit) && !members.contains(.b64)
        }
    }

    private struct Claims: Decodable {
        let sub: String
        let exp, iat: Double
        let nbf: Double?
        let aud, app_transaction_id, app_account_token: String?
    }

    /// Verifies a token. Decodes its JSON only after its signature is verified.
    package init(_ text: String, secret: Secret, bundleID: String, now: Date) throws(Refusal) {
        let parts =
            text.utf8.count <= Self.maximumBytes ? text.split(separator: ".", omittingEmptySubsequences: false) : []
        guard parts.count == 3, let head = Base64.decodeURL(parts[0]), let payload = Base64.decodeURL(parts[1]),
            let signature = Base64.decodeURL(parts[2])
        else { throw .malformed }
        // Compares in constant time.
        let isSigned = HMAC<SHA256>.isValidAuthenticationCode(
            signature, authenticating: Data("\(parts[0]).\(parts[1])".utf8),
            using: SymmetricKey(data: Data(secret.revealed.utf8)))
        guard isSigned else { throw .notSigned }
        let claims: Claims
        do {
            let header = try StrictJSONDecoder.decode(Head.self, from: head)
            guard header.alg == "HS256", header.isPlain else { throw Refusal.malformed }
            claims = try StrictJSONDecoder.decode(Claims.self, from: payload)
        } catch { throw .malformed }
        try Self.check(claims, bundleID, now.timeIntervalSince1970)
        customer = claims.sub
        appTransactionID = claims.app_transaction_id
        appAccountToken = claims.app_account_token.map(CustomerName.canonical)
    }

    /// Verifies a token that was signed with any of the secrets.
    static func verified(
        _ text: String, secrets: [Secret], bundleID: String, now: Date
    ) throws(Refusal) -> CustomerToken {
        for secret in secrets {
            do { return try CustomerToken(text, secret: secret, bundleID: bundleID, now: now) } catch {
                guard error == .notSigned else { throw error }
            }
        }
        throw .notSigned
    }

    private static func check(_ claims: Claims, _ bundleID: String, _ now: TimeInterval) throws(Refusal) {
        guard claims.exp.isFinite, claims.iat.isFinite, claims.nbf?.isFinite ?? true,
            CustomerName.isValid(claims.sub), claims.app_account_token.map({ UUID(text: $0) != nil }) ?? true
        else { throw .malformed }
        guard CustomerName.isNFC(claims.sub) else { throw .notNFC }
        guard !CustomerName.isDotSegment(claims.sub) else { throw .dotSegment }
        guard claims.exp > now else { throw .expired }
        guard claims.iat <= now + tolerance, claims.nbf ?? claims.iat <= now + tolerance else { throw .notYet }
        guard claims.exp - claims.iat <= maximumAge else { throw .tooLong }
        guard claims.aud?.isExactly(bundleID) ?? true else { throw .wrongAudience }
    }
}

extension CustomerToken.Refusal {
    /// The response to a request with such a token.
    var failure: APIFailure {
        let message =
            switch self {
            case .malformed, .notSigned: "The customer token is not a JWT signed with this app's secret by HS256."
            case .notNFC:
                "The customer in the customer token is not in Unicode Normalization Form C (NFC)."
            case .dotSegment: CustomerName.dotSegmentRefusal
            case .expired: "The customer token has expired; ask your backend for a new one."
            case .notYet:
                "The customer token is not valid yet: its iat or nbf is more than a minute after the server's time."
            case .tooLong: "A customer token can be valid for at most a day."
            case .wrongAudience: "The customer token is for another app."
            }
        return APIFailure(.unauthorized, self == .expired ? "token_expired" : "unauthorized", message)
    }
}
