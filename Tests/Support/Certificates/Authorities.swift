internal import Crypto
package import StoreSimulator
internal import SwiftASN1
internal import X509

// What tests need of the simulator's certificate authorities, but the simulator itself does not.

extension Authority {
    /// Returns the root in PEM, for tools that read files.
    package func rootPEM() throws -> String { try root.certificate.serializeAsPEM().pemString }

    /// The signing key in PEM (PKCS #8), for tools that sign.
    package var signingKeyPEM: String { signingKey.pemRepresentation }
}

extension ReceiptAuthority {
    /// Returns the root in PEM, for tools that read files.
    package func rootPEM() throws -> String { try root.certificate.serializeAsPEM().pemString }
}

extension ReceiptBuilder {
    /// Returns the two signed attributes that CMS requires if there are any (RFC 5652 §5.3).
    package static func standardAttributes(_ digest: [UInt8]) throws -> [[UInt8]] {
        [
            try RawDER.sequence(
                RawDER.oid([1, 2, 840, 113549, 1, 9, 3]), RawDER.set([RawDER.oid([1, 2, 840, 113549, 1, 7, 1])])),
            try RawDER.sequence(RawDER.oid([1, 2, 840, 113549, 1, 9, 4]), RawDER.set([RawDER.octets(digest)])),
        ]
    }
}
