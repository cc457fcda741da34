public import AppStoreModels

extension AppStoreServerClient {
    /// Requests a `TEST` notification to the developer's server. Apple's page: *Request a Test Notification*.
    ///
    /// Error code: 4040007.
    ///
    /// - Returns: The token for ``testNotification(_:)``.
    public func requestTestNotification() async throws(AppStoreServerError) -> SendTestNotificationResponse {
        try await response(.requestTestNotification)
    }

    /// Returns the delivery status of a test notification of the last six months. Until the status is known, the App
    /// Store responds with 4040008, so the call is retried as the ``RetryPolicy`` allows. Apple's page: *Get Test
    /// Notification Status*.
    ///
    /// Error codes: 4000020 and 4040008.
    public func testNotification(
        _ testNotificationToken: String
    ) async throws(AppStoreServerError) -> CheckTestNotificationResponse {
        try await response(.testNotification, [testNotificationToken])
    }

    /// Returns the notifications of the last 180 days, up to 20 on a page. Apple's page: *Get Notification History*.
    ///
    /// A token can only continue an interrupted request: the last page has none, and tokens expire (4000017). To get
    /// new notifications, make a new request with a later `startDate`.
    ///
    /// Error codes: 4000006, 4000012, 4000013, 4000014, 4000015, 4000016, 4000017, 4000018, 4000019, 4040001 and
    /// 4040010.
    ///
    /// - Parameters:
    ///   - request: The filter. It is sent unchanged for every page.
    ///   - paginationToken: The token to continue from; nil for the beginning.
    public func notificationHistory(
        _ request: NotificationHistoryRequest, after paginationToken: String? = nil
    ) -> AppStorePages<NotificationHistoryResponse> {
        AppStorePages(endpoint: .notificationHistory, first: paginationToken) { token throws(AppStoreServerError) in
            try await response(
                .notificationHistory, query: parameter("paginationToken", token), json: request)
        }
    }
}
