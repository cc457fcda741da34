public import AppStoreModels
internal import Basics
public import Foundation

/// Why a call of the App Store Server API, the Retention Messaging API or the Advanced Commerce API failed.
///
/// Branch on ``code`` and ``apiCode``; log the error itself. The server's response is in ``status``, ``apiMessage``,
/// ``body`` and ``retryAfter``. Tokens and keys are removed.
public struct AppStoreServerError: CounterfoilError {
    /// The kind of failure.
    public let code: Code

    /// A description of the failure, for people.
    public let message: String

    /// The name of the endpoint, as in ``AppStoreEndpoint/name``; nil if the call failed before it was known.
    public internal(set) var endpoint: String?

    /// The HTTP status; nil without a response.
    public internal(set) var status: Int?

    /// Apple's error code in the response; nil if there was none.
    public internal(set) var apiCode: APIErrorCode?

    /// The message that came with ``apiCode``, up to 500 characters. For people: Apple may change it.
    public internal(set) var apiMessage: String?

    /// The beginning of the response body, up to ``maximumBodySize`` bytes; empty without one.
    public internal(set) var body = Data()

    /// When to try again: from the server's header `Retry-After`, or from the client's own circuit with
    /// ``Code/circuitOpen``. Nil if unknown, and if the header is not in the App Store's form, milliseconds since 1970.
    public internal(set) var retryAfter: Date?

    /// The number of requests that were sent.
    public internal(set) var attempts = 0

    /// The maximum size of ``body``, in bytes.
    public static let maximumBodySize = 4096

    /// Creates an error with these values, for tests of error handling.
    public init(
        _ code: Code, _ message: String, endpoint: String? = nil, status: Int? = nil, apiCode: APIErrorCode? = nil,
        apiMessage: String? = nil, body: Data = Data(), retryAfter: Date? = nil, attempts: Int = 0
    ) {
        (self.code, self.message, self.endpoint, self.status) = (code, message, endpoint, status)
        (self.apiCode, self.apiMessage, self.body) = (apiCode, apiMessage, body)
        (self.retryAfter, self.attempts) = (retryAfter, attempts)
    }

    /// Whether the same call may succeed later without changes. True after a cancellation too: see ``isCancellation``.
    /// The client has already retried as often as its ``RetryPolicy`` allows. If the outcome of a request is unknown,
    /// it retries only requests that are safe to repeat: see ``AppStoreEndpoint/idempotency``.
    public var isRetryable: Bool {
        switch code {
        case .rateLimited, .serverFailure, .transport, .unreachable, .timeout, .circuitOpen, .cancelled: true
        case .refused: apiCode?.isRetryable ?? false
        default: false
        }
    }

    /// Whether the caller's task was cancelled. This says nothing about the outcome of the call.
    public var isCancellation: Bool { code == .cancelled }

    /// Everything in one line, except the body. Unprintable characters of the server's message are escaped.
    public var description: String {
        var text = "\(code)"
        if let endpoint { text += " (\(endpoint))" }
        if let status { text += " status \(status)" }
        if let apiCode { text += " \(apiCode.rawValue)\(apiCode.name.map { " " + $0 } ?? "")" }
        text += ": \((apiMessage ?? message).escapingUnprintable)"
        if attempts > 1 { text += " (\(attempts) attempts)" }
        return text
    }

    /// The kind of a failure, for callers to branch on. Stable between releases.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as text, in snake case.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// An argument cannot be sent: an empty identifier, a date out of range, a bad base URL. Nothing was sent.
        public static let invalidRequest = Code("invalid_request")
        /// A token could not be created. Nothing was sent.
        public static let signing = Code("signing")
        /// Status 401, even with a fresh token: the key, its identifier, the issuer or the bundle identifier is wrong,
        /// or this machine's clock is.
        public static let unauthorized = Code("unauthorized")
        /// Status 429: the hourly quota is used up until ``AppStoreServerError/retryAfter``.
        public static let rateLimited = Code("rate_limited")
        /// Any other status from 400 to 499. ``AppStoreServerError/apiCode`` is the reason, if the server named one.
        public static let refused = Code("refused")
        /// A status from 500 to 599.
        public static let serverFailure = Code("server_failure")
        /// A status that the App Store does not use: a proxy or another server responded.
        public static let unexpectedStatus = Code("unexpected_status")
        /// The network, TLS or the server failed before there was a response.
        public static let transport = Code("transport")
        /// The connection was refused: no server listens there. Nothing was sent, and the client does not retry.
        public static let unreachable = Code("unreachable")
        /// There was no complete response in time.
        public static let timeout = Code("timeout")
        /// The response is larger than ``AppStoreServerClient/Configuration/maximumResponseSize``.
        public static let responseTooLarge = Code("response_too_large")
        /// A success with an unexpected body: another server responded, or part of the response is missing.
        public static let undecodableResponse = Code("undecodable_response")
        /// The page tokens repeat, or the response announces another page without its token.
        public static let invalidPagination = Code("invalid_pagination")
        /// Not sent: too many consecutive calls failed a short while ago.
        public static let circuitOpen = Code("circuit_open")
        /// The task was cancelled: see ``AppStoreServerError/isCancellation``.
        public static let cancelled = Code("cancelled")
    }
}

/// Errors are equal if their codes and the server's numbers are equal. The rest is for people.
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
    /// Whether the same request may succeed later, according to Apple's table of error codes.
    public var isRetryable: Bool { Self.retryable.contains(self) }

    private static let retryable: Set<APIErrorCode> = [
        .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIdNotFoundRetryable,
        // Its status may not be known yet.
        .testNotificationNotFound, .rateLimitExceeded, .generalInternal, .generalInternalRetryable,
    ]
}
