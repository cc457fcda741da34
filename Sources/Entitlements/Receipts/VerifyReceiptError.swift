public import AppStoreModels

/// Why a `verifyReceipt` response gives no facts.
public struct VerifyReceiptError: CounterfoilError {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case tooLarge = "too_large"
            case badJSON = "bad_json"
            case badStatus = "bad_status"
            case malformed
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The response is larger, or has more purchases, than ``VerifyReceiptLimits`` allow.
        public static let tooLarge = Code(.tooLarge)
        /// The response is no JSON object with a status.
        public static let badJSON = Code(.badJSON)
        /// The App Store's status is neither 0 nor 21006.
        public static let badStatus = Code(.badStatus)
        /// A purchase or a subscription has no identifier or no date, or one that is none.
        public static let malformed = Code(.malformed)

        /// The code in snake case.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// What was wrong, for people. Nothing of the response is in it but numbers.
    public let message: String
    /// The App Store's status, if there was one.
    public let status: Int?
    /// Whether the App Store says that asking it again may help.
    public let isRetryable: Bool

    /// An error with these values, as a test of what a program does about it needs one.
    public init(_ code: Code, _ message: String, status: Int? = nil, isRetryable: Bool = false) {
        self.code = code
        self.message = message
        self.status = status
        self.isRetryable = isRetryable
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

/// How much a `verifyReceipt` response may have.
public struct VerifyReceiptLimits: Sendable, Hashable {
    /// The bytes of the response.
    public var bytes: Int
    /// The purchases in it, and the subscriptions: of each list.
    public var items: Int
    /// The bytes of an identifier.
    public var identifierBytes: Int

    /// Limits. The defaults are several times what the largest receipts have.
    public init(bytes: Int = 16 << 20, items: Int = 20_000, identifierBytes: Int = 256) {
        self.bytes = bytes
        self.items = items
        self.identifierBytes = identifierBytes
    }
}
