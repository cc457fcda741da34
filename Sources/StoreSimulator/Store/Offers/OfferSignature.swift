/// The signature that an app passes to StoreKit with a promotional offer. The developer's server signs it for one
/// purchase.
///
/// In JSON and YAML it is a string, the compact JWS, or for the original format an object with `keyId`, `nonce`,
/// `timestamp` and `signature`.
@nonexhaustive
public enum OfferSignature: Sendable, Hashable, Codable {
    /// The original format. Apple's page: *Generating a signature for promotional offers*. The signed text also
    /// contains the product, the offer and the account of the purchase.
    case original(keyID: String, nonce: String, timestamp: Int64, signature: String)
    /// A compact JWS. Apple's page: *Generating JWS to sign App Store requests*.
    case jws(String)

    /// The object that the original format is in JSON.
    private struct Original: Codable {
        let keyId: String
        let nonce: String
        let timestamp: Int64
        let signature: String
    }

    /// Decodes a string or an object.
    public init(from decoder: any Decoder) throws {
        if let single = try? decoder.singleValueContainer(), let token = try? single.decode(String.self) {
            self = .jws(token)
            return
        }
        let read = try Original(from: decoder)
        self = .original(
            keyID: read.keyId, nonce: read.nonce, timestamp: read.timestamp, signature: read.signature)
    }

    /// Encodes a string or an object.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .jws(let token):
            var container = encoder.singleValueContainer()
            try container.encode(token)
        case .original(let keyID, let nonce, let timestamp, let signature):
            try Original(keyId: keyID, nonce: nonce, timestamp: timestamp, signature: signature).encode(to: encoder)
        }
    }
}
