import AppStoreModels
import AppStoreServer
import AsyncHTTPClient
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `Retry-After of a receiver` {
    @Test func `Retry-After is read in seconds or as a date`() {
        let now = Date(timeIntervalSince1970: 1_445_412_480)
        #expect(RetryAfter.seconds(" 120 ", now: now) == 120)
        #expect(RetryAfter.seconds("Wed, 21 Oct 2015 07:29:00 GMT", now: now) == 60)
        #expect(RetryAfter.seconds("Wed, 21 Oct 2015 07:27:00 GMT", now: now) == 0)
        for text in ["", "-1", "soon", "99999999999999999999", "1.5"] {
            #expect(RetryAfter.seconds(text, now: now) == nil)
        }
    }
}

@Suite struct `The signature of a webhook` {
    @Test(
        arguments: [
            (1.0, 1), (1.999, 1), (-0.5, -1), (.infinity, .max), (-.infinity, .min), (.nan, .max),
        ] as [(Double, Int64)])
    func `The timestamp is the second that has begun`(_ seconds: Double, _ timestamp: Int64) {
        #expect(WebhookSignature.timestamp(Date(timeIntervalSince1970: seconds)) == timestamp)
    }

    @Test func `A secret has 24 to 64 bytes after its prefix`() {
        func key(_ count: Int, prefix: String = "whsec_") -> [UInt8]? {
            Secret(prefix + Data(repeating: 7, count: count).base64EncodedString()).webhookKey
        }
        for count in [24, 64] { #expect(key(count) == Array(repeating: 7, count: count)) }
        for count in [0, 23, 65] { #expect(key(count) == nil) }
        #expect(key(32, prefix: "") == nil && key(32, prefix: "WHSEC_") == nil)
        #expect(Secret("whsec_*").webhookKey == nil)
    }

    @Test func `A message has one signature for each secret, in their order`() throws {
        let body = Data(#"{"a":1}"#.utf8)
        func signature(_ secrets: [Secret]) -> String? {
            WebhookSignature.headers(id: "evt_1", date: Date(timeIntervalSince1970: 5), body: body, secrets: secrets)
                .first { $0.name == "webhook-signature" }?.value
        }
        let (old, new) = (WebhookSignature.makeSecret(), WebhookSignature.makeSecret())
        #expect(old.webhookKey?.count == 32 && old.revealed != new.revealed)
        let (first, second) = (try #require(signature([old])), try #require(signature([new])))
        #expect(signature([old, new]) == "\(first) \(second)" && first != second)
    }
}

@Suite struct `The reason of a webhook without a response` {
    /// With a request in progress, the client reports a connection that cannot be opened as an exhausted pool.
    @Test(arguments: [
        (HTTPClientError.connectTimeout, "connect_timeout"), (.getConnectionFromPoolTimeout, "connect_timeout"),
        (.deadlineExceeded, "timeout"), (.readTimeout, "timeout"), (.remoteConnectionClosed, "connection_closed"),
        (.invalidHeaderFieldNames([]), "http_error"),
    ])
    func `The reason says whether no connection was opened or no response came`(
        error: HTTPClientError, reason: String
    ) {
        #expect(WebhookSender.reason(error) == reason)
    }
}

@Suite struct `The target of a webhook` {
    private func addresses(_ url: String, names: [String: [String]] = [:]) async throws -> [String] {
        try await WebhookTarget(url, allowsHTTP: false).addresses(allowsPrivate: false) { names[$0] ?? [] }
    }

    @Test(arguments: [
        "https://127.0.0.1/", "https://10.1.2.3/", "https://192.168.0.1:8443/x", "https://169.254.169.254/latest",
        "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:a00:1]/", "https://[fe80::1]/",
        "https://[fd00::1]/", "https://0.0.0.0/", "https://100.64.0.1/", "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/", "https://[fec0::1]/", "https://%31%32%37.0.0.1/",
    ])
    func `A webhook's target is refused if it is an address of this machine or of a private network`(_ url: String)
        async
    {
        await #expect { _ = try await addresses(url) } throws: {
            ($0 as? WebhookTarget.Refusal)?.code == .notPublic
        }
    }

    @Test(arguments: [
        "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://0177.0.0.1/", "https://127.1/",
        "https://017700000001/", "https://1.2.3.4.5/", "https://example.com.0x1/", "https://user@example.com/",
        "https://user:word@example.com/", "ftp://example.com/", "https:///x", "example.com", "",
        "https://exa mple.com/",
        "https://example..com/", "https://example.com:99999/", "https://[::1%25eth0]/",
    ])
    func `A webhook's target is refused if its URL is ambiguous`(_ url: String) async {
        await #expect { _ = try await addresses(url, names: ["example.com": ["1.1.1.1"]]) } throws: {
            ($0 as? WebhookTarget.Refusal)?.code == .malformed
        }
    }

    @Test func `A webhook's target must use HTTPS unless HTTP is allowed`() {
        #expect { _ = try WebhookTarget("http://example.com/", allowsHTTP: false) } throws: {
            ($0 as? WebhookTarget.Refusal)?.code == .insecure
        }
        #expect(throws: Never.self) { _ = try WebhookTarget("http://example.com/", allowsHTTP: true) }
    }

    @Test func `A webhook's target is refused if any address of its name is private`() async throws {
        let names = [
            "good.example": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
            "mixed.example": ["93.184.216.34", "10.0.0.1"], "inside.example": ["::ffff:192.168.1.1"],
            "scoped.example": ["fe80::1%eth0"],
        ]
        let good = try await addresses("HTTPS://Good.Example/path?q=1#fragment", names: names)
        #expect(good == names["good.example"])
        #expect(
            try WebhookTarget("HTTPS://Good.Example/path?q=1#fragment", allowsHTTP: false).url
                == "https://good.example/path?q=1")
        for name in ["mixed", "inside", "scoped"] {
            await #expect { _ = try await addresses("https://\(name).example/", names: names) } throws: {
                ($0 as? WebhookTarget.Refusal)?.code == .notPublic
            }
        }
        await #expect { _ = try await addresses("https://nowhere.example/", names: names) } throws: {
            ($0 as? WebhookTarget.Refusal)?.code == .unresolved
        }
    }

    private final class Latch: Sendable {
        let isOpen = Atomic(false)
    }

    /// If no DNS server answers, a lookup takes half a minute. The shutdown must not wait for it.
    @Test func `A lookup returns at once when its task is cancelled`() async {
        let latch = Latch()
        let lookup = Task {
            await WebhookTarget.onThread {
                while !latch.isOpen.load(ordering: .acquiring) { sched_yield() }
                return "1.1.1.1"
            }
        }
        lookup.cancel()
        #expect(await lookup.value == nil)
        latch.isOpen.store(true, ordering: .releasing)
        #expect(await WebhookTarget.onThread { "1.1.1.1" } == "1.1.1.1")
    }
}

