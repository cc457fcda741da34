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

    private enum CodingKeys: String, CodingKey {
        case keyID = "keyId"
        case nonce, timestamp, signature
    }

    /// Decodes a string or an object.
    public init(from decoder: any Decoder) throws {
        if let single = try? decoder.singleValueContainer(), let token = try? single.decode(String.self) {
            self = .jws(token)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self = .original(
            keyID: try container.decode(String.self, forKey: .keyID),
            nonce: try container.decode(String.self, forKey: .nonce),
            timestamp: try container.decode(Int64.self, forKey: .timestamp),
            signature: try container.decode(String.self, forKey: .signature))
    }

    /// Encodes a string or an object.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .jws(let token):
            var container = encoder.singleValueContainer()
            try container.encode(token)
        case .original(let keyID, let nonce, let timestamp, let signature):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(keyID, forKey: .keyID)
            try container.encode(nonce, forKey: .nonce)
            try container.encode(timestamp, forKey: .timestamp)
            try container.encode(signature, forKey: .signature)
        }
    }
}
