public import AppStoreModels

/// Why signed data were refused.
///
/// Branch on ``code``; log ``message``. Neither contains a payload, a key or a receipt.
public struct VerificationError: CounterfoilError {
    /// The kind of failure.
    public let code: Code

    /// A description for people: which certificate, which limit, which value was expected.
    public let message: String

    /// Creates an error with these values, for tests of error handling.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the same input may be accepted later without changes: true only if the revocation status was unknown.
    public var isRetryable: Bool { code == .revocationUnknown }
}

/// Errors are equal if their codes are equal: the message is for people.
extension VerificationError: Hashable {
    /// Compares only the codes.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes only the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension VerificationError {
    /// A machine-readable reason, stable between releases.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as text, in snake case. The command-line tool prints it as `code`.
        public let description: String

        private init(_ description: String) { self.description = description }

        // MARK: The form of the input

        /// The input, or the number of its parts, exceeds the configured limit.
        public static let tooLarge = Code("too_large")
        /// Not three base64url segments joined by dots (RFC 7515 §7.1).
        public static let malformedCompactForm = Code("malformed_compact_form")
        /// A segment is not base64url without padding (RFC 7515 §2), or other data are not base64.
        public static let badBase64URL = Code("bad_base64url")
        /// A header or payload is not the expected JSON: syntax, a type, a missing member, a repeated member.
        public static let badJSON = Code("bad_json")
        /// The header has a member that is not supported: `crit`, `b64` (RFC 7515 §4.1.11, RFC 7797).
        public static let unsupportedHeader = Code("unsupported_header")
        /// `alg` is not exactly `ES256`, or a key, digest or signature is of a kind that the App Store does not use.
        public static let unsupportedAlgorithm = Code("unsupported_algorithm")
        /// The data are not a receipt: the container, its ASN.1 or a required attribute is wrong.
        public static let malformedReceipt = Code("malformed_receipt")

        // MARK: The chain

        /// The chain does not have exactly three certificates.
        public static let chainLength = Code("chain_length")
        /// A certificate cannot be read, or is not in the only encoding that DER and RFC 5280 allow.
        public static let certificateMalformed = Code("certificate_malformed")
        /// The last certificate does not equal any anchor byte for byte.
        public static let untrustedRoot = Code("untrusted_root")
        /// A certificate is not signed by the next one, or names another issuer.
        public static let badChainSignature = Code("bad_chain_signature")
        /// A rule of RFC 5280 is violated: version, basic constraints, path length, key usage, an unknown critical
        /// extension, or a limiting extension that is not supported.
        public static let badChainRules = Code("bad_chain_rules")
        /// A certificate was not valid at the instant of verification.
        public static let expiredOrNotYetValid = Code("expired_or_not_yet_valid")
        /// The first certificate is not marked for signing App Store data.
        public static let missingLeafMarker = Code("missing_leaf_marker")
        /// The second certificate is not marked as Apple's Worldwide Developer Relations authority.
        public static let missingIntermediateMarker = Code("missing_intermediate_marker")
        /// A certificate of the chain was revoked.
        public static let revoked = Code("revoked")
        /// The policy requires a revocation status, but there is no trustworthy response. Try again later.
        public static let revocationUnknown = Code("revocation_unknown")
        /// The data were signed by Xcode or for local testing, with a certificate that was not enrolled.
        public static let notEnrolled = Code("not_enrolled")

        // MARK: The signature and whom it is for

        /// The signature is not valid for the signed bytes.
        public static let badSignature = Code("bad_signature")
        /// The data were signed for an app that is not configured.
        public static let wrongApp = Code("wrong_app")
        /// The data were signed for an environment that is not configured.
        public static let wrongEnvironment = Code("wrong_environment")

        // MARK: Receipts alone

        /// The receipt was issued for another version of the app.
        public static let wrongVersion = Code("wrong_version")
        /// The receipt was issued for another device: the hash does not match.
        public static let wrongDevice = Code("wrong_device")
        /// A volume-purchase receipt is past its expiration date.
        public static let receiptExpired = Code("receipt_expired")
    }
}
