internal import AppStoreTrust
import Basics
package import Crypto
package import Foundation
package import StoreSimulator

/// A JWS in the making: each piece can be replaced before the signature or after it.
package struct Pieces: Sendable {
    /// Segments as text; usually base64url.
    package var header: String
    package var payload: String
    package var signature: String

    /// The three joined by dots.
    package var text: String { "\(header).\(payload).\(signature)" }

    /// Header and payload encoded and signed.
    package init(header: Data, payload: Data, key: P256.Signing.PrivateKey) throws {
        try self.init(signing: Base64.encodeURL(header), Base64.encodeURL(payload), key: key)
    }

    /// Segments as they are, signed.
    package init(signing header: String, _ payload: String, key: P256.Signing.PrivateKey) throws {
        self.header = header
        self.payload = payload
        signature = Base64.encodeURL(try key.signature(for: Data("\(header).\(payload)".utf8)).rawRepresentation)
    }

    /// A genuine one.
    package init(_ authority: Authority, payload: String = Members(.transaction).json) throws {
        try self.init(header: Data(authority.header().utf8), payload: Data(payload.utf8), key: authority.signingKey)
    }

    /// A genuine one but for its header.
    package init(_ authority: Authority, header: String) throws {
        try self.init(
            header: Data(header.utf8), payload: Data(Members(.transaction).json.utf8), key: authority.signingKey)
    }

    /// One whose header holds this chain.
    package init(_ authority: Authority, chain: [[UInt8]]) throws {
        try self.init(authority, header: Self.header(chain))
    }

    /// A header with this chain.
    package static func header(_ chain: [[UInt8]]) -> String {
        header(x5c: chain.map { Data($0).base64EncodedString() })
    }

    /// A header with these texts as its chain.
    package static func header(x5c: [String]) -> String {
        #"{"alg":"ES256","x5c":["# + x5c.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
    }

    /// The same text with one replacement.
    package func changing(_ change: (inout Pieces) throws -> Void) rethrows -> Pieces {
        var copy = self
        try change(&copy)
        return copy
    }
}

extension Authority {
    /// Signs the members of a payload.
    package func sign(_ members: Members) throws -> String { try sign(json: Data(members.json.utf8)) }

    /// The header with other members put before `alg`, each ending in a comma.
    package func header(adding members: String) -> String {
        "{" + members + header().dropFirst()
    }
}