@Suite struct `The types of events` {
    @Test func `An event type matches patterns with wildcards`() {
        let type = EventType(rawValue: "subscription.renewed")
        for pattern in ["*", "subscription.*", "subscription.renewed", "*.renewed", "sub*.ren*ed", "**"] {
            #expect(type.matches(pattern), "\(pattern)")
        }
        for pattern in ["", "subscription", "subscription.", "purchase.*", "*.expired", "subscription.renewed*x", "a*"]
        {
            #expect(!type.matches(pattern), "\(pattern)")
        }
    }

    @Test func `The documentation lists all event types with their compatible names`() throws {
        let path = Fixtures.package.appending(path: "docs/webhooks.md")
        let rows = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        for type in EventType.all + [EventType.webhookTest.rawValue] {
            let row = rows.first { $0.hasPrefix("| `\(type)` |") }
            let names = CompatibleEvent.events(of: EventType(rawValue: type)).map { "`\($0.rawValue)`" }
            let cell = row?.split(separator: "|").last { !$0.allSatisfy(\.isWhitespace) } ?? ""
            let documented = cell.matches(of: /`[A-Z_]+`/).map { String($0.output) }
            #expect(row != nil, "\(type)")
            #expect(documented == names, "\(type)")
        }
    }

    @Test func `Country codes are converted from three letters to two`() {
        #expect(CountryCode.alpha2(forAlpha3: "USA") == "US")
        #expect(CountryCode.alpha2(forAlpha3: "CHE") == "CH")
        #expect(CountryCode.alpha2(forAlpha3: "XKS") == "XK")
        #expect(CountryCode.alpha2(forAlpha3: "QQQ") == nil)
    }
}

@Suite struct `An event` {
    /// Returns the data of the last event of the given type.
    private static func data(of type: String, _ world: World) async throws -> [String: Any] {
        let event = try await world.api.get("/v1/events").items.last { $0["type"] as? String == type }
        return try #require(event?["data"] as? [String: Any])
    }

