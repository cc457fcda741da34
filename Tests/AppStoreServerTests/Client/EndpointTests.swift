import AppStoreModels
import Foundation
import Testing

@testable import AppStoreServer

@Suite struct `The table of endpoints` {
    // Copied by hand from Apple's documentation: method, path, requests per second in production, status of success.
    static let reference = """
        GET /inApps/v2/history/{anyTransactionId} 50 200
        GET /inApps/v1/history/{anyTransactionId} 50 200
        GET /inApps/v1/subscriptions/{anyTransactionId} 50 200
        GET /inApps/v1/transactions/{transactionId} 50 200
        GET /inApps/v1/transactions/appTransactions/{anyTransactionId} 50 200
        POST /inApps/v1/transactions/{transactionId}/finish 50 200
        PUT /inApps/v1/transactions/{originalTransactionId}/appAccountToken 20 200
        PUT /inApps/v2/transactions/consumption/{transactionId} 50 202
        PUT /inApps/v1/transactions/consumption/{transactionId} 50 202
        GET /inApps/v1/lookup/{orderId} 10 200
        GET /inApps/v2/refund/lookup/{anyTransactionId} 10 200
        GET /inApps/v1/refund/lookup/{originalTransactionId} 10 200
        PUT /inApps/v1/subscriptions/extend/{originalTransactionId} 20 200
        POST /inApps/v1/subscriptions/extend/mass 1 200
        GET /inApps/v1/subscriptions/extend/mass/{productId}/{requestIdentifier} 1 200
        POST /inApps/v1/notifications/test 1 200
        GET /inApps/v1/notifications/test/{testNotificationToken} 1 200
        POST /inApps/v1/notifications/history 50 200
        GET /groups/v1/currentGroups/{anyTransactionId} 50 200
        GET /groups/v1/group/{groupId} 50 200
        PUT /inApps/v1/messaging/image/{imageIdentifier} 1 200
        DELETE /inApps/v1/messaging/image/{imageIdentifier} 1 200
        GET /inApps/v1/messaging/image/list 1 200
        PUT /inApps/v1/messaging/message/{messageIdentifier} 1 200
        DELETE /inApps/v1/messaging/message/{messageIdentifier} 1 200
        GET /inApps/v1/messaging/message/list 1 200
        PUT /inApps/v1/messaging/default/{productId}/{locale} 10 200
        GET /inApps/v1/messaging/default/{productId}/{locale} 1 200
        DELETE /inApps/v1/messaging/default/{productId}/{locale} 1 200
        PUT /inApps/v1/messaging/realtime/url 1 200
        GET /inApps/v1/messaging/realtime/url 1 200
        DELETE /inApps/v1/messaging/realtime/url 1 200
        POST /inApps/v1/messaging/performanceTest 1 200
        GET /inApps/v1/messaging/performanceTest/result/{requestId} 1 200
        POST /advancedCommerce/v1/subscription/cancel/{transactionId} 5 200
        POST /advancedCommerce/v1/subscription/changeMetadata/{transactionId} 50 200
        POST /advancedCommerce/v1/subscription/changePrice/{transactionId} 50 200
        POST /advancedCommerce/v1/subscription/migrate/{transactionId} 50 200
        POST /advancedCommerce/v1/transaction/requestRefund/{transactionId} 5 200
        POST /advancedCommerce/v1/subscription/revoke/{transactionId} 5 200
        """

    @Test func `The table of endpoints equals Apple's documentation`() {
        let table = AppStoreEndpoint.all.map { "\($0.method) \($0.path) \($0.rateClass.perSecond) \($0.successStatus)" }
        #expect(table == Self.reference.split(separator: "\n").map(String.init))
        #expect(AppStoreEndpoint.server.count == 20)
        #expect(AppStoreEndpoint.retentionMessaging.count == 14)
        #expect(AppStoreEndpoint.advancedCommerce.count == 6)
    }

