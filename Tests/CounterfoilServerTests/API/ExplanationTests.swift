import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
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
        }
    }
}
