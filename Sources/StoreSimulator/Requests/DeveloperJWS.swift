internal import AppStoreModels
internal import Basics
internal import Crypto
internal import Foundation

/// A parsed JWS of the developer's server. Its signature and contents are not verified.
struct DeveloperJWS: Sendable {
    /// The key ID in the header.
    let keyID: String
    /// What is wrong with the header; nil if it has the algorithm ES256, no other type than JWT and no critical members.
    let headerProblem: String?
    /// The JSON of the claims.
    let payload: [UInt8]
    private let signed: Data
    private let signature: [UInt8]

    private struct Header: Decodable {
        let alg: String
        let kid: String
        let typ: String?
        let crit: [String]?

        var problem: String? {
            guard alg.isExactly("ES256") else { return "the algorithm is not ES256" }
            // The type is case-insensitive (RFC 7515 §4.1.9).
            guard typ.map({ $0.uppercased() == "JWT" }) ?? true else { return "the type is not JWT" }
            // RFC 7515 §4.1.11: a JWS with a critical member that is not understood must be refused.
            guard crit == nil else { return "the header has the member crit" }
            return nil
        }
    }

    /// Returns nil unless `token` has three parts in base64url and a header with an algorithm and a key ID.
    init?(_ token: String) {
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let first = parts.first, let last = parts.last,
            let header = Base64.decodeURL(first).flatMap({ Self.decode(Header.self, $0) }),
            let payload = Base64.decodeURL(parts[parts.index(after: parts.startIndex)]),
            let signature = Base64.decodeURL(last)
        else { return nil }
        keyID = header.kid
        headerProblem = header.problem
        self.payload = payload
        self.signature = signature
        signed = Data(token.utf8.prefix(token.utf8.count - last.utf8.count - 1))
    }

    /// Decodes the claims. Returns nil if they do not have the expected form.
    func claims<Claims: Decodable>(_ type: Claims.Type) -> Claims? { Self.decode(type, payload) }

    /// Whether the signature is valid for a key. RFC 7518 §3.4: r and s, 32 bytes each.
    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return key.isValidSignature(parsed, for: signed)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        // The reason is not reported, as by the App Store.
        try? StrictJSONDecoder.decode(type, from: bytes)
    }
}
