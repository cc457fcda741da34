public import Foundation

/// Which notifications to look for. Apple's page: `NotificationHistoryRequest`.
///
/// The token of the next page is a query parameter, and the same body must be sent again with it.
public struct NotificationHistoryRequest: Sendable, Hashable, Codable {
    /// The beginning, at most 180 days ago.
    public var startDate: Date
    /// The end, later than the beginning. An instant in the future means now.
    public var endDate: Date
    /// Only this type. Not together with `transactionId`.
    public var notificationType: NotificationTypeV2?
    /// Only this subtype. Needs `notificationType`, and the two must fit.
    public var notificationSubtype: NotificationSubtype?
    /// Only the customer of this transaction. Not together with `notificationType`.
    public var transactionId: String?
    /// Deprecated: use `transactionId`.
    public var originalTransactionId: String?
    /// True: only those that did not arrive, including those still to be tried again.
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
    /// The token for the next page, while there is one.
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

/// One notification and what became of it. Apple's page: `notificationHistoryResponseItem`.
public struct NotificationHistoryResponseItem: Sendable, Hashable, Codable {
    /// The JWS of a ``ResponseBodyV2DecodedPayload``, as it was sent.
    public var signedPayload: String
    /// Up to six attempts to deliver it.
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

    /// Reads the value. Attempts that are left out are none: the notification matters, and a page has twenty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedPayload = try container.decode(String.self, forKey: .signedPayload)
        sendAttempts = try container.decodeIfPresent([SendAttemptItem].self, forKey: .sendAttempts) ?? []
        firstSendAttemptResult = try container.decodeIfPresent(SendAttemptResult.self, forKey: .firstSendAttemptResult)
    }
}

/// One attempt to deliver a notification. Apple's page: `sendAttemptItem`.
public struct SendAttemptItem: Sendable, Hashable, Codable {
    /// When it was tried.
    public var attemptDate: Date
    /// How it went.
    public var sendAttemptResult: SendAttemptResult

    /// Creates the value from its parts.
    public init(attemptDate: Date, sendAttemptResult: SendAttemptResult) {
        self.attemptDate = attemptDate
        self.sendAttemptResult = sendAttemptResult
    }
}

/// How an attempt to reach the developer's server went. Apple's pages: `sendAttemptResult` and, deprecated,
/// `firstSendAttemptResult`.
public struct SendAttemptResult: RawRepresentable, Hashable, Sendable, Codable, CodingKeyRepresentable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server answered with success.
    public static let success = Self(rawValue: "SUCCESS")
    /// The server did not answer in time.
    public static let timedOut = Self(rawValue: "TIMED_OUT")
    /// TLS or the certificate of the server failed.
    public static let tlsIssue = Self(rawValue: "TLS_ISSUE")
    /// The server redirects in a circle.
    public static let circularRedirect = Self(rawValue: "CIRCULAR_REDIRECT")
    /// There was no valid HTTP response.
    public static let noResponse = Self(rawValue: "NO_RESPONSE")
    /// The network failed.
    public static let socketIssue = Self(rawValue: "SOCKET_ISSUE")
    /// The response has a character set that Apple does not know.
    public static let unsupportedCharset = Self(rawValue: "UNSUPPORTED_CHARSET")
    /// The response is not valid.
    public static let invalidResponse = Self(rawValue: "INVALID_RESPONSE")
    /// The server closed the connection too early.
    public static let prematureClose = Self(rawValue: "PREMATURE_CLOSE")
    /// The server answered with another status than success.
    public static let unsuccessfulHTTPResponseCode = Self(rawValue: "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    /// Something else.
    public static let other = Self(rawValue: "OTHER")
}
