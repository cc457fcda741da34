internal import Crypto
internal import Foundation
package import SwiftASN1
internal import X509

/// Builds and signs the container of a receipt (RFC 5652 §5, in the form of PKCS #7). With default values, the result
/// has the App Store's format. Each property changes one aspect of it.
package struct ReceiptBuilder {
    package var payload: [UInt8]
    package var signer: Issued
    /// The included certificates, in the order of the chain.
    package var certificates: [[UInt8]]
    /// The digest algorithm: SHA-256, or SHA-1 for receipts as they were until 2023. Any other identifier is written to
    /// the receipt, but SHA-256 is used.
    package var digest: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    /// The signature algorithm: only the key type, as in the App Store's receipts.
    package var signatureAlgorithm: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    package var contentType: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    package var outerType: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    package var signerCount = 1
    /// Whether the payload is omitted.
    package var isDetached = false
    /// Whether to use Xcode's format: indefinite lengths and the payload in chunks.
    package var isIndefinite = false
    /// Returns the elements of the signed attributes for the digest of the payload; nil for no signed attributes.
    package var signedAttributes: (([UInt8]) throws -> [[UInt8]])?
    /// The content that replaces the payload after signing; nil for none.
    package var substitute: [UInt8]?

    package init(payload: [UInt8], authority: ReceiptAuthority) {
        self.payload = payload
        signer = authority.leaf
        certificates = [authority.leaf.der, authority.intermediate.der, authority.root.der]
    }

    /// Returns the DER or BER of the receipt.
    package func bytes() throws -> [UInt8] {
        let bag = certificates.isEmpty ? [] : RawDER.element(0xA0, Array(certificates.joined()))
        let fields =
            try RawDER.integer(1) + RawDER.set([algorithm(digest)]) + encapsulated() + bag
            + RawDER.set(Array(repeating: signerInfo(), count: signerCount))
        if isIndefinite {
            let data = RawDER.indefinite(0xA0, RawDER.indefinite(0x30, fields))
            return RawDER.indefinite(0x30, try RawDER.oid(outerType) + data)
        }
        return RawDER.sequence(try RawDER.oid(outerType), RawDER.element(0xA0, RawDER.element(0x30, fields)))
    }

    private func encapsulated() throws -> [UInt8] {
        let type = try RawDER.oid(contentType)
        let content = substitute ?? payload
        guard isIndefinite else {
            return RawDER.sequence(type, isDetached ? [] : RawDER.element(0xA0, RawDER.octets(content)))
        }
        let half = content.count / 2
        let chunks = RawDER.octets(Array(content[..<half])) + RawDER.octets(Array(content[half...]))
        let wrapped = RawDER.indefinite(0xA0, RawDER.indefinite(0x24, chunks))
        return RawDER.indefinite(0x30, type + (isDetached ? [] : wrapped))
    }

    private func signerInfo() throws -> [UInt8] {
        let isSHA1 = digest == [1, 3, 14, 3, 2, 26]
        let hash = isSHA1 ? Array(Insecure.SHA1.hash(data: payload)) : Array(SHA256.hash(data: payload))
        let attributes = try signedAttributes.map { Array(try $0(hash).joined()) }
        let signature = try signer.key.sign(
            bytes: attributes.map { RawDER.element(0x31, $0) } ?? payload,
            signatureAlgorithm: isSHA1 ? .sha1WithRSAEncryption : .sha256WithRSAEncryption)
        let identifier = RawDER.sequence(
            try RawDER.encoded(signer.certificate.issuer), RawDER.unsigned(Array(signer.certificate.serialNumber.bytes))
        )
        return try RawDER.sequence(
            RawDER.integer(1), identifier, algorithm(digest), attributes.map { RawDER.element(0xA0, $0) } ?? [],
            algorithm(signatureAlgorithm), RawDER.octets(Array(signature.rawRepresentation)))
    }

    private func algorithm(_ identifier: ASN1ObjectIdentifier) throws -> [UInt8] {
        RawDER.sequence(try RawDER.oid(identifier), RawDER.null)
    }
}
