public import AppStoreModels

/// Why something signed was refused.
///
/// Branch on ``code``; log ``message``. Neither ever holds a payload, a key or a receipt.
public struct VerificationError: CounterfoilError {
    /// What was wrong.
    public let code: Code

    /// The same for a person: which certificate, which limit, which value was expected.
    public let message: String

    /// An error with these values, as a test of what a program does about it needs one.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the same input may be accepted later without any change: only while revocation could not be established.
    public var isRetryable: Bool { code == .revocationUnknown }

    /// The code and the message in one line.
    public var description: String { "\(code): \(message)" }
}

/// Errors are equal when their codes are: the reason is for people.
extension VerificationError: Hashable {
    /// Compares codes alone.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes the code alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension VerificationError {
    /// A machine-readable reason, stable between releases.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as text, in snake case: what the command prints as `code`.
        public let description: String

        private init(_ description: String) { self.description = description }

        // MARK: The form of the input

        /// Larger than the configured limit, as a whole or in the number of its parts.
        public static let tooLarge = Code("too_large")
        /// Not three base64url segments joined by dots (RFC 7515 §7.1).
        public static let malformedCompactForm = Code("malformed_compact_form")
        /// A segment is not base64url without padding (RFC 7515 §2), or a base64 text is not base64.
        public static let badBase64URL = Code("bad_base64url")
        /// A header or payload that is not the JSON it has to be: syntax, a type, a required field, a repeated header member.
        public static let badJSON = Code("bad_json")
        /// The header asks for what is not understood: `crit`, `b64` (RFC 7515 §4.1.11, RFC 7797).
        public static let unsupportedHeader = Code("unsupported_header")
        /// `alg` is not exactly `ES256`, or a key, digest or signature of another kind than the App Store uses.
        public static let unsupportedAlgorithm = Code("unsupported_algorithm")
        /// Not a receipt: the container, its ASN.1 or an attribute that every receipt has.
        public static let malformedReceipt = Code("malformed_receipt")

        // MARK: The chain

        /// Not exactly three certificates.
        public static let chainLength = Code("chain_length")
        /// A certificate that cannot be read, or is not in the one encoding that DER and RFC 5280 leave to it.
        public static let certificateMalformed = Code("certificate_malformed")
        /// The last certificate is none of the anchors, byte for byte.
        public static let untrustedRoot = Code("untrusted_root")
        /// A certificate is not signed by the next one, or does not name it as its issuer.
        public static let badChainSignature = Code("bad_chain_signature")
        /// A rule of RFC 5280 is broken: version, basic constraints, path length, key usage, an unknown critical extension, or
        /// an extension that would limit the certificate and is not understood.
        public static let badChainRules = Code("bad_chain_rules")
        /// A certificate was not valid at the instant of judgement.
        public static let expiredOrNotYetValid = Code("expired_or_not_yet_valid")
        /// The first certificate is not one for signing App Store data.
        public static let missingLeafMarker = Code("missing_leaf_marker")
        /// The second certificate is not Apple's Worldwide Developer Relations authority.
        public static let missingIntermediateMarker = Code("missing_intermediate_marker")
        /// A certificate of the chain was revoked.
        public static let revoked = Code("revoked")
        /// The policy wants a revocation answer and there is none that can be trusted. Try again later.
        public static let revocationUnknown = Code("revocation_unknown")
        /// Signed by Xcode or for local testing, with a certificate that the caller did not enrol.
        public static let notEnrolled = Code("not_enrolled")

        // MARK: The signature and whom it is for

        /// The signature does not belong to the signed bytes.
        public static let badSignature = Code("bad_signature")
        /// Signed for an app that is not configured.
        public static let wrongApp = Code("wrong_app")
        /// Signed for an environment that is not configured.
        public static let wrongEnvironment = Code("wrong_environment")

        // MARK: Receipts alone

        /// Signed for another version of the app.
        public static let wrongVersion = Code("wrong_version")
        /// Made for another device: the hash does not match.
        public static let wrongDevice = Code("wrong_device")
        /// A volume-purchase receipt past its expiration date.
        public static let receiptExpired = Code("receipt_expired")
    }
}
