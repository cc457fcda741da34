internal import AppStoreServer
package import Foundation

extension Authority {
    /// Signs a payload as the App Store does: a compact JWS with the certificate chain in the header.
    package func sign(_ payload: some Encodable) throws -> String {
        try sign(json: CompactJWS.json(payload))
    }

    /// Signs bytes. They need not be JSON.
    package func sign(json: Data) throws -> String {
        try CompactJWS.sign(header: header().utf8, payload: json, with: signingKey)
    }

    /// Returns the JSON of the header.
    package func header() -> String { Self.header(chain: chain) }

    /// Returns the JSON of a header with this chain. It has the members of Apple's header, in the same order.
    package static func header(chain: [[UInt8]]) -> String {
        let x5c = chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        return "{\"alg\":\"ES256\",\"x5c\":[\(x5c)]}"
    }
}
