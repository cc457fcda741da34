internal import AppStoreTrust
internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import _CryptoExtras

/// The digests of receipts: SHA-1 until 2023, SHA-256 since.
enum ReceiptDigest: Sendable {
    case sha1
    case sha256

    init(_ algorithm: ASN1ObjectIdentifier) throws(VerificationError) {
        switch algorithm {
        case .sha1: self = .sha1
        case .sha256: self = .sha256
        default: throw VerificationError(.unsupportedAlgorithm, "the digest is neither SHA-1 nor SHA-256")
        }
    }

    /// Creates the digest of a certificate's signature algorithm.
    init(signature algorithm: ASN1ObjectIdentifier) throws(VerificationError) {
        switch algorithm {
        case .sha1WithRSA: self = .sha1
        case .sha256WithRSA: self = .sha256
        default: throw VerificationError(.unsupportedAlgorithm, "the signature is neither SHA-1 nor SHA-256 with RSA")
        }
    }

    /// Throws if a signature algorithm contradicts the digest. Apple names only RSA, Xcode also RSA with the digest.
    func requireAgreement(with algorithm: ASN1ObjectIdentifier) throws(VerificationError) {
        let combination: ASN1ObjectIdentifier = self == .sha1 ? .sha1WithRSA : .sha256WithRSA
        guard algorithm == .rsaEncryption || algorithm == combination else {
            throw VerificationError(
                .unsupportedAlgorithm, "the signature algorithm is not RSA with the receipt's digest")
        }
    }

    func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        }
    }
}

/// A public RSA key that verifies signatures with PKCS #1 v1.5 padding, the only one in receipts.
struct RSAVerifier {
    private let key: _RSA.Signing.PublicKey

    /// - Parameter subjectPublicKeyInfo: The key in DER, with at least 1024 bits: receipts until 2015 were signed with
    ///   1024.
    init(subjectPublicKeyInfo: [UInt8]) throws(VerificationError) {
        do {
            key = try _RSA.Signing.PublicKey(unsafeDERRepresentation: subjectPublicKeyInfo)
        } catch {
            throw VerificationError(
                .unsupportedAlgorithm, "the certificate's key is not an RSA key of 1024 bits or more")
        }
    }

    func isValid(_ signature: [UInt8], of bytes: [UInt8], digest: ReceiptDigest) -> Bool {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        switch digest {
        case .sha1:
            return key.isValidSignature(signature, for: Insecure.SHA1.hash(data: bytes), padding: .insecurePKCS1v1_5)
        case .sha256:
            return key.isValidSignature(signature, for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
        }
    }
}
