internal import Crypto
package import Foundation
internal import SwiftASN1
package import X509

/// A responder's status of one certificate that passed all checks of RFC 6960 §3.2.
package struct VerifiedOCSPResponse: Sendable, Hashable {
    package enum Status: Sendable, Hashable {
        case good
        case revoked(Date)
        /// The responder does not know the certificate.
        case unknown
    }

    package let status: Status
    /// When the responder last knew the status to be correct.
    package let thisUpdate: Date
    /// Until when the status may be used.
    package let expires: Date

    /// The tolerance for clocks that differ: how far in the future `thisUpdate` may be, in seconds.
    static let tolerance: TimeInterval = 60
    /// The maximum age and lifetime of a response without `nextUpdate`, in seconds.
    static let defaultLifetime: TimeInterval = 300
    /// The maximum time for which a response is used, in seconds, whatever its `nextUpdate`: one day from its arrival.
    /// Otherwise a response valid for years, for example from a responder with a wrong clock, would hide a revocation
    /// for that long.
    ///
    /// The time does not start at `thisUpdate`, because a responder may sign responses several days in advance, above
    /// all for intermediates. Such a response stays valid until `nextUpdate` (RFC 6960 §4.2.2.1) and is requested again
    /// every day.
    static let maximumLifetime: TimeInterval = 86_400

    /// Parses and verifies a response to `request`.
    ///
    /// - Throws: ``OCSPProblem``, or an ASN.1 error if the data are not an OCSP response.
    package init(der: Data, to request: OCSPRequest, issuer: Certificate, now: Date) throws {
        let response = try OCSPResponse(der: Array(der))
        try response.requireAuthority(of: issuer, now: now)
        guard !response.hasCriticalExtension else {
            throw OCSPProblem("the response has an unknown critical extension")
        }
        guard let single = response.responses.first(where: { request.matches($0.id) }) else {
            throw OCSPProblem("the response is about another certificate")
        }
        guard !single.hasCriticalExtension else { throw OCSPProblem("the answer has an unknown critical extension") }
        guard single.thisUpdate <= now + Self.tolerance else { throw OCSPProblem("the answer is not yet valid") }
        let end = single.nextUpdate ?? single.thisUpdate + Self.defaultLifetime
        expires = min(end, now + Self.maximumLifetime)
        guard now < expires else { throw OCSPProblem("the answer has expired") }
        (status, thisUpdate) = (single.status, single.thisUpdate)
    }

    /// Throws `revoked` if the certificate, which the response is about, was revoked.
    func requireNotRevoked(_ certificate: @autoclosure () -> Certificate) throws(VerificationError) {
        guard case .revoked(let date) = status else { return }
        throw VerificationError(.revoked, "\(certificate().subject) was revoked at \(date.formatted(.iso8601))")
    }
}

extension OCSPResponse {
    /// Throws unless the response is signed by the issuer or by a responder that the issuer authorized (RFC 6960
    /// §4.2.2.2).
    func requireAuthority(of issuer: Certificate, now: Date) throws {
        let signer = try signer(authorizedBy: issuer, now: now)
        guard let algorithm = Self.signatureAlgorithms[signatureAlgorithm] else {
            throw OCSPProblem("the response is signed with an algorithm that is not accepted")
        }
        guard signer.publicKey.isValidSignature(signature, for: signedBytes, signatureAlgorithm: algorithm) else {
            throw OCSPProblem("the response's signature is wrong")
        }
    }

    private func signer(authorizedBy issuer: Certificate, now: Date) throws -> Certificate {
        if isResponder(issuer) { return issuer }
        guard let signer = certificates.first(where: isResponder) else {
            throw OCSPProblem("the response contains no certificate of its responder")
        }
        guard signer.issuer == issuer.subject, issuer.publicKey.isValidSignature(signer.signature, for: signer) else {
            throw OCSPProblem("the responder was not authorized by the issuer")
        }
        guard try signer.extensions.extendedKeyUsage?.contains(.ocspSigning) == true else {
            throw OCSPProblem("the responder's certificate is not for signing OCSP responses")
        }
        // RFC 5280 §4.2.1.12: a key usage limits the purpose, and must be one of these.
        if let usage = try signer.extensions.keyUsage, !usage.digitalSignature, !usage.nonRepudiation {
            throw OCSPProblem("the responder's certificate may not be used for digital signatures")
        }
        // RFC 5280 §4.2: a certificate with a critical extension that is not understood must be rejected.
        guard signer.extensions.allSatisfy({ !$0.critical || Self.understood.contains($0.oid) }) else {
            throw OCSPProblem("the responder's certificate has an unknown critical extension")
        }
        guard signer.notValidBefore <= now, now <= signer.notValidAfter else {
            throw OCSPProblem("the responder's certificate is not valid now")
        }
        return signer
    }

    /// The extensions of a responder's certificate that may be critical. Basic constraints do not matter, because it
    /// issues nothing here. The last says that its own revocation need not be checked (RFC 6960 §4.2.2.2.1); it never is.
    private static let understood: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        [1, 3, 6, 1, 5, 5, 7, 48, 1, 5],
    ]

    private func isResponder(_ certificate: Certificate) -> Bool {
        switch responder {
        case .name(let name): certificate.subject == name
        // RFC 6960 §4.2.1: SHA-1 of the key, without tag, length and unused bits.
        case .key(let hash):
            hash.elementsEqual(Insecure.SHA1.hash(data: Array(certificate.publicKey.subjectPublicKeyInfoBytes)))
        }
    }

    private static let signatureAlgorithms: [ASN1ObjectIdentifier: Certificate.SignatureAlgorithm] = [
        [1, 2, 840, 10045, 4, 3, 2]: .ecdsaWithSHA256,
        [1, 2, 840, 10045, 4, 3, 3]: .ecdsaWithSHA384,
        [1, 2, 840, 10045, 4, 3, 4]: .ecdsaWithSHA512,
        .sha256WithRSA: .sha256WithRSAEncryption,
        .sha384WithRSA: .sha384WithRSAEncryption,
        .sha512WithRSA: .sha512WithRSAEncryption,
    ]
}
