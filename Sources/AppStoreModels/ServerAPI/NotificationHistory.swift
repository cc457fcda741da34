public import Foundation

/// A filter for notifications. Apple's page: `NotificationHistoryRequest`.
///
/// The page token is a query parameter. Every page must be requested with the same body.
public struct NotificationHistoryRequest: Sendable, Hashable, Codable {
    /// The beginning, at most 180 days ago.
    public var startDate: Date
    /// The end, later than the beginning. A date in the future means now.
    public var endDate: Date
    /// Only this type. Cannot be combined with `transactionId`.
    public var notificationType: NotificationTypeV2?
    /// Only this subtype. Requires `notificationType`, to which it must belong.
    public var notificationSubtype: NotificationSubtype?
    /// Only the customer of this transaction. Cannot be combined with `notificationType`.
    public var transactionId: String?
    /// Deprecated: use `transactionId`.
    public var originalTransactionId: String?
    /// True: only notifications that were not delivered, including those with pending retries.
    public var onlyFailures: Bool?

    /// Creates the value from its parts.
    public init(
        startDate: Date, endDate: Date, notificationType: NotificationTypeV2? = nil,
        notificationSubtype: NotificationSubtype? = nil, transactionId: String? = nil,
        originalTransactionId: String? = nil, onlyFailures: Bool? = nil
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.notificationType = notificationType
        self.notificationSubtype = notificationSubtype
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        self.onlyFailures = onlyFailures
    }
}

/// One page of notifications. Apple's page: `NotificationHistoryResponse`.
public struct NotificationHistoryResponse: Sendable, Hashable, Codable {
    /// The token of the next page, if there is one.
    public var paginationToken: String?
    /// Whether there is another page.
    public var hasMore: Bool
    /// Up to 20 notifications.
    public var notificationHistory: [NotificationHistoryResponseItem]

    /// Creates the value from its parts.
    public init(paginationToken: String? = nil, hasMore: Bool, notificationHistory: [NotificationHistoryResponseItem]) {
        self.paginationToken = paginationToken
        self.hasMore = hasMore
        self.notificationHistory = notificationHistory
    }
}

/// One notification with its delivery attempts. Apple's page: `notificationHistoryResponseItem`.
public struct NotificationHistoryResponseItem: Sendable, Hashable, Codable {
    /// The JWS of a ``ResponseBodyV2DecodedPayload``, as it was sent.
    public var signedPayload: String
    /// Up to six delivery attempts.
    public var sendAttempts: [SendAttemptItem]
    /// Deprecated: use `sendAttempts`.
    public var firstSendAttemptResult: SendAttemptResult?

    /// Creates the value from its parts.
    public init(
        signedPayload: String, sendAttempts: [SendAttemptItem], firstSendAttemptResult: SendAttemptResult? = nil
    ) {
        self.signedPayload = signedPayload
        self.sendAttempts = sendAttempts
        self.firstSendAttemptResult = firstSendAttemptResult
    }

    /// Decodes the value. One item must not make the page unreadable: a payload that is missing or not a text decodes as
    /// an empty text, which no verifier accepts, attempts that are missing or unreadable decode as an empty list, and a
    /// deprecated result of another type as `nil`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedPayload = container.readable(String.self, .signedPayload) ?? ""
        sendAttempts = container.readable([SendAttemptItem].self, .sendAttempts) ?? []
        firstSendAttemptResult = container.readable(SendAttemptResult.self, .firstSendAttemptResult)
    }
}

/// One delivery attempt of a notification. Apple's page: `sendAttemptItem`.
public struct SendAttemptItem: Sendable, Hashable, Codable {
    /// When the attempt was made.
    public var attemptDate: Date
    /// The result of the attempt.
    public var sendAttemptResult: SendAttemptResult

    /// Creates the value from its parts.
    public init(attemptDate: Date, sendAttemptResult: SendAttemptResult) {
        self.attemptDate = attemptDate
        self.sendAttemptResult = sendAttemptResult
    }
}

/// The result of a delivery attempt to the developer's server. Apple's pages: `sendAttemptResult` and, deprecated,
/// `firstSendAttemptResult`.
public struct SendAttemptResult: OpenEnumeration, CodingKeyRepresentable {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server responded with success.
    public static let success = Self(rawValue: "SUCCESS")
    /// The server did not respond in time.
    public static let timedOut = Self(rawValue: "TIMED_OUT")
    /// TLS or the certificate of the server failed.
    public static let tlsIssue = Self(rawValue: "TLS_ISSUE")
    /// The server's redirects form a loop.
    public static let circularRedirect = Self(rawValue: "CIRCULAR_REDIRECT")
    /// There was no valid HTTP response.
    public static let noResponse = Self(rawValue: "NO_RESPONSE")
    /// The network failed.
    public static let socketIssue = Self(rawValue: "SOCKET_ISSUE")
    /// The character set of the response is not supported.
    public static let unsupportedCharset = Self(rawValue: "UNSUPPORTED_CHARSET")
    /// The response is not valid.
    public static let invalidResponse = Self(rawValue: "INVALID_RESPONSE")
    /// The server closed the connection too early.
    public static let prematureClose = Self(rawValue: "PREMATURE_CLOSE")
    /// The server responded with an error status.
    public static let unsuccessfulHTTPResponseCode = Self(rawValue: "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    /// Another failure.
    public static let other = Self(rawValue: "OTHER")
}
