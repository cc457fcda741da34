public import AppStoreModels

extension AppStoreServerClient {
    /// Has a `TEST` notification sent to the developer's server. Apple's page: *Request a Test Notification*.
    ///
    /// - Returns: The token to ask with what became of it.
    public func requestTestNotification() async throws(AppStoreServerError) -> SendTestNotificationResponse {
        try await answer(.requestTestNotification)
    }

    /// What became of a test notification of the last six months. While that is not known yet the App Store answers
    /// 4040008, so the call is repeated as the ``RetryPolicy`` says. Apple's page: *Get Test Notification Status*.
    public func testNotification(
        _ testNotificationToken: String
    ) async throws(AppStoreServerError) -> CheckTestNotificationResponse {
        try await answer(.testNotification, [testNotificationToken])
    }

    /// The notifications of the last 180 days, up to 20 on a page. Apple's page: *Get Notification History*.
    ///
    /// A token is for going on with an interrupted request only: the last page has none, and tokens expire (4000017). To
    /// get what is new, ask again with a later `startDate`.
    ///
    /// - Parameters:
    ///   - request: What to look for; goes unchanged with every page.
    ///   - paginationToken: Where to go on; nil for the beginning.
    public func notificationHistory(
        _ request: NotificationHistoryRequest, after paginationToken: String? = nil
    ) -> AppStorePages<NotificationHistoryResponse> {
        AppStorePages(endpoint: .notificationHistory, first: paginationToken) { token throws(AppStoreServerError) in
            try await answer(
                .notificationHistory, query: parameter("paginationToken", token),
                body: json(request, for: .notificationHistory))
        }
    }
}
