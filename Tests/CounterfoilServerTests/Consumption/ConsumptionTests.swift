import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Consumption requests` {
    private static let coins = "com.example.coins.100"

    private func withPurchase(
        _ policy: ConsumptionPolicy?, lines: LogCapture = LogCapture(), _ body: (World, String) async throws -> Void
    ) async throws {
        try await World.run(
            server: { configuration in
                configuration.keys = [World.backend]
                configuration.apps[0].consumption = policy
            }, logger: lines.logger(.init())
        ) { world in
            let customer = UUID().uuidString.lowercased()
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: Self.coins, appAccountToken: AppAccountToken(UUID(uuidString: customer)))
            )
            try await world.waitUntilIdle()
            try await body(world, customer)
        }
    }

    private func requestRefund(_ world: World) async throws -> String {
        let outcome = try await world.simulator.perform(.requestRefund(customer: "anna"))
        try await world.waitUntilIdle()
        return try #require(outcome.transactionID)
    }

    /// Waits until the request is in one of these states after at least `attempts` attempts. Returns the customer's
    /// list.
    private func request(
        _ world: World, _ customer: String, about original: String, in states: Set<ConsumptionInquiry.State>,
        attempts: Int = 0
    ) async throws -> APIResponse {
        _ = try await world.inquiry(about: original) { states.contains($0.state) && $0.attempts >= attempts }
        return try await world.call(.GET, "/v1/customers/\(customer)/consumption")
    }

    @Test func `The answer sent to the App Store equals the preview of the app's report`() async throws {
        try await withPurchase(ConsumptionPolicy(refundPreference: .grantProrated)) { world, customer in
            let usage: [String: Any] = [
                "product_id": Self.coins, "consumption_percentage": 25_000, "customer_consented": true,
                "sample_content_provided": true,
            ]
            #expect(try await world.call(.POST, "/v1/customers/\(customer)/usage", usage).status == 204)
            let reading = try await world.server.core.customers.customer(customer, in: world.appEnvironment(), at: nil)
            let id = try #require(reading.states.purchases.first?.transactionID)
            let preview = try await world.call(
                .GET, "/v1/customers/\(customer)/consumption/preview?transaction_id=\(id)")
            #expect(preview.flag("would_send") == true)
            #expect(preview.number("request.consumptionPercentage") == 25_000)
            #expect(preview.text("request.refundPreference") == "GRANT_PRORATED")
            #expect(try await requestRefund(world) == id)
            let sent = try await request(world, customer, about: id, in: [.sent])
            let previewed = try #require(preview["request"] as? NSDictionary)
            #expect(sent["items.0.sent"] as? NSDictionary == previewed)
            #expect(sent.text("items.0.answer") == "accepted")
            try await world.simulator.processDueEvents()
            try await world.waitUntilIdle()
            try await world.simulator.perform(.declineRefund(customer: "anna"))
            try await world.waitUntilIdle()
            let later = try await world.call(.GET, "/v1/customers/\(customer)/consumption")
            #expect(later.text("items.0.decision") == "declined")
        }
    }

    @Test func `Every customer who shares a purchase gets the same preview, which equals the answer`() async throws {
        let product = "com.example.unlock"
        try await World.run(server: { configuration in
            configuration.keys = [World.backend]
            configuration.apps[0].consumption = ConsumptionPolicy()
            configuration.apps[0].restorePolicy = .share
        }) { world in
            world.simulator.configure { $0.refundDecision = .byCommand }
            let buyer = UUID()
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: product, appAccountToken: AppAccountToken(buyer)))
            try await world.waitUntilIdle()
            let id = try #require(outcome.transactionID)
            let restored = try await world.call(
                .POST, "/v1/customers/otto/purchases",
                ["signed_transactions": try await world.signedTransactions(of: id), "restore": true])
            try #require(restored.status == 200)
            let customers = [buyer.uuidString.lowercased(), "otto"]
            for (customer, percentage) in zip(customers, [10_000, 90_000]) {
                let usage: [String: Any] = [
                    "product_id": product, "consumption_percentage": percentage, "customer_consented": true,
                ]
                let reported = try await world.call(.POST, "/v1/customers/\(customer)/usage", usage)
                try #require(reported.status == 204)
            }
            var previews: [NSDictionary] = []
            for customer in customers {
                let preview = try await world.call(
                    .GET, "/v1/customers/\(customer)/consumption/preview?transaction_id=\(id)")
                previews.append(try #require(preview["request"] as? NSDictionary))
            }
            #expect(try await requestRefund(world) == id)
            let answer = try await request(world, "otto", about: id, in: [.sent])
            let sent = try #require(answer["items.0.sent"] as? NSDictionary)
            #expect(previews == [sent, sent])
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `Stopping the server during the call logs no failed consumption request`() async throws {
        let lines = LogCapture()
        let (calls, call) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        defer { end.finish() }
        try await AppStoreProxy.run({ path in
            guard path.contains("/consumption/") else { return nil }
            call.yield()
            for await _ in ends {}
            return nil
        }) { proxy in
            try await World.run(
                server: { configuration in
                    configuration.keys = [World.backend]
                    configuration.apps[0].consumption = ConsumptionPolicy()
                    proxy.redirectRequests(in: &configuration)
                }, logger: lines.logger(.init())
            ) { world in
                let customer = UUID()
                try await world.simulator.perform(
                    .purchase(customer: "anna", product: Self.coins, appAccountToken: AppAccountToken(customer)))
                try await world.waitUntilIdle()
                let usage: [String: Any] = ["product_id": Self.coins, "customer_consented": true]
                let path = "/v1/customers/\(customer.uuidString.lowercased())/usage"
                try #require(try await world.call(.POST, path, usage).status == 204)
                _ = try await requestRefund(world)
                for await _ in calls { break }
                try await world.stopServer()
                end.finish()
                #expect(!lines.text.contains("consumption request"), "\(lines.text)")
            }
        }
    }

    @Test func `A consumption request waits for the customer's consent`() async throws {
        try await withPurchase(ConsumptionPolicy()) { world, customer in
            let id = try await requestRefund(world)
            try await world.server.core.consumption.answerDue()
            let waiting = try await request(world, customer, about: id, in: [.pending])
            #expect(waiting["items.0.sent"] == nil)
            let consent = ["customer_consented": true]
            #expect(try await world.call(.POST, "/v1/customers/\(customer)/usage", consent).status == 204)
            let sent = try await request(world, customer, about: id, in: [.sent])
            #expect(sent.flag("items.0.sent.customerConsented") == true)
        }
    }

    @Test func `Pending consumption requests are listed by deadline, and all of them newest first`() async throws {
        try await withPurchase(ConsumptionPolicy()) { world, customer in
            let first = try await requestRefund(world)
            try await world.simulator.perform(.purchase(customer: "anna", product: Self.coins))
            try await world.waitUntilIdle()
            try await world.simulator.advance(by: 60)
            let second = try await requestRefund(world)
            let pending = try await world.call(.GET, "/v1/consumption?state=pending")
            #expect(pending.status == 200)
            let waiting = [pending.text("items.0.transaction_id"), pending.text("items.1.transaction_id")]
            #expect(Set(waiting) == [first, second])
            #expect(pending.text("items.0.customer") == customer)
            let soonest = try #require(pending.number("items.0.answer_due_at"))
            #expect(try soonest <= #require(pending.number("items.1.answer_due_at")))
            let head = try await world.call(.GET, "/v1/consumption?state=pending&limit=1")
            #expect(head.text("items.0.transaction_id") == waiting[0] && head.text("items.1.transaction_id") == nil)
            let position = try #require(head.text("next_page"))
            let tail = try await world.call(.GET, "/v1/consumption?state=pending&limit=1&page=\(position)")
            #expect(tail.text("items.0.transaction_id") == waiting[1] && tail.text("next_page") == nil)
            let page = try await world.call(.GET, "/v1/consumption?limit=1")
            #expect(page.text("items.0.transaction_id") == second && page.text("items.1.transaction_id") == nil)
            let next = try #require(page.text("next_page"))
            let rest = try await world.call(.GET, "/v1/consumption?limit=1&page=\(next)")
            #expect(rest.text("items.0.transaction_id") == first && rest.text("next_page") == nil)
            #expect(try await world.call(.GET, "/v1/consumption?state=sent").status == 400)
        }
    }

    @Test func `Consent before or after claiming a purchase leads to an answer`() async throws {
        for isConsentFirst in [true, false] {
            try await World.run(server: { configuration in
                configuration.keys = [World.backend]
                configuration.apps[0].consumption = ConsumptionPolicy()
            }) { world in
                world.simulator.configure { $0.refundDecision = .byCommand }
                // The purchase names no customer of the server.
                let outcome = try await world.simulator.perform(
                    .purchase(customer: "anna", product: Self.coins, appAccountToken: .absent))
                let texts = try await world.signedTransactions(of: try #require(outcome.transactionID))
                let id = try await requestRefund(world)
                try await world.server.core.consumption.answerDue()
                func consent() async throws {
                    let usage = ["customer_consented": true]
                    #expect(try await world.call(.POST, "/v1/customers/anna/usage", usage).status == 204)
                }
                if isConsentFirst { try await consent() }
                let linked = try await world.call(
                    .POST, "/v1/customers/anna/purchases", ["signed_transactions": texts])
                #expect(linked.status == 200)
                if !isConsentFirst { try await consent() }
                let sent = try await request(world, "anna", about: id, in: [.sent])
                #expect(sent.flag("items.0.sent.customerConsented") == true)
            }
        }
    }

    @Test func `A decided refund is not answered, whichever notification comes first`() async throws {
        for isDecisionFirst in [true, false] {
            try await withPurchase(ConsumptionPolicy()) { world, customer in
                world.simulator.configure { $0.refundDecision = .byCommand }
                let fault = try world.simulator.add(Fault("notification:CONSUMPTION_REQUEST", .drop))
                if !isDecisionFirst { try world.simulator.removeFault(fault) }
                _ = try await requestRefund(world)
                try await world.simulator.advance(by: 60)
                try await world.simulator.perform(.approveRefund(customer: "anna"))
                try await world.simulator.processDueEvents()
                try await world.waitUntilIdle()
                if isDecisionFirst {
                    try world.simulator.removeFault(fault)
                    // Recovery finds the consumption request later.
                    let core = try world.server.core
                    for try await item in try world.appStoreClient().notificationHistory(
                        NotificationHistoryRequest(
                            startDate: World.start.addingTimeInterval(-3600),
                            endDate: world.simulator.now.addingTimeInterval(3600))
                    ).items {
                        _ = try await core.ingest.accept(item.signedPayload, origin: .recovered)
                    }
                    try await world.waitUntilIdle()
                }
                let answer = try await world.call(.GET, "/v1/customers/\(customer)/consumption")
                #expect(answer.text("items.0.state") == "overtaken")
                #expect(answer.text("items.0.decision") == "refunded")
                // The frozen clock advances by a millisecond for each signature.
                let decided = try #require(answer.number("items.0.decided_at")) - Int(World.start.milliseconds + 60_000)
                #expect((0..<1000).contains(decided))
            }
        }
    }

    @Test func `A failed answer is retried, and a request without consent is missed at the deadline`() async throws {
        try await withPurchase(ConsumptionPolicy(defaultConsent: true)) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            let fault = try world.simulator.add(
                Fault("route:send-consumption", .rateLimit(retryAfterSeconds: 1_000_000_000)))
            let id = try await requestRefund(world)
            let failed = try await request(world, customer, about: id, in: [.pending], attempts: 1)
            #expect(failed["items.0.sent_at"] == nil)
            try world.simulator.removeFault(fault)
            try await world.simulator.advance(by: 3600)
            #expect(try await request(world, customer, about: id, in: [.sent]).number("items.0.attempts") == 2)
        }
        try await withPurchase(ConsumptionPolicy()) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            let id = try await requestRefund(world)
            try await world.simulator.advance(by: 12 * 3600 + 1)
            let missed = try await request(world, customer, about: id, in: [.missed])
            #expect(missed.text("items.0.answer") == "no_consent")
        }
    }

    @Test func `The log says that an answer was too late, but not that there was no consent`() async throws {
        for hasConsent in [true, false] {
            let lines = LogCapture()
            try await withPurchase(ConsumptionPolicy(defaultConsent: hasConsent), lines: lines) { world, customer in
                world.simulator.configure { $0.refundDecision = .byCommand }
                try world.simulator.add(
                    Fault("route:send-consumption", .rateLimit(retryAfterSeconds: 1_000_000_000)))
                let id = try await requestRefund(world)
                _ = try await request(world, customer, about: id, in: [.pending], attempts: hasConsent ? 1 : 0)
                try await world.simulator.advance(by: 12 * 3600 + 1)
                let missed = try await request(world, customer, about: id, in: [.missed])
                #expect(missed.text("items.0.state") == "missed")
            }
            let words = "warning a consumption request was not answered in time"
            let logged = lines.text.split(separator: "\n").filter { $0.contains(words) }
            #expect(logged.count == (hasConsent ? 1 : 0), "\(lines.text)")
        }
    }

    /// The value of a metric without its common prefix.
    private static func value(_ metric: String, in world: World) async throws -> Double? {
        let text = await (try world.server).core.metrics.text()
        let line = try #require(text).split(separator: "\n").first {
            $0.hasPrefix("counterfoil_consumption_\(metric) ")
        }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    private static func waitUntilCounted(_ result: String, in world: World) async throws {
        let metric = #"requests_total{environment="Production",result="\#(result)"}"#
        try await waitUntil("the request is counted as \(result)") { try await value(metric, in: world) == 1 }
    }

    @Test func `The metrics show a request that waits for the App Store, and how it ends`() async throws {
        try await withPurchase(ConsumptionPolicy(defaultConsent: true)) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            let fault = try world.simulator.add(
                Fault("route:send-consumption", .rateLimit(retryAfterSeconds: 1_000_000_000)))
            let id = try await requestRefund(world)
            _ = try await request(world, customer, about: id, in: [.pending], attempts: 1)
            try await world.simulator.advance(by: 3600)
            let backlog = try await Self.value("backlog", in: world)
            #expect(backlog == 1)
            let age = try await Self.value("oldest_age_seconds", in: world) ?? 0
            // The frozen clock advances by a millisecond for each signature.
            #expect((3599..<3700).contains(age), "\(age)")
            try world.simulator.removeFault(fault)
            try await world.simulator.advance(by: 3600)
            _ = try await request(world, customer, about: id, in: [.sent])
            try await Self.waitUntilCounted("sent", in: world)
            let rest = try await (Self.value("backlog", in: world), Self.value("oldest_age_seconds", in: world))
            #expect(rest.0 == 0 && rest.1 == 0)
        }
    }

    @Test func `The metrics distinguish a missed answer from one that should not be sent`() async throws {
        for (hasConsent, result) in [(true, "missed"), (false, "withheld")] {
            try await withPurchase(ConsumptionPolicy(defaultConsent: hasConsent)) { world, customer in
                world.simulator.configure { $0.refundDecision = .byCommand }
                try world.simulator.add(
                    Fault("route:send-consumption", .rateLimit(retryAfterSeconds: 1_000_000_000)))
                let id = try await requestRefund(world)
                _ = try await world.inquiry(about: id) { hasConsent ? $0.attempts > 0 : $0.answer == "no_consent" }
                let backlog = try await Self.value("backlog", in: world)
                #expect(backlog == (hasConsent ? 1 : 0))
                try await world.simulator.advance(by: 12 * 3600 + 1)
                _ = try await request(world, customer, about: id, in: [.missed])
                try await Self.waitUntilCounted(result, in: world)
            }
        }
    }

    @Test func `An answer is retried after a proxy's refusal and not after the App Store's`() async throws {
        let route = "route:send-consumption"
        try await withPurchase(ConsumptionPolicy(defaultConsent: true)) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            // A refusal without an error code of the App Store.
            let fault = try world.simulator.add(Fault(route, .status(code: 403)))
            let id = try await requestRefund(world)
            let failed = try await request(world, customer, about: id, in: [.pending, .refused], attempts: 1)
            try #require(failed.text("items.0.state") == "pending")
            try world.simulator.removeFault(fault)
            try await world.simulator.advance(by: 3600)
            #expect(try await request(world, customer, about: id, in: [.sent]).number("items.0.attempts") == 2)
        }
        try await withPurchase(ConsumptionPolicy(defaultConsent: true)) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            try world.simulator.add(Fault(route, .error(code: 4_000_034)))
            let id = try await requestRefund(world)
            #expect(try await request(world, customer, about: id, in: [.refused]).text("items.0.answer") == "4000034")
            try await Self.waitUntilCounted("refused", in: world)
        }
    }

    @Test func `A consumption request about Advanced Commerce is answered in version 1`() async throws {
        let policy = ConsumptionPolicy(defaultConsent: true, refundPreference: .decline)
        try await withPurchase(policy) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            let request = AdvancedCommerceSubscriptionCreateRequest(
                requestInfo: .init(requestReferenceId: UUID(), appAccountToken: UUID(uuidString: customer)),
                currency: "USD", descriptors: .init(description: "Everything", displayName: "All"),
                items: [.init(sku: "tv", displayName: "TV", description: "TV", price: 5000)], period: .p1m,
                taxCode: "C003-00-2")
            try await world.simulator.perform(
                .subscribeAdvancedCommerce(
                    customer: "anna", product: "com.example.advanced.subscription", request: request))
            try await world.waitUntilIdle()
            let id = try await requestRefund(world)
            let answer = try await self.request(
                world, customer, about: id, in: [.sent, .refused, .pending], attempts: 1)
            #expect(answer.text("items.0.state") == "sent" && answer.text("items.0.answer") == "accepted")
            #expect(answer.number("items.0.sent.deliveryStatus") == 0)
            #expect(answer.number("items.0.sent.refundPreference") == 2)
            #expect(answer.text("items.0.sent.appAccountToken") == "")
        }
    }

    @Test func `An invalid usage report is answered with 400 and a code`() async throws {
        try await withPurchase(nil) { world, customer in
            let cases: [([String: Any], String)] = [
                (["product_id": "a", "consumption_percentage": 100_001], "invalid_percentage"),
                (["product_id": "a", "consumption_percentage": -1], "invalid_percentage"),
                (["consumption_percentage": 5], "missing_parameter"),
                (["delivery_status": "MAYBE"], "invalid_delivery_status"), (["product_id": ""], "invalid_identifier"),
                (["customer_consented": "yes"], "bad_json"),
            ]
            for (body, type) in cases {
                let answer = try await world.call(.POST, "/v1/customers/\(customer)/usage", body)
                #expect(answer.status == 400)
                #expect(answer.text("code") == type)
            }
            for percentage in [0, 100_000] {
                let usage: [String: Any] = ["product_id": "a", "consumption_percentage": percentage]
                #expect(try await world.call(.POST, "/v1/customers/\(customer)/usage", usage).status == 204)
            }
        }
    }

    @Test func `A preview needs a transaction of the customer`() async throws {
        try await withPurchase(ConsumptionPolicy(defaultConsent: true)) { world, customer in
            let id = try await requestRefund(world)
            for (name, status) in [(customer, 200), ("otto", 404)] {
                let path = "/v1/customers/\(name)/consumption/preview?transaction_id="
                let preview = try await world.call(.GET, path + id)
                #expect(preview.status == status, "\(name)")
                if status == 404 { #expect(preview.text("code") == "unknown_transaction") }
                #expect(try await world.call(.GET, path + "1").status == 404, "\(name)")
                #expect(try await world.call(.GET, path).status == 400, "\(name)")
            }
        }
    }
}
