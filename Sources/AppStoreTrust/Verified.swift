public import Foundation

/// A payload whose signature, chain, app and environment hold.
///
/// Only a verifier makes one, so a function that takes it cannot have forgotten the check.
public struct Verified<Payload: Sendable>: Sendable {
    /// The decoded payload.
    public let payload: Payload

    /// The signed text exactly as received: keep this, and everything can be proven again.
    public let text: String

    /// What was checked, and against what.
    public let trace: VerificationTrace

    package init(checked payload: Payload, text: String, trace: VerificationTrace) {
        self.payload = payload
        self.text = text
        self.trace = trace
    }
}

/// What a verification rested on: the certificates, the anchor, the instant and the answer about revocation.
public struct VerificationTrace: Sendable, Hashable {
    /// The chain from the signing certificate to the anchor; one certificate for enrolled Xcode data.
    public let certificates: [CertificateSummary]

    /// The name of the anchor, such as `Apple Root CA - G3`.
    public let anchor: String

    /// The instant at which the certificates had to be valid.
    public let validatedAt: Date

    /// What was found about revocation.
    public let revocation: RevocationFinding

    package init(
        certificates: [CertificateSummary], anchor: String, validatedAt: Date, revocation: RevocationFinding
    ) {
        self.certificates = certificates
        self.anchor = anchor
        self.validatedAt = validatedAt
        self.revocation = revocation
    }
}

/// What a person wants to know of a certificate.
public struct CertificateSummary: Sendable, Hashable {
    /// The subject's distinguished name, such as `CN=Apple Root CA - G3,OU=…`.
    public let subject: String

    /// The issuer's distinguished name.
    public let issuer: String

    /// The serial number in upper-case hexadecimal, without separators.
    public let serialNumber: String

    /// The first instant of validity.
    public let notBefore: Date

    /// The last instant of validity.
    public let notAfter: Date

    /// SHA-256 of the DER encoding, in lower-case hexadecimal.
    public let fingerprint: String

    /// The object identifiers by which Apple says what the certificate is for, such as `1.2.840.113635.100.6.11.1`, as far as
    /// the place in the chain asks for them.
    public package(set) var markers: [String] = []
}

/// What is known about the revocation of a chain.
public struct RevocationFinding: Sendable, Hashable {
    /// How it came out.
    @nonexhaustive
    public enum Status: String, Sendable, Hashable {
        /// The policy did not ask.
        case notChecked = "not_checked"
        /// Every certificate but the anchor is good, by a responder's signed answer.
        case good
        /// No answer that can be trusted; accepted because the policy is ``RevocationPolicy/soft``.
        case unknown
    }

    /// How it came out.
    public let status: Status

    /// The age in seconds of the oldest answer that was used; nil when there was none.
    public let age: TimeInterval?

    /// Why the status is unknown, or why nobody asked although the policy says so; nil otherwise.
    public let explanation: String?

    package init(status: Status, age: TimeInterval? = nil, explanation: String? = nil) {
        self.status = status
        self.age = age
        self.explanation = explanation
    }

    /// Nobody asked.
    package static let notChecked = RevocationFinding(status: .notChecked)
}

/// What to do about revocation.
@nonexhaustive
public enum RevocationPolicy: String, Sendable, Hashable, CaseIterable {
    /// Ask nobody.
    case off
    /// Ask; refuse what is revoked; accept and report what is unknown, without waiting for long.
    case soft
    /// Ask; refuse what is revoked or unknown.
    case hard
}
