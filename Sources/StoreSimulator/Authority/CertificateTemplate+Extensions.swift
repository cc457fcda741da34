internal import SwiftASN1
package import X509

// The two extensions of Apple's chain for which swift-certificates has no type.
extension CertificateTemplate {
    /// Returns the certificate policy of Apple's leaves (RFC 5280 §4.2.1.4) with its two qualifiers, the user notice
    /// before the CPS pointer.
    package static func simulationPolicy() throws -> Certificate.Extension {
        let notice = RawDER.sequence(
            try RawDER.oid([1, 3, 6, 1, 5, 5, 7, 2, 2]), RawDER.sequence(RawDER.utf8(policyNotice))
        )
        let statement = RawDER.sequence(try RawDER.oid([1, 3, 6, 1, 5, 5, 7, 2, 1]), RawDER.ia5(policyStatement))
        let policy = RawDER.sequence(
            try RawDER.oid([1, 2, 840, 113635, 100, 5, 6, 1]), RawDER.sequence(notice, statement))
        return .init(oid: [2, 5, 29, 32], critical: false, value: RawDER.sequence(policy)[...])
    }

    /// The user notice in certificates; at most 200 characters.
    package static let policyNotice =
        "This certificate is a simulation made by Counterfoil for tests. No App Store issued it, nobody vouches for what "
        + "it signs, and nothing but a test may rely on it."
    private static let policyStatement = "http://counterfoil.test/simulation/"

    /// Returns the CRL distribution points extension with one URL as full name (RFC 5280 §4.2.1.13).
    static func distributionPoint(_ place: String) -> Certificate.Extension {
        let name = RawDER.element(0xA0, RawDER.element(0xA0, RawDER.element(0x86, Array(place.utf8))))
        return .init(oid: [2, 5, 29, 31], critical: false, value: RawDER.sequence(RawDER.sequence(name))[...])
    }
}
