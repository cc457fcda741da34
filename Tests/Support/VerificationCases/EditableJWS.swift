internal import AppStoreTrust
import Basics
package import Crypto
package import Foundation
package import StoreSimulator

/// A JWS whose parts can be replaced before or after it is signed.
package struct EditableJWS: Sendable {
    /// The segments as text, usually base64url.
    package var header: String
    package var payload: String
    package var signature: String

    /// The segments joined by dots.
    package var text: String { "\(header).\(payload).\(signature)" }

    /// Encodes and signs a header and a payload.
    package init(header: Data, payload: Data, key: P256.Signing.PrivateKey) throws {
        try self.init(signing: Base64.encodeURL(header), Base64.encodeURL(payload), key: key)
    }

    /// Signs segments without encoding them.
    package init(signing header: String, _ payload: String, key: P256.Signing.PrivateKey) throws {
        self.header = header
        self.payload = payload
        signature = Base64.encodeURL(try key.signature(for: Data("\(header).\(payload)".utf8)).rawRepresentation)
    }

    /// A valid JWS.
    package init(_ authority: Authority, payload: String = Members(.transaction).json) throws {
        try self.init(header: Data(authority.header().utf8), payload: Data(payload.utf8), key: authority.signingKey)
    }

    /// A JWS that is valid except for its header.
    package init(_ authority: Authority, header: String) throws {
        try self.init(
            header: Data(header.utf8), payload: Data(Members(.transaction).json.utf8), key: authority.signingKey)
    }

    /// A JWS with this chain in its header.
    package init(_ authority: Authority, chain: [[UInt8]]) throws {
        try self.init(authority, header: Self.header(chain))
    }

    /// A header with this chain.
    package static func header(_ chain: [[UInt8]]) -> String {
        header(x5c: chain.map { Data($0).base64EncodedString() })
    }

    /// A header with these texts as `x5c`.
    package static func header(x5c: [String]) -> String {
        #"{"alg":"ES256","x5c":["# + x5c.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
    }

    /// Returns a copy after a change.
    package func changing(_ change: (inout EditableJWS) throws -> Void) rethrows -> EditableJWS {
        var copy = self
        try change(&copy)
        return copy
    }
}

extension Authority {
    /// Signs the members of a payload.
    package func sign(_ members: Members) throws -> String { try sign(json: Data(members.json.utf8)) }

    /// The header with more members before `alg`, each followed by a comma.
    package func header(adding members: String) -> String {
        "{" + members + header().dropFirst()
    }
}
