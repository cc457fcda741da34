public import AppStoreModels

/// Why a `verifyReceipt` response cannot be read.
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

        /// The response is larger, or has more purchases, than ``VerifyReceiptLimits`` allows.
        public static let tooLarge = Code(.tooLarge)
        /// The response is not a JSON object with a status.
        public static let badJSON = Code(.badJSON)
        /// The App Store's status is neither 0 nor 21006.
        public static let badStatus = Code(.badStatus)
        /// The identifier or the date of a purchase or subscription is missing or malformed.
        public static let malformed = Code(.malformed)

        /// The code in snake case.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// The problem, for people. Contains no values of the response except numbers.
    public let message: String
    /// The status in the response; nil if there was none.
    public let status: Int?
    /// Whether a retry may help, according to the App Store.
    public let isRetryable: Bool

    /// Creates an error with these values, for tests of error handling.
    public init(_ code: Code, _ message: String, status: Int? = nil, isRetryable: Bool = false) {
        self.code = code
        self.message = message
        self.status = status
        self.isRetryable = isRetryable
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

/// Limits for the size of a `verifyReceipt` response.
public struct VerifyReceiptLimits: Sendable, Hashable {
    /// The maximum size of the response, in bytes.
    public var bytes: Int
    /// The maximum number of items in each list of purchases or subscriptions.
    public var items: Int
    /// The maximum size of an identifier, in bytes.
    public var identifierBytes: Int

    /// Creates limits. The defaults are several times the size of the largest known receipts.
    public init(bytes: Int = 16 << 20, items: Int = 20_000, identifierBytes: Int = 256) {
        self.bytes = bytes
        self.items = items
        self.identifierBytes = identifierBytes
    }
}
