internal import Ledger
internal import AppStoreModels
internal import Basics
internal import Crypto
package import Foundation
internal import HTTPTypes

/// Who the user of an app is, in the words of the app's own backend: a JWT signed with HS256 and the app's
/// `customer_token_secret`.
///
/// Claims: `sub`, the customer; `iat` and `exp`, at most a day apart; `aud`, the bundle identifier, if at all. The tokens of
/// ``SessionRoutes`` have `app_transaction_id` as well, and are good for less. `app_account_token` is the account that the app
/// names when it buys for the customer, where that is not the customer's own identifier.
package struct CustomerToken: Sendable {
    /// The customer.
    package let customer: String
    /// The Apple account that a session is of; nil where the app's own backend signed it.
    package let appTransactionID: String?
    /// The UUID that the customer's purchases name; nil where it is the customer's identifier, or there is none.
    package let appAccountToken: String?

    static let header = "Counterfoil-Customer-Token"
    private static let maximumBytes = 4096
    private static let maximumAge: TimeInterval = 24 * 3600
    /// How much clocks may differ.
    private static let tolerance: TimeInterval = 60

    /// Why a token says nothing.
    package enum Refusal: Error { case malformed, notSigned, notNormal, expired, notYet, tooLong, wrongAudience }

    private struct Head: Decodable {
        let alg: String
        let isPlain: Bool

        private enum Name: String, CodingKey { case alg, crit, b64 }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            alg = try members.decode(String.self, forKey: .alg)
            // RFC 7515 §4.1.11: extensions that are not understood make it invalid.
            isPlain = !members.contains(.crit) && !members.contains(.b64)
        }
    }

    private struct Claims: Decodable {
        let sub: String
        let exp: Double
        let iat: Double
        let nbf: Double?
        let aud: String?
        let app_transaction_id: String?
        let app_account_token: String?
    }

    /// Verifies a token. Nothing in it is looked at before its signature holds.
    package init(_ text: String, secret: Secret, bundleID: String, now: Date) throws(Refusal) {
        let parts =
            text.utf8.count <= Self.maximumBytes ? text.split(separator: ".", omittingEmptySubsequences: false) : []
        guard parts.count == 3, let head = Base64.decodeURL(parts[0]), let payload = Base64.decodeURL(parts[1]),
            let signature = Base64.decodeURL(parts[2])
        else { throw .malformed }
        // Compared in constant time.
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
        appAccountToken = claims.app_account_token.map(CustomerName.normal)
    }

    private static func check(_ claims: Claims, _ bundleID: String, _ now: TimeInterval) throws(Refusal) {
        guard claims.exp.isFinite, claims.iat.isFinite, claims.nbf?.isFinite ?? true,
            CustomerName.isPossible(claims.sub), claims.app_account_token.map({ UUID(text: $0) != nil }) ?? true
        else { throw .malformed }
        guard CustomerName.isNormal(claims.sub) else { throw .notNormal }
        guard claims.exp > now else { throw .expired }
        guard claims.iat <= now + tolerance, claims.nbf ?? claims.iat <= now + tolerance else { throw .notYet }
        guard claims.exp - now <= maximumAge + tolerance, claims.exp - claims.iat <= maximumAge else { throw .tooLong }
        guard claims.aud?.isExactly(bundleID) ?? true else { throw .wrongAudience }
    }
}

extension CustomerToken.Refusal {
    /// What to tell who sent it.
    var failure: APIFailure {
        let message =
            switch self {
            case .malformed, .notSigned: "The customer token is not a JWT signed with this app's secret by HS256."
            case .notNormal:
                "The customer in the customer token is not in Unicode Normalization Form C (NFC)."
            case .expired: "The customer token has expired; ask your backend for a new one."
            case .notYet: "The customer token is not valid yet."
            case .tooLong: "A customer token can be valid for at most a day."
            case .wrongAudience: "The customer token is for another app."
            }
        return APIFailure(.unauthorized, self == .expired ? "token_expired" : "unauthorized", message)
    }
}

/// How customers may be called: 1 to 255 bytes without control characters, in Unicode Normalization Form C.
///
/// Names are compared byte by byte. In this form two that look the same to Unicode are the same bytes as well, so that
/// nobody can be called almost like somebody else.
enum CustomerName {
    static func isPossible(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= 255 else { return false }
        if name.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return true }
        return name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Whether a name is in Normalization Form C.
    static func isNormal(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 < 0x80 } || name.precomposedStringWithCanonicalMapping.isExactly(name)
    }

    /// A customer that a request names, as the ledger has it. No request names somebody who was erased: what they had would
    /// be somebody's again.
    static func checked(_ name: String?, parameter: String) throws(APIFailure) -> String {
        func failure(_ message: String) -> APIFailure {
            APIFailure("invalid_customer", message, parameter: parameter)
        }
        guard let name, isPossible(name) else {
            throw failure("A customer identifier has 1 to 255 bytes, without control characters.")
        }
        guard isNormal(name) else {
            throw failure("This customer identifier is not in Unicode Normalization Form C (NFC).")
        }
        let customer = normal(name)
        guard !Erasure.isStandIn(customer) else { throw failure("This identifier belongs to an erased customer.") }
        return customer
    }

    /// The App Store writes the UUIDs of accounts in either case.
    static func normal(_ name: String) -> String { UUID(text: name)?.text ?? name }
}
