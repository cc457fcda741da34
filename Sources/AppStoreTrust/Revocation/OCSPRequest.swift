internal import Crypto
package import Foundation
internal import SwiftASN1
package import X509

/// The content of an OCSP request: one certificate and its issuer (RFC 6960 §4.1).
package struct OCSPRequest: Sendable, Hashable {
    let issuerName: [UInt8]
    let issuerKey: [UInt8]
    let serialNumber: [UInt8]

    /// Throws only if the issuer's name cannot be encoded in DER.
    package init(certificate: Certificate, issuer: Certificate) throws {
        var serializer = DER.Serializer()
        try serializer.serialize(issuer.subject)
        issuerName = serializer.serializedBytes
        issuerKey = Array(issuer.publicKey.subjectPublicKeyInfoBytes)
        serialNumber = Array(certificate.serialNumber.bytes)
    }

    /// Returns the DER encoding of the request, with a SHA-256 certificate ID as Apple's responders expect.
    package func encoded() throws -> Data {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { request in
            try request.appendConstructedNode(identifier: .sequence) { tbs in
                try tbs.appendConstructedNode(identifier: .sequence) { list in
                    try list.appendConstructedNode(identifier: .sequence) { try appendCertificateID(to: &$0) }
                }
            }
        }
        return Data(serializer.serializedBytes)
    }

    private func appendCertificateID(to coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { id in
            try id.appendConstructedNode(identifier: .sequence) { algorithm in
                try algorithm.serialize(ASN1ObjectIdentifier.sha256)
                try algorithm.serialize(ASN1Null())
            }
            try id.serialize(ASN1OctetString(contentBytes: Array(SHA256.hash(data: issuerName))[...]))
            try id.serialize(ASN1OctetString(contentBytes: Array(SHA256.hash(data: issuerKey))[...]))
            try id.serialize(serialNumber[...])
        }
    }

    /// Whether a certificate ID in a response identifies this certificate. Responders may also use SHA-1.
    func matches(_ id: OCSPResponse.CertificateID) -> Bool {
        guard id.serialNumber.elementsEqual(serialNumber) else { return false }
        switch id.hashAlgorithm {
        case .sha256:
            return id.issuerNameHash.elementsEqual(SHA256.hash(data: issuerName))
                && id.issuerKeyHash.elementsEqual(SHA256.hash(data: issuerKey))
        case .sha1:
            return id.issuerNameHash.elementsEqual(Insecure.SHA1.hash(data: issuerName))
                && id.issuerKeyHash.elementsEqual(Insecure.SHA1.hash(data: issuerKey))
        default:
            return false
        }
    }
}
