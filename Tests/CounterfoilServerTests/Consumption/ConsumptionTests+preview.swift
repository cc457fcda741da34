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

/// The usage that apps report, and the preview of an answer.
extension `Consumption requests` {
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
