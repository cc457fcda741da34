/// The response to a request for a test notification. Apple's page: `SendTestNotificationResponse`.
public struct SendTestNotificationResponse: Sendable, Hashable, Codable {
    /// The token for requesting the delivery status, for up to six months.
    public var testNotificationToken: String

    /// Creates the value from its parts.
    public init(testNotificationToken: String) {
        self.testNotificationToken = testNotificationToken
    }
}

/// The delivery status of a test notification. Apple's page: `CheckTestNotificationResponse`.
public struct CheckTestNotificationResponse: Sendable, Hashable, Codable {
    /// The JWS of the notification, as it was sent.
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

    /// Decodes the value. Missing attempts decode as an empty list.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedPayload = try container.decode(String.self, forKey: .signedPayload)
        sendAttempts = try container.decodeIfPresent([SendAttemptItem].self, forKey: .sendAttempts) ?? []
        firstSendAttemptResult = try container.decodeIfPresent(SendAttemptResult.self, forKey: .firstSendAttemptResult)
    }
}
