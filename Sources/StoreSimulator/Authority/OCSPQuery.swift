internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// An OCSP request about one certificate (RFC 6960 §4.1.1).
///
/// Requests about several certificates are refused: RFC 5019 §2.1.1 requires clients to ask about one, and clients of
/// the App Store do.
package struct OCSPQuery: Sendable {
    /// The DER of the `CertID`. The response repeats it unchanged.
    let certificateID: [UInt8]
    let hashAlgorithm: ASN1ObjectIdentifier
    let issuerNameHash: [UInt8]
    let issuerKeyHash: [UInt8]
    /// The content bytes of the INTEGER.
    package let serialNumber: [UInt8]
    /// The nonce extension. The response repeats it unchanged (RFC 9654).
    let nonce: Certificate.Extension?

    /// The maximum size of a request, far above that of real requests.
    package static let maximumSize = 8 * 1024

    /// Parses a request. Throws if the bytes are not a request.
    package init(der: some Collection<UInt8>) throws {
        guard der.count <= Self.maximumSize else { throw Self.malformed }
        self = try DER.sequence(try DER.parse(Array(der)), identifier: .sequence) { request in
            guard let tbs = request.next() else { throw Self.malformed }
            let query = try DER.sequence(tbs, identifier: .sequence) { try Self(tbs: &$0) }
            // Ignore a signature of the client: every client gets a response.
            _ = try DER.optionalExplicitlyTagged(&request, tagNumber: 0, tagClass: .contextSpecific) { _ in }
            return query
        }
    }

    private init(tbs fields: inout ASN1NodeCollection.Iterator) throws {
        let version = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) {
            try Int(derEncoded: $0)
        }
        guard version ?? 0 == 0 else { throw Self.malformed }
        _ = try DER.optionalExplicitlyTagged(&fields, tagNumber: 1, tagClass: .contextSpecific) { _ in }
        guard let list = fields.next() else { throw Self.malformed }
        let id = try DER.sequence(list, identifier: .sequence) { requests -> ASN1Node in
            guard let single = requests.next() else { throw Self.malformed }
            return try DER.sequence(single, identifier: .sequence) { parts in
                guard let id = parts.next() else { throw Self.malformed }
                _ = try DER.optionalExplicitlyTagged(&parts, tagNumber: 0, tagClass: .contextSpecific) { _ in }
                return id
            }
        }
        let extensions = try DER.optionalExplicitlyTagged(&fields, tagNumber: 2, tagClass: .contextSpecific) {
            try Self.extensions($0)
        }
        nonce = extensions?.first { $0.oid == [1, 3, 6, 1, 5, 5, 7, 48, 1, 2] }
        // RFC 9654 §2.1: longer nonces are refused.
        guard nonce?.value.count ?? 0 <= 128 + 3 else { throw Self.malformed }
        certificateID = Array(id.encodedBytes)
        (hashAlgorithm, issuerNameHash, issuerKeyHash, serialNumber) = try DER.sequence(id, identifier: .sequence) {
            fields in
            guard let algorithm = fields.next() else { throw Self.malformed }
            let identifier = try DER.sequence(algorithm, identifier: .sequence) { parts in
                let identifier = try ASN1ObjectIdentifier(derEncoded: &parts)
                // The parameters are NULL or absent.
                _ = parts.next()
                return identifier
            }
            let name = try ASN1OctetString(derEncoded: &fields).bytes
            let key = try ASN1OctetString(derEncoded: &fields).bytes
            let serial = try ArraySlice<UInt8>(derEncoded: &fields)
            return (identifier, Array(name), Array(key), Array(serial))
        }
    }

    private static func extensions(_ node: ASN1Node) throws -> [Certificate.Extension] {
        guard node.identifier == .sequence, case .constructed(let children) = node.content else { throw malformed }
        return try children.prefix(16).map { try Certificate.Extension(derEncoded: $0) }
    }

    /// Whether the request is about a certificate of this issuer.
    package func matches(issuer: Issued) -> Bool {
        guard let name = try? RawDER.encoded(issuer.certificate.subject) else { return false }
        let key = issuer.certificate.publicKey.subjectPublicKeyInfoBytes
        switch hashAlgorithm {
        case [2, 16, 840, 1, 101, 3, 4, 2, 1]:
            return issuerNameHash.elementsEqual(SHA256.hash(data: name))
                && issuerKeyHash.elementsEqual(SHA256.hash(data: Array(key)))
        case [1, 3, 14, 3, 2, 26]:
            return issuerNameHash.elementsEqual(Insecure.SHA1.hash(data: name))
                && issuerKeyHash.elementsEqual(Insecure.SHA1.hash(data: Array(key)))
        default: return false
        }
    }

    private static var malformed: CocoaError { CocoaError(.coderReadCorrupt) }
}
