internal import AppStoreTrust
package import Crypto
package import Foundation

extension Authority {
    /// Signs a payload as the App Store does: compact form, the chain in the header.
    package func sign(_ payload: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try sign(json: encoder.encode(payload))
    }

    /// Signs bytes that are, or are not, JSON.
    package func sign(json: Data) throws -> String {
        try Self.compact(header: Data(header().utf8), payload: json, key: signingKey)
    }

    /// The header's JSON.
    package func header() -> String {
        let x5c = chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        return "{\"alg\":\"ES256\",\"x5c\":[\(x5c)]}"
    }

    /// Any header and any payload, signed by any key.
    package static func compact(header: Data, payload: Data, key: P256.Signing.PrivateKey) throws -> String {
        let input = Base64.encodeURL(header) + "." + Base64.encodeURL(payload)
        let signature = try key.signature(for: Data(input.utf8))
        return input + "." + Base64.encodeURL(signature.rawRepresentation)
    }
}
