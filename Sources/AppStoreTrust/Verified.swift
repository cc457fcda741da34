public import Foundation

/// A payload with verified signature, certificate chain, app and environment.
///
/// Only a verifier creates one, so a function with a parameter of this type cannot receive unverified data. Tests of such
/// a function create values with ``init(unverifiedForTesting:text:trace:)``.
public struct Verified<Payload: Sendable>: Sendable {
    /// The decoded payload.
    public let payload: Payload

    /// The signed text exactly as received. Store it to be able to verify it again.
    public let text: String

    /// The details of the verification.
    public let trace: VerificationTrace

    package init(checked payload: Payload, text: String, trace: VerificationTrace) {
        self.payload = payload
        self.text = text
        self.trace = trace
    }

    /// Creates a value that nobody verified, for tests of functions that take a verified one.
    ///
    /// - Warning: Never call it outside tests. To read stored data again, verify ``text``, as of its signing date.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - text: The signed text. Default: empty, which every verifier refuses.
    ///   - trace: The details of the verification. Default: no certificates, and the anchor `unverified`.
    public init(unverifiedForTesting payload: Payload, text: String = "", trace: VerificationTrace = .unverified) {
        self.init(checked: payload, text: text, trace: trace)
    }
}

extension Verified: Equatable where Payload: Equatable {}

extension Verified: Hashable where Payload: Hashable {}

/// The details of a verification: the certificates, the anchor, the instant and the revocation status.
public struct VerificationTrace: Sendable, Hashable {
    /// The chain from the signing certificate to the anchor; one certificate for enrolled Xcode data.
    public let certificates: [CertificateSummary]

    /// The name of the anchor, such as `Apple Root CA - G3`.
    public let anchor: String

    /// The instant at which the certificates had to be valid.
    public let validatedAt: Date

    /// The revocation status.
    public let revocation: RevocationFinding

    /// Creates a trace with these values, for tests. A verifier creates all others.
    public init(
        certificates: [CertificateSummary] = [], anchor: String, validatedAt: Date,
        revocation: RevocationFinding = .notChecked
    ) {
        self.certificates = certificates
        self.anchor = anchor
        self.validatedAt = validatedAt
        self.revocation = revocation
    }

    /// The trace of a value that nobody verified: without certificates, with the anchor `unverified`, as of 1970.
    public static let unverified = VerificationTrace(
        anchor: "unverified", validatedAt: Date(timeIntervalSince1970: 0))
}

/// The main fields of a certificate, for people.
public struct CertificateSummary: Sendable, Hashable {
    /// The subject's distinguished name, such as `CN=Apple Root CA - G3,OU=…`.
    public let subject: String

    /// The issuer's distinguished name.
    public let issuer: String

    /// The serial number in upper-case hexadecimal, without separators.
    public let serialNumber: String

    /// The first instant of validity.
    public let notBefore: Date

    /// The last second of validity.
    public let notAfter: Date

    /// SHA-256 of the DER encoding, in lower-case hexadecimal.
    public let fingerprint: String

    /// The object identifiers of Apple's purpose extensions, such as `1.2.840.113635.100.6.11.1`, that are required at
    /// this place in the chain.
    public package(set) var markers: [String] = []

    /// Creates a summary with these values, for tests. A verifier creates all others.
    public init(
        subject: String, issuer: String, serialNumber: String, notBefore: Date, notAfter: Date, fingerprint: String,
        markers: [String] = []
    ) {
        self.subject = subject
        self.issuer = issuer
        self.serialNumber = serialNumber
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.fingerprint = fingerprint
        self.markers = markers
    }
}

/// The revocation status of a chain.
public struct RevocationFinding: Sendable, Hashable {
    /// A revocation status.
    @nonexhaustive
    public enum Status: String, Sendable, Hashable {
        /// Revocation was not checked.
        case notChecked = "not_checked"
        /// Every certificate except the anchor is good, according to signed responses.
        case good
        /// There is no trustworthy response; accepted because the policy is ``RevocationPolicy/soft``.
        case unknown
    }

    /// The status.
    public let status: Status

    /// The age of the oldest response used, in seconds; nil if there was none.
    public let age: TimeInterval?

    /// Why the status is unknown, or why it was not checked although the policy requires it; nil otherwise.
    public let explanation: String?

    /// Creates a status with these values, for tests. A verifier creates all others.
    public init(status: Status, age: TimeInterval? = nil, explanation: String? = nil) {
        self.status = status
        self.age = age
        self.explanation = explanation
    }

    /// Revocation was not checked.
    public static let notChecked = RevocationFinding(status: .notChecked)
}

/// Whether revocation is checked, and how an unknown status is treated.
@nonexhaustive
public enum RevocationPolicy: String, Sendable, Hashable, CaseIterable {
    /// Do not check.
    case off
    /// Check; refuse revoked certificates; accept and report an unknown status, after a short wait.
    case soft
    /// Check; refuse revoked certificates and an unknown status.
    case hard
}
