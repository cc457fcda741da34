public import AppStoreModels
public import Foundation

/// Why a call of the App Store Server API, the Retention Messaging API or the Advanced Commerce API brought no result.
///
/// Branch on ``code`` and ``apiCode``; log the error itself. What the server said survives in ``status``, ``apiMessage``,
/// ``body`` and ``retryAfter``; a token or key never does.
public struct AppStoreServerError: CounterfoilError {
    /// What went wrong.
    public let code: Code

    /// The same for a person.
    public let message: String

    /// The name of the endpoint, as in ``AppStoreEndpoint/name``; nil if the call did not get as far.
    public internal(set) var endpoint: String?

    /// The HTTP status; nil without an answer.
    public internal(set) var status: Int?

    /// The number in the answer that says what went wrong; nil if there was none.
    public internal(set) var apiCode: APIErrorCode?

    /// The text that came with ``apiCode``, up to 500 characters. For people: it may change any day.
    public internal(set) var apiMessage: String?

    /// The beginning of the answer's body, up to ``maximumBodySize`` bytes; empty without one.
    public internal(set) var body = Data()

    /// When to try again, by the server's header `Retry-After`, or by the client's own circuit with ``Code/circuitOpen``; nil if
    /// nobody said or it could not be read.
    public internal(set) var retryAfter: Date?

    /// How many requests were sent.
    public internal(set) var attempts = 0

    /// The most bytes of ``body``.
    public static let maximumBodySize = 4096

    /// An error with these values, as a test of what a program does about it needs one.
    public init(
        _ code: Code, _ message: String, endpoint: String? = nil, status: Int? = nil, apiCode: APIErrorCode? = nil,
        apiMessage: String? = nil, body: Data = Data(), retryAfter: Date? = nil, attempts: Int = 0
    ) {
        (self.code, self.message, self.endpoint, self.status) = (code, message, endpoint, status)
        (self.apiCode, self.apiMessage, self.body) = (apiCode, apiMessage, body)
        (self.retryAfter, self.attempts) = (retryAfter, attempts)
    }

    /// Whether the same call may succeed later, with nothing changed; so too after a cancellation, see ``isCancellation``.
    /// The client has tried as often as its
    /// ``RetryPolicy`` allows; after an unclear failure it repeats only what is safe to repeat, see
    /// ``AppStoreEndpoint/repetition``.
    public var isRetryable: Bool {
        switch code {
        case .rateLimited, .serverFailure, .transport, .unreachable, .timeout, .circuitOpen, .cancelled: true
        case .refused: apiCode?.isRetryable ?? false
        default: false
        }
    }

    /// Whether the call was ended by its caller: its task was cancelled. That says nothing about the call itself.
    public var isCancellation: Bool { code == .cancelled }

    /// All of it in one line, but for the body.
    public var description: String {
        var text = "\(code)"
        if let endpoint { text += " (\(endpoint))" }
        if let status { text += " status \(status)" }
        if let apiCode { text += " \(apiCode.rawValue)\(apiCode.name.map { " " + $0 } ?? "")" }
        text += ": \(apiMessage ?? message)"
        if attempts > 1 { text += " (\(attempts) attempts)" }
        return text
    }

    /// What a caller may do something different about, stable between releases.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as text, in snake case.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// An argument cannot be sent: an empty identifier, a date out of range, a bad base URL. Nothing was sent.
        public static let invalidRequest = Code("invalid_request")
        /// No token could be made. Nothing was sent.
        public static let signing = Code("signing")
        /// Status 401, also with a fresh token: the key, its identifier, the issuer or the bundle identifier is wrong, or
        /// the clock of this machine.
        public static let unauthorized = Code("unauthorized")
        /// Status 429: the hourly quota is used up until ``AppStoreServerError/retryAfter``.
        public static let rateLimited = Code("rate_limited")
        /// Any other status from 400 to 499: ``AppStoreServerError/apiCode`` says why, if the server did.
        public static let refused = Code("refused")
        /// A status of 500 or above.
        public static let serverFailure = Code("server_failure")
        /// A status that the App Store does not use: a proxy or another server answered.
        public static let unexpectedStatus = Code("unexpected_status")
        /// The network, TLS or the other side failed before there was an answer.
        public static let transport = Code("transport")
        /// Nobody listens there: the connection was refused. Nothing was sent, and the client does not try again by itself.
        public static let unreachable = Code("unreachable")
        /// No complete answer in time.
        public static let timeout = Code("timeout")
        /// The answer is larger than ``AppStoreServerClient/Configuration/maximumAnswerSize``.
        public static let answerTooLarge = Code("answer_too_large")
        /// A success whose body is not what it should be: another server answered, or part of the answer is missing.
        public static let undecodableAnswer = Code("undecodable_answer")
        /// The pages go round in a circle, or there are said to be more without saying where.
        public static let endlessPages = Code("endless_pages")
        /// Not sent: too many calls failed in a row a short while ago.
        public static let circuitOpen = Code("circuit_open")
        /// The task was cancelled: see ``AppStoreServerError/isCancellation``.
        public static let cancelled = Code("cancelled")
    }
}

/// Errors are equal when their codes and the server's numbers are: the rest is for people.
extension AppStoreServerError: Hashable {
    /// Compares ``code``, ``status`` and ``apiCode``.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.status == right.status && left.apiCode == right.apiCode
    }

    /// Hashes ``code``, ``status`` and ``apiCode``.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(status)
        hasher.combine(apiCode)
    }
}

extension APIErrorCode {
    /// Whether the same request may succeed later, as Apple's table of error codes has it.
    public var isRetryable: Bool { Self.retryable.contains(self) }

    private static let retryable: Set<APIErrorCode> = [
        .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIdNotFoundRetryable,
        // Its state may not be known yet.
        .testNotificationNotFound, .rateLimitExceeded, .generalInternal, .generalInternalRetryable,
    ]
}
