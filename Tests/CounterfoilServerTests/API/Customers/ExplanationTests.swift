import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import Ledger
import StoreSimulator
import TestSupport
import Testing

@Suite struct `An explanation` {
    @Test func `An explanation names the rule, the facts and the certificate chain of each fact`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            try await world.simulator.advance(by: .month)
            try await world.waitUntilIdle()
            let path = "/v1/customers/\(anna)/entitlements/premium/explain"
            let answer = try await world.api.get(path + "?include=signed_data")
            #expect(answer.status == 200)
            #expect(answer["is_active"] as? Bool == true)
            #expect(answer["rule"] as? String == "subscription_active")
            #expect((answer["sentence"] as? String)?.contains("runs until 2026-07-04") == true)
            let facts = try #require(answer["facts"] as? [[String: Any]])
            #expect(facts.count { $0["role"] as? String == "decides" } == 2)
            for fact in facts {
                let chain = try #require((fact["verification"] as? [String: Any])?["certificates"] as? [[String: Any]])
                #expect(chain.count == 3)
                #expect(chain.allSatisfy { ($0["fingerprint"] as? String)?.count == 64 })
                #expect(fact["origin"] as? String == "delivered")
                // The returned text can be verified again.
                let text = try #require(fact["signed_data"] as? String)
                let core = try world.server.core
                if fact["kind"] as? String == "transaction" {
                    #expect(
                        try await core.historical.transaction(text).payload.transactionId == fact["identifier"]
                            as? String)
                } else {
                    _ = try await core.historical.renewalInfo(text)
                }
            }
            let bare = try await world.api.get(path)
            #expect(!bare.text.contains("signed_data"))
            // The same request for an instant before the purchase.
            let before = try await world.api.get(path + "?at=1000")
            #expect(before["is_active"] as? Bool == false)
            #expect(
                try await world.api.get("/v1/customers/nobody/entitlements/premium/explain")["rule"] as? String
                    == "never_bought")
            #expect(try await world.api.get("/v1/customers/\(anna)/entitlements/gold/explain").status == 404)
            for path in ["premum", "premum/explain"] {
                let misspelled = try await world.api.get("/v1/customers/\(anna)/entitlements/\(path)")
                #expect(misspelled.status == 404 && misspelled["param"] as? String == "key", "\(path)")
                let message = try #require(misspelled["message"] as? String)
                #expect(message.hasSuffix(#"; did you mean "premium"?"#), "\(path): \(message)")
            }
        }
    }

    /// The ledger's record has only the last renewal info, which names the cancellation.
    @Test func `An explanation names the failed payment before a cancellation in the grace period`() async throws {
        try await World.withAPI { world in
            let simulator = world.simulator
            simulator.configure(.production) { $0.gracePeriod = .sixteenDays }
            let anna = try await world.subscribe("anna")
            // A free offer may come first.
            try await simulator.advance(by: 31 * 86_400)
            try await simulator.perform(.failBilling(customer: "anna"))
            let path = "/v1/customers/\(anna)/entitlements/premium/explain"
            try await waitUntil("the grace period begins") {
                try await simulator.advance(by: 86_400)
                try await world.waitUntilIdle()
                return try await world.api.get(path)["rule"] as? String == "grace_period"
            }
            try await simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let now = try await world.api.get(path)
            let sentence = now["sentence"] as? String ?? ""
            #expect(now["rule"] as? String == "expired")
            #expect(sentence.hasPrefix("The payment for com.example.premium.monthly failed; "), "\(sentence)")
            #expect(sentence.hasSuffix("the customer cancelled in the billing grace period, which ended access."))
            // A past instant is explained by all notifications.
            let instant = simulator.now.milliseconds + 1000
            try await simulator.advance(by: 86_400)
            let past = try await world.api.get(path + "?at=\(instant)")
            #expect(past["sentence"] as? String == sentence)
        }
    }

    /// The ledger's record has only the last renewal info, which is about the product that the customer has now.
    @Test func `An explanation says why a subscription ended before the customer bought another product`() async throws
    {
        try await World.withAPI { world in
            let simulator = world.simulator
            let anna = try await world.subscribe("anna")
            try await simulator.perform(.cancel(customer: "anna"))
            try await simulator.advance(by: 60 * 86_400)
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.basic.monthly"))
            try await world.waitUntilIdle()
            let path = "/v1/customers/\(anna)/entitlements/premium/explain"
            let now = try await world.api.get(path)
            let sentence = now["sentence"] as? String ?? ""
            #expect(now["rule"] as? String == "expired")
            #expect(sentence.hasPrefix("The subscription to com.example.premium.monthly ended on "), "\(sentence)")
            #expect(sentence.hasSuffix(": the customer had cancelled."), "\(sentence)")
            let instant = simulator.now.milliseconds + 1000
            try await simulator.advance(by: 86_400)
            let past = try await world.api.get(path + "?at=\(instant)")
            #expect(past["sentence"] as? String == sentence)
        }
    }

    @Test func `An explanation of a transferred purchase names the refund that had ended access before`() async throws {
        try await World.withAPI { world in
            let simulator = world.simulator
            let anna = try await world.subscribe("anna")
            let path = "/v1/customers/\(anna)/entitlements/premium/explain"
            try await simulator.perform(.approveRefund(customer: "anna"))
            try await simulator.advance(by: 3600)
            try await world.waitUntilIdle()
            let refunded = try await world.api.get(path)
            #expect(refunded["rule"] as? String == "refunded", "\(refunded.text)")
            let reason = try #require(refunded["sentence"] as? String)
            let subscriptions = try await world.api.get("/v1/customers/\(anna)")["subscriptions"] as? [[String: Any]]
            let original = try #require(subscriptions?.first?["original_transaction_id"] as? String)
            let moved = try await world.api.post(
                "/v1/customers/ben/purchases/\(original)/transfer", ["reason": "ticket 4711"])
            #expect(moved.status == 200, "\(moved.text)")
            let transferred = try await world.api.get(path)
            let sentence = try #require(transferred["sentence"] as? String)
            #expect(transferred["rule"] as? String == "transferred")
            #expect(sentence.contains(" was transferred to the customer ben on "), "\(sentence)")
            #expect(sentence.hasSuffix(" It gave no access then: \(reason)"), "\(sentence)")
        }
    }

    @Test(arguments: [(AppStoreEnvironment.sandbox, AppStoreEnvironment.production), (.production, .sandbox)])
    func `An explanation says that the customer bought only in the other environment`(
        _ bought: AppStoreEnvironment, _ asked: AppStoreEnvironment
    ) async throws {
        try await World.withAPI { configuration in
            configuration.keys.append(
                .init(
                    name: "limited", hash: APIKeyText.hash(of: "limited"), scopes: [.customersRead],
                    environments: [asked]))
        } _: { world in
            let token = UUID()
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(token)),
                in: bought)
            try await world.waitUntilIdle()
            let path = "/v1/customers/\(token.uuidString.lowercased())/entitlements/premium/explain?environment="
            let none = "No product that gives the entitlement was bought."
            let other = try await world.api.get(path + asked.rawValue)
            #expect(other["rule"] as? String == "never_bought" && (other["facts"] as? [Any])?.isEmpty == true)
            let sentence = try #require(other["sentence"] as? String)
            #expect(
                sentence.hasPrefix("\(none) In \(bought.rawValue), the customer bought com.example.premium.monthly on ")
                    && sentence.hasSuffix(", which gives no access in \(asked.rawValue)."), "\(sentence)")
            let early = try await world.api.get(path + asked.rawValue + "&at=1000")
            #expect(early["sentence"] as? String == none)
            // A key for one environment learns nothing about the other.
            var limited = world.api
            limited.key = "limited"
            let unseen = try await limited.get(path + asked.rawValue)
            #expect(unseen["sentence"] as? String == none)
            let own = try await world.api.get(path + bought.rawValue)
            #expect(own["rule"] as? String == "subscription_active")
        }
    }
}
