package import Foundation
internal import SwiftASN1
internal import X509

extension Authority {
    /// Returns a template of a root like Apple Root CA - G3, valid from two years before `now` to eight years after it.
    package static func rootTemplate(_ name: String, _ now: Date) -> CertificateTemplate {
        rootTemplate(name, validity: validity(around: now))
    }

    /// Returns a template of an intermediate like Apple's Worldwide Developer Relations authority.
    package static func intermediateTemplate(_ name: String, _ now: Date) -> CertificateTemplate {
        intermediateTemplate(name, validity: validity(around: now), urls: .unreachable)
    }

    /// Returns a template of a leaf like the one that signs App Store data.
    package static func leafTemplate(_ name: String, _ now: Date) -> CertificateTemplate {
        leafTemplate(name, validity: validity(around: now), urls: .unreachable)
    }

    /// Returns a template of a root like Apple Root CA - G3.
    package static func rootTemplate(_ name: String, validity: ClosedRange<Date>) -> CertificateTemplate {
        CertificateTemplate(
            commonName: "\(name) Root CA", organizationalUnit: "\(name) Certification Authority",
            notBefore: validity.lowerBound, notAfter: validity.upperBound,
            basicConstraints: .isCertificateAuthority(maxPathLength: nil),
            keyUsage: KeyUsage(keyCertSign: true, cRLSign: true))
    }

    /// Returns a template of an intermediate like Apple's Worldwide Developer Relations authority.
    package static func intermediateTemplate(
        _ name: String, validity: ClosedRange<Date>, urls: URLs
    ) -> CertificateTemplate {
        var template = CertificateTemplate(
            commonName: "\(name) Worldwide Developer Relations", organizationalUnit: "G6",
            notBefore: validity.lowerBound, notAfter: validity.upperBound,
            basicConstraints: .isCertificateAuthority(maxPathLength: 0),
            keyUsage: KeyUsage(keyCertSign: true, cRLSign: true))
        template.markers = [[1, 2, 840, 113635, 100, 6, 2, 1]]
        template.ocspResponder = urls.rootResponder
        template.revocationList = urls.rootRevocationList
        return template
    }

    /// Returns a template of a leaf like the one that signs App Store data.
    package static func leafTemplate(_ name: String, validity: ClosedRange<Date>, urls: URLs) -> CertificateTemplate {
        var template = CertificateTemplate(
            commonName: "\(name) Receipt Signing", organizationalUnit: "\(name) Worldwide Developer Relations",
            notBefore: validity.lowerBound, notAfter: validity.upperBound, basicConstraints: .notCertificateAuthority,
            keyUsage: KeyUsage(digitalSignature: true))
        template.markers = [[1, 2, 840, 113635, 100, 6, 11, 1]]
        template.ocspResponder = urls.intermediateResponder
        template.issuerCertificate = urls.intermediateCertificate
        template.hasPolicy = true
        return template
    }

    static func validity(around now: Date) -> ClosedRange<Date> { (now - 2 * year)...(now + 8 * year) }
}
