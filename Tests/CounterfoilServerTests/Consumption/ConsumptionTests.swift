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
    static let coins = "com.example.coins.100"

    func withPurchase(
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

    func requestRefund(_ world: World) async throws -> String {
        let outcome = try await world.simulator.perform(.requestRefund(customer: "anna"))
        try await world.waitUntilIdle()
        return try #require(outcome.transactionID)
    }

    /// Waits until the request is in one of these states after at least `attempts` attempts. Returns the customer's
    /// list.
    func request(
        _ world: World, _ customer: String, about original: String, in states: Set<ConsumptionInquiry.State>,
        attempts: Int = 0
    ) async throws -> APIResponse {
        _ = try await world.inquiry(about: original) { states.contains($0.state) && $0.attempts >= attempts }
        return try await world.call(.GET, "/v1/customers/\(customer)/consumption")
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
}