    @Test func `The table says which endpoints are paged, deprecated, without a body or in one environment`() {
        func names(_ isListed: (AppStoreEndpoint) -> Bool) -> [String] {
            AppStoreEndpoint.all.filter(isListed).map(\.name)
        }
        #expect(names { $0.environment == .production } == ["order"])
        #expect(
            names { $0.environment == .sandbox } == [
                "customer-groups", "group-members", "start-performance-test", "performance-test",
            ])
        #expect(
            names { $0.isPaged } == [
                "transaction-history", "transaction-history-v1", "refund-history", "notification-history",
                "group-members",
            ])
        #expect(names { $0.isDeprecated } == ["transaction-history-v1", "refund-history-v1"])
        #expect(
            names { !$0.hasResponseBody } == [
                "finish-transaction", "set-app-account-token", "send-consumption", "send-consumption-v1",
                "upload-image", "delete-image", "upload-message", "delete-message", "set-default-message",
                "delete-default-message", "set-realtime-url", "delete-realtime-url",
            ])
    }

    @Test func `The table lists the query parameters of each endpoint, and the media type of each body`() {
        let parameters = AppStoreEndpoint.all.filter { !$0.queryParameters.isEmpty }
            .map { "\($0.name) \($0.queryParameters.joined(separator: " "))" }
        let history =
            "revision startDate endDate productId productType sort subscriptionGroupIdentifier "
            + "inAppOwnershipType revoked"
        #expect(
            parameters == [
                "transaction-history \(history)", "transaction-history-v1 \(history)", "subscription-statuses status",
                "refund-history revision", "notification-history paginationToken",
                "group-members paginationToken limit", "upload-image imageSize",
            ])
        let bodies = AppStoreEndpoint.all.filter { $0.contentType != nil }
        #expect(bodies.filter { $0.contentType != "application/json" }.map(\.name) == ["upload-image"])
        // These need no contents.
        let without = AppStoreEndpoint.all.filter { ["POST", "PUT"].contains($0.method) && $0.contentType == nil }
        #expect(without.map(\.name) == ["finish-transaction", "request-test-notification"])
        #expect(bodies.allSatisfy { ["POST", "PUT"].contains($0.method) })
    }

    @Test func `Every endpoint has a distinct name in lower case with hyphens`() {
        let names = AppStoreEndpoint.all.map(\.name)
        #expect(Set(names).count == names.count)
        for name in names { #expect(name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil) }
        for endpoint in AppStoreEndpoint.all {
            #expect(RateClass.all.contains(endpoint.rateClass))
            #expect(!endpoint.title.isEmpty)
        }
    }

    @Test func `Endpoints with side effects are not marked as repeatable`() {
        let unsafe = AppStoreEndpoint.all.filter { $0.idempotency == .notIdempotent }.map(\.name)
        #expect(
            unsafe == [
                "finish-transaction", "request-test-notification", "upload-image", "delete-image", "upload-message",
                "delete-message", "delete-realtime-url", "start-performance-test",
            ])
        let byIdentifier = AppStoreEndpoint.all.filter { $0.idempotency == .byIdentifier }.map(\.name)
        #expect(
            byIdentifier == ["extend-renewal-date", "extend-renewal-dates"]
                + AppStoreEndpoint.advancedCommerce.map(\.name))
        for endpoint in AppStoreEndpoint.all where endpoint.method == "GET" {
            #expect(endpoint.idempotency == .idempotent)
        }
    }

    @Test(arguments: [
        ("a/b", "a%2Fb"), ("../x", "..%2Fx"), ("a?b=c", "a%3Fb%3Dc"), ("a#b", "a%23b"), ("%2F", "%252F"),
        ("a b", "a%20b"), ("é\u{2063}", "%C3%A9%E2%81%A3"), ("a\r\nX: y", "a%0D%0AX%3A%20y"), ("\u{0}", "%00"),
        ("a;b", "a%3Bb"), ("a\\b", "a%5Cb"), ("...", "..."), ("A-z_0.9~", "A-z_0.9~"), ("a:b@c", "a%3Ab%40c"),
    ])
    func `Parameters are escaped within their path segment or query item`(_ value: String, _ segment: String) throws {
        #expect(
            try AppStoreEndpoint.transaction.target([value], []) == "/inApps/v1/transactions/\(segment)")
        let target = try AppStoreEndpoint.groupMembers.target(["g"], [("limit", value), (value, "1")])
        #expect(target == "/groups/v1/group/g?limit=\(segment)&\(segment)=1")
    }

    @Test(arguments: ["", ".", "..", String(repeating: "1", count: AppStoreEndpoint.maximumParameterSize + 1)])
    func `A parameter that would change the path is refused`(_ value: String) {
        #expect(throws: AppStoreServerError(.invalidRequest, "")) {
            try AppStoreEndpoint.transaction.target([value], [])
        }
        #expect(throws: AppStoreServerError(.invalidRequest, "")) {
            try AppStoreEndpoint.renewalExtensionStatus.target(["p", value], [])
        }
    }

    @Test func `A parameter may have the maximum size, counted in bytes`() throws {
        let longest = String(repeating: "1", count: AppStoreEndpoint.maximumParameterSize)
        #expect(
            try AppStoreEndpoint.transaction.target([longest], []) == "/inApps/v1/transactions/\(longest)")
        let accented = String(repeating: "é", count: AppStoreEndpoint.maximumParameterSize / 2 + 1)
        #expect(throws: AppStoreServerError(.invalidRequest, "")) {
            try AppStoreEndpoint.transaction.target([accented], [])
        }
    }

    @Test func `The wrong number of parameters is refused`() {
        for values in [[], ["1", "2"]] {
            #expect(throws: AppStoreServerError(.invalidRequest, "")) {
                try AppStoreEndpoint.transaction.target(values, [])
            }
        }
    }
}