    @Test func `The event of a withdrawn consent contains the app transaction, like its notification`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            try await world.simulator.perform(.rescindConsent(customer: "anna"))
            try await world.waitUntilIdle()
            let started = try await Self.data(of: "subscription.started", world)
            let account = try #require((started["transaction"] as? [String: Any])?["app_transaction_id"] as? String)
            let rescinded = try await Self.data(of: "customer.consent_rescinded", world)
            let app = try #require(rescinded["app_transaction"] as? [String: Any])
            #expect(app["app_transaction_id"] as? String == account)
            #expect(app["original_purchase_date"] is Int && app["signed_date"] is Int)
            let uuid = try #require((rescinded["notification"] as? [String: Any])?["uuid"] as? String)
            let decoded = try await world.api.get("/v1/notifications/\(uuid)")["decoded"] as? [String: Any]
            #expect((decoded?["app_transaction"] as? [String: Any])?["appTransactionId"] as? String == account)
        }
    }

    @Test func `A withdrawn consent names the owner of the Apple account's purchases until the customer is erased`()
        async throws
    {
        try await World.withConsole { world, browser in
            let anna = try await world.subscribe("anna")
            _ = try await world.subscribe("ben")
            try await world.simulator.perform(.rescindConsent(customer: "anna"))
            try await world.waitUntilIdle()
            let event = try await Self.data(of: "customer.consent_rescinded", world)
            #expect(event["customer"] as? String == anna)
            let uuid = try #require((event["notification"] as? [String: Any])?["uuid"] as? String)
            #expect(try await world.api.get("/v1/notifications/\(uuid)")["customer"] as? String == anna)
            let page = try await browser.get("/console/notifications/\(uuid)").text
            #expect(page.contains("href=\"/console/customers/\(anna)"))
            #expect(try await world.api.send("DELETE", "/v1/customers/\(anna)").status == 200)
            let erased = try await Self.data(of: "customer.consent_rescinded", world)
            #expect(erased["customer"] == nil)
            let notification = try await world.api.get("/v1/notifications/\(uuid)")
            #expect(notification.status == 200 && notification["customer"] == nil)
        }
    }

    @Test func `The event of a migration names the previous subscription`() async throws {
        try await World.withAPI { world in
            _ = try await world.simulator.trigger(TriggerRequest(.migration, nil))
            try await world.waitUntilIdle()
            let migrated = try await Self.data(of: "subscription.migrated", world)
            let transaction = try #require(migrated["transaction"] as? [String: Any])
            let previous = try #require(transaction["previous_original_transaction_id"] as? String)
            #expect(previous != transaction["original_transaction_id"] as? String)
            #expect(try await world.api.get("/v1/subscriptions/\(previous)").status == 200)
        }
    }

    @Test func `The transaction of an event has the period of its offer and the billing plan`() async throws {
        try await World.withAPI { world in
            let plan = StoreCommand.purchase(
                customer: "ben", product: "com.example.premium.commitment", billingPlan: .monthly)
            let offer = StoreCommand.purchase(customer: "anna", product: World.monthly)
            let cases: [(command: StoreCommand, values: [String?])] = [
                (plan, [nil, "MONTHLY"]), (offer, ["P1W", nil]),
            ]
            for (command, values) in cases {
                try await world.simulator.perform(command)
                try await world.waitUntilIdle()
                let started = try await Self.data(of: "subscription.started", world)
                let transaction = try #require(started["transaction"] as? [String: Any])
                let found = ["offer_period", "billing_plan_type"].map { transaction[$0] as? String }
                #expect(found == values)
                #expect(transaction["advanced_commerce"] == nil)
            }
        }
    }

    @Test func `The transaction of an event has the items of an Advanced Commerce purchase and their refunds`()
        async throws
    {
        try await World.withAPI { world in
            let reference = UUID()
            let bought = try await world.simulator.perform(
                .subscribeAdvancedCommerce(
                    customer: "anna", product: "com.example.advanced.subscription",
                    request: .init(
                        requestInfo: .init(requestReferenceId: reference), currency: "USD",
                        descriptors: .init(description: "Everything", displayName: "All"),
                        items: [
                            .init(sku: "tv", displayName: "TV", description: "TV", price: 5000),
                            .init(sku: "radio", displayName: "Radio", description: "Radio", price: 2000),
                        ], period: .p1m, taxCode: "C003-00-2")))
            try await world.waitUntilIdle()
            let started = try await Self.advancedCommerce(of: "subscription.started", world)
            #expect((started["request_reference_id"] as? String)?.lowercased() == reference.uuidString.lowercased())
            #expect(started["period"] as? String == "P1M" && started["tax_code"] as? String == "C003-00-2")
            let items = try #require(started["items"] as? [[String: Any]])
            #expect(items.map { $0["sku"] as? String } == ["tv", "radio"])
            #expect(items.map { $0["display_name"] as? String } == ["TV", "Radio"])
            #expect(items.map { $0["price_milliunits"] as? Int } == [5000, 2000])
            #expect(items.map { ($0["refunds"] as? [Any])?.count } == [0, 0])

            _ = try await world.simulator.client().requestRefund(
                try #require(bought.transactionID),
                AdvancedCommerceRequestRefundRequest(
                    requestInfo: .init(requestReferenceId: UUID()),
                    items: [.init(sku: "radio", refundReason: .legal, refundType: .full, revoke: true)],
                    refundRiskingPreference: false, currency: "USD"))
            try await world.simulator.processDueEvents()
            try await world.waitUntilIdle()
            let refunded = try await Self.advancedCommerce(of: "purchase.refunded", world)
            let radio = try #require((refunded["items"] as? [[String: Any]])?.last)
            #expect(radio["revocation_date"] is Int)
            let refunds = try #require(radio["refunds"] as? [[String: Any]])
            try #require(refunds.count == 1)
            #expect(refunds[0]["amount_milliunits"] as? Int == 2000 && refunds[0]["refund_date"] is Int)
            #expect(refunds[0]["reason"] as? String == "LEGAL" && refunds[0]["type"] as? String == "FULL")
        }
    }

    private static func advancedCommerce(of type: String, _ world: World) async throws -> [String: Any] {
        let transaction = try await data(of: type, world)["transaction"] as? [String: Any]
        return try #require(transaction?["advanced_commerce"] as? [String: Any])
    }
}
