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
public typealias CheckTestNotificationResponse = NotificationHistoryResponseItem