@Suite struct `App Store hosts` {
    @Test func `Only production and the sandbox have a host of Apple's`() throws {
        #expect(try AppStoreHost(environment: .production).url == "https://api.storekit.apple.com")
        #expect(try AppStoreHost(environment: .sandbox).url == "https://api.storekit-sandbox.apple.com")
        for environment in [AppStoreEnvironment.xcode, .localTesting, AppStoreEnvironment(rawValue: "?")] {
            #expect(throws: AppStoreServerError(.invalidRequest, "")) { try AppStoreHost(environment: environment) }
        }
    }

    @Test func `A custom host may have a path, and loses trailing slashes`() throws {
        let host = try AppStoreHost(url: "http://127.0.0.1:8080/store//", environment: .sandbox)
        #expect(host.url == "http://127.0.0.1:8080/store")
        #expect(try AppStoreHost(url: "https://[::1]:1", environment: .sandbox).url == "https://[::1]:1")
    }

    @Test func `A custom host has at most 2,048 bytes`() throws {
        let longest = "https://a/" + String(repeating: "x", count: 2038)
        #expect(try AppStoreHost(url: longest, environment: .sandbox).url == longest)
        #expect(throws: AppStoreServerError(.invalidRequest, "")) {
            try AppStoreHost(url: longest + "x", environment: .sandbox)
        }
    }

    @Test(arguments: [
        "", "api.storekit.apple.com", "ftp://a", "https://", "https:///x", "https://u:p@a", "https://u@a",
        "https://a?x=1", "https://a#f", "https://a b", "https://a\r\nX: y", "file:///etc/passwd", "https://é",
    ])
    func `A custom host that is not a plain HTTP or HTTPS URL is refused`(_ url: String) {
        #expect(throws: AppStoreServerError(.invalidRequest, "")) {
            try AppStoreHost(url: url, environment: .sandbox)
        }
    }
}
