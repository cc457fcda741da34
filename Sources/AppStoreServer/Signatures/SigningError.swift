public import AppStoreModels

/// Why a key could not be read or a signature could not be created.
///
/// Branch on ``code``; log ``message``. Neither contains a key, a token or the text to be signed.
public struct SigningError: CounterfoilError {
    /// The kind of failure.
    public let code: Code

    /// A description of the failure, for people.
    public let message: String

    /// The invalid identifier, such as `product ID`; nil if the error is not about one.
    package let identifier: String?

    /// Creates an error with these values, for tests of error handling.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        identifier = nil
    }

    /// Creates the error about an invalid identifier: `the product ID is empty`.
    init(identifier: String, _ problem: String) {
        code = .invalidIdentifier
        message = "the \(identifier) \(problem)"
        self.identifier = identifier
    }

    /// A machine-readable reason, stable between releases.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as text, in snake case.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The file does not exist or cannot be read.
        public static let unreadableFile = Code("unreadable_file")
        /// The text is longer than ``SigningKey/maximumSize``.
        public static let tooLarge = Code("too_large")
        /// Not a PEM file with a private key: another kind of file, a public key, or a certificate.
        public static let notAPrivateKey = Code("not_a_private_key")
        /// The key is protected by a password. App Store Connect never issues such a key.
        public static let encryptedKey = Code("encrypted_key")
        /// The private key is not a well-formed P-256 key in PKCS#8 or SEC 1.
        public static let notP256 = Code("not_p256")
        /// An identifier is empty, too long, or contains a character that would change the meaning of the signed text.
        public static let invalidIdentifier = Code("invalid_identifier")
        /// The value to sign cannot be written as JSON.
        public static let unencodable = Code("unencodable")
        /// The clock shows a date that a signature cannot contain.
        public static let invalidDate = Code("invalid_date")
        /// The cryptographic library refused to sign.
        public static let signingFailed = Code("signing_failed")
    }
}

/// Errors are equal if their codes are equal: the message is for people.
extension SigningError: Hashable {
    /// Compares only the codes.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes only the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
