internal import AppStoreModels
internal import Foundation

// Notifications as the developer asks for them.

extension Store {
    /// How long the token of the next page of notifications holds. Apple says that there is an end, not which.
    static let tokenLifetimeInHours: Int64 = 24

    func notificationHistory(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        let query = try NotificationQuery(RequestBody(Array(request.body)), at: now, lastSigned: lastSigned)
        let text = try QueryParameters(request.query).string("paginationToken", or: .invalidPaginationToken)
        var customer: String?
        if let transaction = query.transaction { customer = try account(transaction).id }
        let first = try text.map { text throws(APIFailure) in try position(text, query, at: now) }
        var page: [Int] = []
        var next: Int?
        for number in max(first ?? 0, numberOfNotifications(before: query.startDate))..<notifications.count {
            // Both ends count: with a clock that stands still, "until now" has to include what happened just now, and of
            // one instant much may have been signed later than the clock shows.
            guard notifications[number].signedDate <= query.endDate || query.endDate >= now else { break }
            // The history knows what is signed.
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
            PageToken(position: Int64($0), made: now.millisecondsSince1970 ?? 0).text(boundTo: query.canonical)
        }
        return APIAnswer(
            body: .object([
                ("paginationToken", token.map { .string($0) }), ("hasMore", .bool(token != nil)),
                ("notificationHistory", .array(page.map(sent))),
            ]))
    }

    private func position(
        _ text: String, _ query: NotificationQuery, at now: Date
    ) throws(APIFailure) -> Int {
        guard let token = PageToken(text, boundTo: query.canonical),
            (0...Int64(notifications.count)).contains(token.position)
        else {
            throw APIFailure(.invalidPaginationToken, "The token is not one, or the body is not the same as before.")
        }
        // Whoever knows how tokens are made can make one of any time: nothing is subtracted from that.
        guard token.made >= (now.millisecondsSince1970 ?? 0) - Self.tokenLifetimeInHours * 3_600_000 else {
            throw APIFailure(.paginationTokenExpired, "The token is too old. Begin with the first page.")
        }
        return Int(token.position)
    }

    /// Notifications are signed in the order in which they are made.
    private func numberOfNotifications(before date: Date) -> Int {
        var (low, high) = (0, notifications.count)
        while low < high {
            let middle = low + (high - low) / 2
            if notifications[middle].signedDate < date { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A notification and the attempts to deliver it.
    private func sent(_ number: Int) -> APIBody {
        let attempts = notifications[number].sendAttempts.prefix(6)
        return .object([
            ("signedPayload", .notification(number)),
            (
                "sendAttempts",
                .array(
                    attempts.map { attempt in
                        .object([
                            ("attemptDate", attempt.date.milliseconds),
                            ("sendAttemptResult", .string(attempt.result.rawValue)),
                        ])
                    })
            ),
            ("firstSendAttemptResult", attempts.first.map { .string($0.result.rawValue) }),
        ])
    }

    mutating func sendTestNotification(at now: Date) throws(APIFailure) -> APIAnswer {
        guard settings.notificationURL != nil else {
            throw APIFailure(
                .serverNotificationUrlNotFound, "No URL for notifications is set in \(environment.rawValue).")
        }
        return APIAnswer(body: .object([("testNotificationToken", .string(addTest(at: now)))]))
    }

    func testNotificationStatus(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        let token = request.path["testNotificationToken"] ?? ""
        let halves = token.split(separator: "_", omittingEmptySubsequences: false)
        guard halves.count == 2, let uuid = halves.first, UUID(text: String(uuid)) != nil,
            let time = halves.last, String(time).isIdentifier
        else { throw APIFailure(.invalidTestNotificationToken, "That is no token of a test notification.") }
        guard let number = tests[token], notifications.indices.contains(number),
            !notifications[number].sendAttempts.isEmpty,
            let end = Period(6, .month)?.after(notifications[number].signedDate), now < end
        else {
            throw APIFailure(
                .testNotificationNotFound, "There is no such test notification, it is not sent yet, or too old.")
        }
        return APIAnswer(body: sent(number))
    }
}
