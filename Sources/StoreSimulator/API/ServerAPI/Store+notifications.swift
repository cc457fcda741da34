internal import AppStoreModels
internal import Foundation

// The notification history and test notifications.

extension Store {
    /// How long a pagination token is valid. Apple documents that tokens expire, but not when.
    static let tokenLifetimeInHours: Int64 = 24

    func notificationHistory(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let query = try NotificationQuery(request.fields(), at: now, lastSigned: lastSigned)
        let text = try QueryParameters(request.query).string("paginationToken", or: .invalidPaginationToken)
        var customer: String?
        if let transaction = query.transaction { customer = try account(transaction).id }
        let numbers = if let text { try rest(text, query, at: now) } else { range(query, at: now) }
        var page: [Int] = []
        var next: Int?
        for number in numbers {
            // The history contains only signed notifications, which are those of version 2.
            guard notifications[number].version == .two,
                customer == nil || notifications[number].customer == customer,
                query.accepts(notifications[number], exactly: settings.historyMatchesSubtypeExactly)
            else { continue }
            if page.count == Self.pageSize {
                next = number
                break
            }
            page.append(number)
        }
        let token = next.map {
            PageToken(
                position: Int64($0), minor: Int64(numbers.upperBound), made: now.millisecondsSince1970 ?? 0
            ).text(boundTo: binding(query))
        }
        return .object([
            ("paginationToken", token.map { .string($0) }), ("hasMore", .bool(token != nil)),
            ("notificationHistory", .array(page.map(historyItem))),
        ])
    }

    /// Returns the numbers of the notifications between the dates of a request for the first page.
    private func range(_ query: NotificationQuery, at now: Date) -> Range<Int> {
        let start = numberOfNotifications(before: query.startDate)
        // Include the end date: with a frozen clock, "until now" has to include notifications of this instant, and
        // their signed dates can be later than the clock.
        let end =
            query.endDate >= now
            ? notifications.count : numberOfNotifications(before: query.endDate.after(0.001))
        return start..<max(start, end)
    }

    /// Returns the numbers that earlier pages have left. The token has the end as of the first page, so that it does
    /// not depend on the time at which a later page is requested.
    private func rest(_ text: String, _ query: NotificationQuery, at now: Date) throws(APIFailure) -> Range<Int> {
        guard let token = PageToken(text, boundTo: binding(query)), token.position >= 0,
            token.position <= token.minor, token.minor <= Int64(notifications.count)
        else {
            throw APIFailure(
                .invalidPaginationToken, "The token is invalid, or the body differs from that of the previous request.")
        }
        // A forged token can contain any time. Do not subtract from it, because that could overflow.
        guard token.made >= (now.millisecondsSince1970 ?? 0) - Self.tokenLifetimeInHours * 3_600_000 else {
            throw APIFailure(.paginationTokenExpired, "The token is too old. Begin with the first page.")
        }
        return Int(token.position)..<Int(token.minor)
    }

    /// Returns the values that a pagination token is bound to.
    func binding(_ query: NotificationQuery) -> [String] { [environment.rawValue] + query.canonical }

    /// Returns the number of notifications that were signed before `date`. They are stored in the order of their signed
    /// dates.
    private func numberOfNotifications(before date: Date) -> Int {
        notifications.indices.partitioningIndex { notifications[$0].signedDate >= date }
    }

    /// Returns a notification and its delivery attempts.
    private func historyItem(_ number: Int) -> APIBody {
        let attempts = notifications[number].sendAttempts.prefix(6)
        let items = attempts.map { attempt in
            APIBody.object([
                ("attemptDate", attempt.date.milliseconds),
                ("sendAttemptResult", .string(attempt.result.rawValue)),
            ])
        }
        return .object([
            ("signedPayload", .notification(number)), ("sendAttempts", .array(items)),
            ("firstSendAttemptResult", attempts.first.map { .string($0.result.rawValue) }),
        ])
    }

    mutating func sendTestNotification(at now: Date) throws(APIFailure) -> APIResponse {
        guard settings.notificationURL != nil else {
            throw APIFailure(
                .serverNotificationUrlNotFound, "No URL for notifications is set in \(environment.rawValue).")
        }
        return .object([("testNotificationToken", .string(addTest(at: now)))])
    }

    func testNotificationStatus(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let token = request.path["testNotificationToken"] ?? ""
        let halves = token.split(separator: "_", omittingEmptySubsequences: false)
        guard halves.count == 2, let uuid = halves.first, UUID(text: String(uuid)) != nil,
            let time = halves.last, String(time).isIdentifier
        else {
            throw APIFailure(
                .invalidTestNotificationToken,
                "The path contains no token of a test notification: expected a UUID, _ and a number.")
        }
        guard let number = tests[token], notifications.indices.contains(number),
            !notifications[number].sendAttempts.isEmpty,
            let end = Period(6, .month)?.date(after: notifications[number].signedDate), now < end
        else {
            throw APIFailure(
                .testNotificationNotFound, "There is no such test notification, it was not sent yet, or it is too old.")
        }
        return APIResponse(body: historyItem(number))
    }
}
