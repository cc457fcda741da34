internal import Crypto
package import Foundation
internal import SwiftASN1
package import X509

/// A responder's answer about one certificate that passed all checks of RFC 6960 §3.2.
package struct OCSPAnswer: Sendable, Hashable {
    package enum Status: Sendable, Hashable {
        case good
        case revoked(Date)
        /// The responder does not know the certificate.
        case unknown
    }

    package let status: Status
    /// When the responder last knew this to be right.
    package let thisUpdate: Date
    /// Until when the answer may be used.
    package let expires: Date

    /// Clocks differ; an answer may come from this many seconds in the future.
    static let tolerance: TimeInterval = 60
    /// An answer that does not say when the next one comes must be this young, and is used for that long, in seconds.
    static let defaultLifetime: TimeInterval = 300
    /// No answer is used for longer, in seconds, whatever it promises: a day, counted from when it came. One that promises
    /// years, as that of a responder whose clock is wrong, would hide a revocation for as long.
    ///
    /// It is not counted from `thisUpdate`: a responder may sign its answers ahead for several days, above all about
    /// intermediates. Such an answer is good to its end (RFC 6960 §4.2.2.1), and is asked for again each day.
    static let longestLifetime: TimeInterval = 86_400

    /// Checks a response to `question`.
    ///
    /// - Throws: ``OCSPProblem``, or an ASN.1 error for what is not a response at all.
    package init(der: Data, to question: OCSPQuestion, issuer: Certificate, now: Date) throws {
        let response = try OCSPResponse(der: Array(der))
        try response.requireAuthority(of: issuer, now: now)
        guard !response.hasCriticalExtension else {
            throw OCSPProblem("the response has an unknown critical extension")
        }
        guard let single = response.answers.first(where: { question.matches($0.id) }) else {
            throw OCSPProblem("the response is about another certificate")
        }
        guard !single.hasCriticalExtension else { throw OCSPProblem("the answer has an unknown critical extension") }
        guard single.thisUpdate <= now + Self.tolerance else { throw OCSPProblem("the answer is not yet valid") }
        let end = single.nextUpdate ?? single.thisUpdate + Self.defaultLifetime
        expires = min(end, now + Self.longestLifetime)
        guard now < expires else { throw OCSPProblem("the answer has expired") }
        thisUpdate = single.thisUpdate
        switch single.status {
        case .good: status = .good
        case .revoked(let date): status = .revoked(date)
        case .unknown: status = .unknown
        }
    }
}

extension OCSPResponse {
    /// Refuses unless the issuer, or a responder that the issuer appointed, signed this (RFC 6960 §4.2.2.2).
    func requireAuthority(of issuer: Certificate, now: Date) throws {
        let signer = try signer(appointedBy: issuer, now: now)
        guard let algorithm = Self.signatureAlgorithms[signatureAlgorithm] else {
            throw OCSPProblem("the response is signed with an algorithm that is not accepted")
        }
        guard signer.publicKey.isValidSignature(signature, for: signedBytes, signatureAlgorithm: algorithm) else {
            throw OCSPProblem("the response's signature is wrong")
        }
    }

    private func signer(appointedBy issuer: Certificate, now: Date) throws -> Certificate {
        if isResponder(issuer) { return issuer }
        guard let signer = certificates.first(where: isResponder) else {
            throw OCSPProblem("the response brings no certificate of its responder")
        }
        guard signer.issuer == issuer.subject, issuer.publicKey.isValidSignature(signer.signature, for: signer) else {
            throw OCSPProblem("the responder was not appointed by the issuer")
        }
        guard try signer.extensions.extendedKeyUsage?.contains(.ocspSigning) == true else {
            throw OCSPProblem("the responder's certificate is not for signing OCSP responses")
        }
        guard signer.notValidBefore <= now, now <= signer.notValidAfter else {
            throw OCSPProblem("the responder's certificate is not valid now")
        }
        return signer
    }

    private func isResponder(_ certificate: Certificate) -> Bool {
        switch responder {
        case .name(let name): certificate.subject == name
        // RFC 6960 §4.2.1: SHA-1 of the key, without its tag, length and unused bits.
        case .key(let hash):
            hash.elementsEqual(Insecure.SHA1.hash(data: Array(certificate.publicKey.subjectPublicKeyInfoBytes)))
        }
    }

    private static let signatureAlgorithms: [ASN1ObjectIdentifier: Certificate.SignatureAlgorithm] = [
        [1, 2, 840, 10045, 4, 3, 2]: .ecdsaWithSHA256,
        [1, 2, 840, 10045, 4, 3, 3]: .ecdsaWithSHA384,
        [1, 2, 840, 10045, 4, 3, 4]: .ecdsaWithSHA512,
        [1, 2, 840, 113549, 1, 1, 11]: .sha256WithRSAEncryption,
        [1, 2, 840, 113549, 1, 1, 12]: .sha384WithRSAEncryption,
        [1, 2, 840, 113549, 1, 1, 13]: .sha512WithRSAEncryption,
    ]
}
