package import AppStoreTrust
internal import Crypto
internal import Foundation
package import StoreSimulator
internal import X509

/// The chain whose certificates are forged for signed data, and the authority that signs with it.
package enum ForgedChains {
    /// The encoded keys end in an even octet, so that an unused last bit can be zero.
    private static let shared = Result {
        func key() -> P384.Signing.PrivateKey {
            while true {
                let key = P384.Signing.PrivateKey()
                if key.publicKey.x963Representation.last.map({ $0 & 1 == 0 }) ?? false { return key }
            }
        }
        func leafKey() -> P256.Signing.PrivateKey {
            while true {
                let key = P256.Signing.PrivateKey()
                if key.publicKey.x963Representation.last.map({ $0 & 1 == 0 }) ?? false { return key }
            }
        }
        let (now, signingKey) = (TestStore.now, leafKey())
        let root = try Authority.rootTemplate("Test", now).issue(for: .init(key()))
        let intermediate = try Authority.intermediateTemplate("Test", now).issue(for: .init(key()), by: root)
        let leaf = try Authority.leafTemplate("Test", now).issue(for: .init(signingKey), by: intermediate)
        return Authority(root: root, intermediate: intermediate, leaf: leaf, signingKey: signingKey)
    }

    package static func authority() throws -> Authority { try shared.get() }

    /// The valid chain.
    package static func chain() throws -> ForgeableChain {
        let authority = try authority()
        return try ForgeableChain(
            leaf: authority.leaf, intermediate: authority.intermediate, root: authority.root, isRSA: false)
    }

    /// Returns a transaction with a chain in its header, signed by the key of the valid leaf.
    package static func transaction(under chain: [[UInt8]]) throws -> String {
        try EditableJWS(authority(), chain: chain).text
    }

    /// Returns trust anchors with the last certificate of a chain, whatever its defects.
    package static func anchors(of chain: [[UInt8]]) -> TrustAnchors {
        TrustAnchors(names: [Array(SHA256.hash(data: chain.last ?? [])): "Test"])
    }
}
