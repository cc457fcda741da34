import AppStoreReceipts
import Foundation
import StoreSimulator
import SwiftASN1
import X509
import _CryptoExtras

extension ReceiptAuthority {
    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

    /// Creating keys is slow, so that all tests share one authority. Its certificates are valid from 2020 to 2029.
    static let shared = Result { try ReceiptAuthority(now: Date(timeIntervalSince1970: 1_640_995_200)) }

    /// Issues another certificate for an existing key, self-signed if `issuer` is nil.
    func issue(
        _ name: String, by issuer: Issued? = nil, key: Certificate.PrivateKey, isAuthority: Bool = false,
        canSign: Bool = true, markers: [ASN1ObjectIdentifier] = [], validity: ClosedRange<Date>? = nil,
        critical: ASN1ObjectIdentifier? = nil, pathLength: Int? = nil, version: Certificate.Version = .v3
    ) throws -> Issued {
        let validity = validity ?? self.validity
        var template = CertificateTemplate(
            commonName: name, notBefore: validity.lowerBound, notAfter: validity.upperBound,
            basicConstraints: isAuthority
                ? .isCertificateAuthority(maxPathLength: pathLength) : .notCertificateAuthority,
            keyUsage: KeyUsage(digitalSignature: canSign, keyCertSign: isAuthority && canSign, cRLSign: !canSign))
        template.markers = markers
        template.version = version
        if let critical { template.extraExtensions = [.init(oid: critical, critical: true, value: [5, 0])] }
        return try template.issue(for: key, by: issuer)
    }
}

extension Issued {
    /// This certificate with a private key that does not belong to it.
    func with(key other: Issued) throws -> Issued { try Issued(certificate: certificate, key: other.key) }
}
