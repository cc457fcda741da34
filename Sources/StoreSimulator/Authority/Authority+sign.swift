internal import AppStoreServer
package import Crypto
package import Foundation

extension Authority {
    /// Signs a payload as the App Store does: compact form, the chain in the header.
    package func sign(_ payload: some Encodable) throws -> String {
        try sign(json: CompactJWS.json(payload))
    }

    /// Signs bytes that are, or are not, JSON.
    package func sign(json: Data) throws -> String {
        try Self.compact(header: Data(header().utf8), payload: json, key: signingKey)
    }

    /// The header's JSON.
    package func header() -> String { Self.header(chain: chain) }

    /// The JSON of a header with this chain: the members of the genuine one, in their order.
    package static func header(chain: [[UInt8]]) -> String {
        let x5c = chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        return "{\"alg\":\"ES256\",\"x5c\":[\(x5c)]}"
    }

    /// Any header and any payload, signed by any key.
    package static func compact(header: Data, payload: Data, key: P256.Signing.PrivateKey) throws -> String {
        try CompactJWS.sign(header: header, payload: payload, with: key)
    }
}
