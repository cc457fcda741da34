import Crypto
import Foundation
import SwiftASN1
import X509
import _CryptoExtras

/// A chain of its own that looks like Apple's, for receipts that no store has made.
struct TestAuthority: Sendable {
    struct Party: Sendable {
        let key: _RSA.Signing.PrivateKey
        let certificate: Certificate
        let der: [UInt8]
    }

    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    static let validity = Date(timeIntervalSince1970: 1_600_000_000)...Date(timeIntervalSince1970: 1_700_000_000)

    let root: Party
    let intermediate: Party
    let leaf: Party
    /// A self-signed certificate as Xcode has it.
    let xcode: Party

    /// Keys are expensive: one authority serves all tests.
    static let shared = Result { try TestAuthority() }

    private init() throws {
        root = try Self.issue("Test Root", isAuthority: true)
        intermediate = try Self.issue(
            "Test Intermediate", by: root, isAuthority: true, markers: [Self.intermediateMarker])
        leaf = try Self.issue("Test Signer", by: intermediate, markers: [Self.leafMarker])
        xcode = try Self.issue("StoreKit", isAuthority: true)
    }

    /// Issues a certificate, by itself where there is no issuer.
    static func issue(
        _ name: String, by issuer: Party? = nil, key: _RSA.Signing.PrivateKey? = nil, isAuthority: Bool = false,
        canSign: Bool = true, markers: [ASN1ObjectIdentifier] = [], validity: ClosedRange<Date> = validity,
        critical: ASN1ObjectIdentifier? = nil, pathLength: Int? = nil, version: Certificate.Version = .v3
    ) throws -> Party {
        let key = try key ?? _RSA.Signing.PrivateKey(keySize: .bits2048)
        let subject = try DistinguishedName { CommonName(name) }
        var extensions = try Certificate.Extensions {
            Critical(
                isAuthority
                    ? BasicConstraints.isCertificateAuthority(maxPathLength: pathLength) : .notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: canSign, keyCertSign: isAuthority && canSign, cRLSign: !canSign))
        }
        for marker in markers { try extensions.append(.init(oid: marker, critical: false, value: [5, 0])) }
        if let critical { try extensions.append(.init(oid: critical, critical: true, value: [5, 0])) }
        let certificate = try Certificate(
            version: version, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: validity.lowerBound,
            notValidAfter: validity.upperBound, issuer: issuer?.certificate.subject ?? subject, subject: subject,
            signatureAlgorithm: .sha256WithRSAEncryption, extensions: extensions,
            issuerPrivateKey: .init(issuer?.key ?? key))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return Party(key: key, certificate: certificate, der: serializer.serializedBytes)
    }
}
