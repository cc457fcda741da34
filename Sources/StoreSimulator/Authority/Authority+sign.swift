internal import AppStoreServer
package import Crypto
package import Foundation

extension Authority {
    /// Signs a payload as the App Store does: a compact JWS with the certificate chain in the header.
    package func sign(_ payload: some Encodable) throws -> String {
        try sign(json: CompactJWS.json(payload))
    }

    /// Signs bytes. They need not be JSON.
    package func sign(json: Data) throws -> String {
        try Self.compact(header: Data(header().utf8), payload: json, key: signingKey)
    }

    /// Returns the JSON of the header.
    package func header() -> String { Self.header(chain: chain) }

    /// Returns the JSON of a header with this chain. It has the members of Apple's header, in the same order.
    package static func header(chain: [[UInt8]]) -> String {
        let x5c = chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        return "{\"alg\":\"ES256\",\"x5c\":[\(x5c)]}"
    }

    /// Returns a compact JWS of any header and payload, signed by any key.
    package static func compact(header: Data, payload: Data, key: P256.Signing.PrivateKey) throws -> String {
        try CompactJWS.sign(header: header, payload: payload, with: key)
    }
}
