public import AppStoreModels

/// Why a `verifyReceipt` response cannot be read.
public struct VerifyReceiptError: CounterfoilError {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code in snake case.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The response is larger, or has more purchases, than ``VerifyReceiptLimits`` allows.
        public static let tooLarge = Code("too_large")
        /// The response is not a JSON object with a status.
        public static let badJSON = Code("bad_json")
        /// The App Store's status is neither 0 nor 21006.
        public static let badStatus = Code("bad_status")
        /// The identifier or the date of a purchase or subscription is missing or malformed.
        public static let malformed = Code("malformed")
    }

    /// The kind of failure.
    public let code: Code
    /// The problem, for people. Contains no values of the response except numbers.
    public let message: String
    /// The status in the response; nil if there was none.
    public let status: Int?
    /// Whether the App Store says that a retry may help: the statuses 21005 and 21009, and any other with
    /// `is-retryable`. The App Store also returns 21002, which usually means a malformed receipt, for passing problems:
    /// send such a receipt once more.
    public let isRetryable: Bool

    /// Creates an error with these values, for tests of error handling.
    public init(_ code: Code, _ message: String, status: Int? = nil, isRetryable: Bool = false) {
        self.code = code
        self.message = message
        self.status = status
        self.isRetryable = isRetryable
    }
}

/// Errors are equal if their codes and statuses are equal: the message is for people.
extension VerifyReceiptError: Hashable {
    /// Compares ``code`` and ``status``.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.status == right.status
    }

    /// Hashes ``code`` and ``status``.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(status)
    }
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
