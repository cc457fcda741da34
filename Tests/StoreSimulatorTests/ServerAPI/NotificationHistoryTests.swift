import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Notification history` {
    /// Returns a shop with 100 or more notifications of several types and customers: a third of them delivered, a third
    /// sent without success, a third not sent.
    static func shop() throws -> APIShop {
        var shop = APIShop()
        try shop.buy("plus")
        try shop.buy("trial", "ben")
        try shop.perform(.failBilling(customer: "ben"))
        for day in 0..<60 {
            shop.advance(days: 1)
            try shop.buy("coins", day.isMultiple(of: 2) ? "anna" : "cleo")
            if day.isMultiple(of: 7) { try shop.perform(.approveRefund(customer: "anna")) }
            if day.isMultiple(of: 20) { try shop.perform(.cancel(customer: "anna")) }
            if day % 20 == 1 { try shop.perform(.resume(customer: "anna")) }
        }
        for index in shop.store.notifications.indices where !index.isMultiple(of: 3) {
            let delivers = index % 3 == 1
            shop.store.notifications[index].isDelivered = delivers
            shop.store.notifications[index].attempts = [
                NotificationAttempt(date: shop.now, result: .timedOut),
                NotificationAttempt(date: shop.now, result: delivers ? .success : .other),
            ]
        }
        return shop
    }

    /// Returns the items of all pages. Calls `between` before each page but the first.
    static func pages(
        _ shop: inout APIShop, _ body: String, between: (inout APIShop) throws -> Void = { _ in }
    ) throws -> [NotificationHistoryResponseItem] {
        var (items, query): ([NotificationHistoryResponseItem], String) = ([], "")
        for _ in 0..<50 {
            let page = try shop.get(NotificationHistoryResponse.self, .notificationHistory, query: query, body: body)
            #expect(page.hasMore == (page.paginationToken != nil))
            #expect(page.notificationHistory.count == 20 || !page.hasMore)
            items += page.notificationHistory
            guard let token = page.paginationToken else { return items }
            query = "paginationToken=\(token)"
            try between(&shop)
        }
        throw CocoaError(.featureUnsupported)
    }

    struct Filter: Sendable, CustomTestStringConvertible {
        let fields: [String: String]
        let accepts: @Sendable (NotificationRecord) -> Bool
        var testDescription: String { "\(fields)" }

        init(_ fields: [String: String], _ accepts: @escaping @Sendable (NotificationRecord) -> Bool) {
            self.fields = fields
            self.accepts = accepts
        }
    }

    static let day20 = APIShop.start + 20 * 86_400

    static let filters: [Filter] = [
        .init([:]) { _ in true },
        .init(["notificationType": "\"ONE_TIME_CHARGE\""]) { $0.type == .oneTimeCharge },
        .init(["notificationType": "\"DID_CHANGE_RENEWAL_STATUS\""]) { _ in false },
        .init([
            "notificationType": "\"DID_CHANGE_RENEWAL_STATUS\"", "notificationSubtype": "\"AUTO_RENEW_ENABLED\"",
        ]) { $0.subtype == .autoRenewEnabled },
        .init(["onlyFailures": "true"]) { !$0.isDelivered && !$0.attempts.isEmpty },
        .init(["onlyFailures": "true", "notificationType": "\"REFUND\""]) {
            $0.type == .refund && !$0.isDelivered && !$0.attempts.isEmpty
        },
        .init(["startDate": "\(APIShop.milliseconds(day20))"]) { $0.signedDate >= day20 },
        .init(["endDate": "\(APIShop.milliseconds(day20))"]) { $0.signedDate <= day20 },
        .init(["onlyFailures": "null", "notificationType": "null"]) { _ in true },
    ]

    @Test(arguments: filters)
    func `All pages together list the notifications that match the filter, in the order of signing`(_ filter: Filter)
        throws
    {
        var shop = try Self.shop()
        var body = JSONFields.notifications(from: APIShop.start, to: shop.now + 1000)
        body.fields.merge(filter.fields) { _, new in new }
        let expected = shop.store.notifications.indices.filter { filter.accepts(shop.store.notifications[$0]) }
        let items = try Self.pages(&shop, body.text)
        #expect(items.map(\.signedPayload) == expected.map(String.init))
        for (item, number) in zip(items, expected) {
            #expect(
                item.sendAttempts
                    == shop.store.notifications[number].attempts.map {
                        SendAttemptItem(attemptDate: $0.date, sendAttemptResult: $0.result)
                    })
            #expect(item.firstSendAttemptResult == item.sendAttempts.first?.sendAttemptResult)
        }
    }

    @Test func `A filter by any transaction of a customer returns all notifications about the customer`() throws {
        var shop = try Self.shop()
        for (field, id) in [
            ("transactionId", shop.app("cleo")), ("originalTransactionId", try shop.buy("coins", "cleo")),
        ] {
            var body = JSONFields.notifications(from: APIShop.start, to: shop.now)
            body.fields[field] = "\"\(id)\""
            let expected = shop.store.notifications.indices.filter { shop.store.notifications[$0].customer == "cleo" }
            #expect(try Self.pages(&shop, body.text).map(\.signedPayload) == expected.map(String.init))
        }
    }

    @Test func `Without exact subtype matching, a notification type matches all its subtypes`() throws {
        var shop = try Self.shop()
        shop.store.settings.historyMatchesSubtypeExactly = false
        var body = JSONFields.notifications(from: APIShop.start, to: shop.now)
        body.fields["notificationType"] = "\"DID_CHANGE_RENEWAL_STATUS\""
        #expect(try Self.pages(&shop, body.text).count == 6)
    }

    @Test func `The pages list the notifications until the first request, whenever the later ones are sent`() throws {
        var shop = APIShop()
        // Notifications of one instant are signed a millisecond apart, the last ones after the end of the request.
        for _ in 0..<45 { try shop.buy("coins") }
        for end in [shop.now, shop.now + 86_400] {
            var later = shop
            let body = JSONFields.notifications(from: shop.now - 1, to: end).text
            let items = try Self.pages(&later, body) { shop in
                shop.advance(days: 0.1)
                try shop.buy("coins")
            }
            #expect(items.map(\.signedPayload) == (0..<45).map { String($0) })
        }
    }

    @Test func `A pagination token requires the same body and is still valid after a day`() throws {
        var shop = try Self.shop()
        let body = JSONFields.notifications(from: APIShop.start, to: shop.now)
        let first = try shop.get(NotificationHistoryResponse.self, .notificationHistory, body: body.text)
        let token = try #require(first.paginationToken)
        let query = "paginationToken=\(token)"
        let other = body.with("onlyFailures", "true")
        let failure = #expect(throws: APIFailure.self) {
            try shop.send(APIShop.request(.notificationHistory, query: query, body: other))
        }
        #expect(failure?.code == .invalidPaginationToken)
        shop.advance(days: 1)
        let page = try shop.get(NotificationHistoryResponse.self, .notificationHistory, query: query, body: body.text)
        #expect(page.notificationHistory.first?.signedPayload == "20")
    }

    @Test func `A pagination token of one environment is invalid in the other`() throws {
        var (production, sandbox) = (APIShop(.production), APIShop(.sandbox))
        for _ in 0..<25 {
            try production.buy("coins")
            try sandbox.buy("coins")
        }
        let body = JSONFields.notifications(from: production.now - 1, to: production.now + 9).text
        let first = try production.get(NotificationHistoryResponse.self, .notificationHistory, body: body)
        let token = try #require(first.paginationToken)
        let failure = #expect(throws: APIFailure.self) {
            try sandbox.send(APIShop.request(.notificationHistory, query: "paginationToken=\(token)", body: body))
        }
        #expect(failure?.code == .invalidPaginationToken)
        let second = try production.get(
            NotificationHistoryResponse.self, .notificationHistory, query: "paginationToken=\(token)", body: body)
        #expect(second.notificationHistory.count == 5 && !second.hasMore)
    }

    @Test func `A delivered notification stays delivered after failed additional attempts`() throws {
        var shop = APIShop()
        try shop.buy("coins")
        shop.store.recordAttempt(0, .success, status: 200, at: shop.now)
        for count in 2...9 {
            shop.store.recordAttempt(0, .noResponse, status: nil, at: shop.now)
            let record = shop.store.notifications[0]
            #expect(record.attempts.count == count && record.attempts.last?.result == .noResponse)
            #expect(record.isDelivered && !record.isPending)
        }
        // The number of stored attempts is limited.
        for status in 10...RetrySchedule.maximumAttempts + 9 {
            shop.store.recordAttempt(0, .unsuccessfulHTTPResponseCode, status: status, at: shop.now)
        }
        let attempts = shop.store.notifications[0].attempts
        #expect(attempts.count == RetrySchedule.maximumAttempts && attempts.first?.result == .success)
        #expect(attempts.last?.status == RetrySchedule.maximumAttempts + 9)
    }

    @Test func `The notification history lists at most six attempts`() throws {
        var shop = APIShop()
        try shop.buy("coins")
        let attempt = NotificationAttempt(date: shop.now, result: .other)
        shop.store.notifications[0].attempts = Array(repeating: attempt, count: 9)
        let items = try Self.pages(&shop, JSONFields.notifications(from: shop.now - 1, to: shop.now).text)
        #expect(items.first?.sendAttempts.count == 6)
    }

    @Test func `The status of a test notification is available for six months`() throws {
        var shop = APIShop(.sandbox)
        let token = try shop.get(SendTestNotificationResponse.self, .requestTestNotification).testNotificationToken
        shop.store.notifications[0].attempts = [NotificationAttempt(date: shop.now, result: .success)]
        shop.advance(days: 180)
        let status = try shop.get(CheckTestNotificationResponse.self, .testNotification, token)
        #expect(status.signedPayload == "0")
        #expect(status.firstSendAttemptResult == .success)
        shop.advance(days: 5)
        let failure = #expect(throws: APIFailure.self) {
            try shop.send(APIShop.request(.testNotification, [token]))
        }
        #expect(failure?.code == .testNotificationNotFound)
    }
}
