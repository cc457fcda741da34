public import AppStoreModels

/// Why a key could not be read or a signature not be made.
///
/// Branch on ``code``; log ``message``. Neither ever holds a key, a token or what was to be signed.
public struct SigningError: CounterfoilError {
    /// What was wrong.
    public let code: Code

    /// The same for a person.
    public let message: String

    /// An error with these values, as a test of what a program does about it needs one.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message in one line.
    public var description: String { "\(code): \(message)" }

    /// A machine-readable reason, stable between releases.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as text, in snake case.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The file is not there or may not be read.
        public static let unreadableFile = Code("unreadable_file")
        /// More text than any key has.
        public static let tooLarge = Code("too_large")
        /// Not PEM with a private key in it: another kind of file, a public key, a certificate.
        public static let notAPrivateKey = Code("not_a_private_key")
        /// The key is protected by a password. App Store Connect never issues such a key.
        public static let encryptedKey = Code("encrypted_key")
        /// A private key that is not, or not correctly, one of elliptic curve P-256 in PKCS#8 or SEC 1.
        public static let notP256 = Code("not_p256")
        /// An identifier is empty, far too long or has a character that would change the meaning of what is signed.
        public static let invalidIdentifier = Code("invalid_identifier")
        /// The value to sign cannot be written as JSON.
        public static let unencodable = Code("unencodable")
        /// The clock shows a date that no signature can carry.
        public static let invalidDate = Code("invalid_date")
        /// The cryptographic library refused to sign.
        public static let signingFailed = Code("signing_failed")
    }
}

/// Errors are equal when their codes are: the reason is for people.
extension SigningError: Hashable {
    /// Compares codes alone.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes the code alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
