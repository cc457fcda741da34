internal import AppStoreTrust
internal import Basics

/// The outer property list of a transaction receipt, parsed but not verified.
struct LegacyContainer: Sendable, Hashable {
    let list: PropertyList

    init(_ bytes: [UInt8]) throws(VerificationError) {
        list = try PropertyList(bytes, "the transaction receipt")
    }

    /// Returns the signed purchase information, decoded from base64. It is a property list too.
    func purchaseInfo() throws(VerificationError) -> [UInt8] { try bytes("purchase-info") }

    func signature() throws(VerificationError) -> LegacySignature { try LegacySignature(bytes("signature")) }

    private func bytes(_ key: String) throws(VerificationError) -> [UInt8] {
        guard let text = list[key], let bytes = Base64.decode(text), !bytes.isEmpty else {
            throw .malformed("the transaction receipt lacks \(key) as base64")
        }
        return bytes
    }
}

/// The signature of a transaction receipt: a version byte, an RSA signature, and the signer's certificate.
struct LegacySignature: Sendable, Hashable {
    enum Version: UInt8, Sendable {
        /// Until 2015: RSA-1024, with a certificate of the iTunes Store authority.
        case two = 2
        /// Since then: RSA-2048, with the certificate that also signs unified receipts.
        case three = 3

        var signatureBytes: Int { self == .two ? 128 : 256 }
    }

    let version: Version
    let signature: [UInt8]
    let certificate: [UInt8]

    init(_ blob: [UInt8]) throws(VerificationError) {
        var rest = blob[...]
        guard let first = rest.popFirst(), let version = Version(rawValue: first) else {
            throw .malformed("the signature has an unknown version")
        }
        self.version = version
        signature = Array(rest.prefix(version.signatureBytes))
        rest = rest.dropFirst(version.signatureBytes)
        let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(4)
        guard length > 0, rest.count == length else { throw .malformed("the signature is truncated or too long") }
        guard length <= ReceiptLimits.certificateBytes else {
            throw VerificationError(.tooLarge, "the certificate of the signature is too large")
        }
        certificate = Array(rest)
    }
}
