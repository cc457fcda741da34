import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import LedgerServices

@Suite struct `Customer support` {
    @Test func `Transactions and orders can be looked up with their customers`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let reading = try await world.server.core.customers.customer(anna, in: world.appEnvironment(), at: nil)
            let transaction = try #require(reading.facts.transactions.first?.transactionID)
            let found = try await world.api.get("/v1/transactions/\(transaction)")
            #expect(found.status == 200)
            #expect(found["customers"] as? [String] == [anna])
            let elsewhere = try await world.api.get("/v1/transactions/\(transaction)?environment=Sandbox")
            #expect(elsewhere.status == 404 && elsewhere.text.contains("in this app and environment"))
            #expect(try await world.api.get("/v1/transactions/1").status == 404)

            let order = try #require(
                world.simulator.core.read(.production) { store, _ in store.transactions[transaction]?.order })
            let looked = try await world.api.get("/v1/orders/\(order)")
            #expect(looked.status == 200)
            #expect(looked["customers"] as? [String] == [anna])
            #expect((looked["transactions"] as? [[String: Any]])?.first?["transaction_id"] as? String == transaction)
            #expect(try await world.api.get("/v1/orders/NOSUCHORDER").status == 404)
            let refused = try await world.api.get("/v1/orders/a%20b")
            #expect(refused.status == 400 && refused.text.contains("1 to 64 visible ASCII characters"))
            #expect(try await world.api.get("/v1/orders/a-b").status == 400)
            #expect(try await world.api.get("/v1/orders/\(order)?environment=Sandbox").status == 400)
        }
    }

    @Test func `An order look-up stores the transactions that the server had missed`() async throws {
        try await World.withAPI { world in
            world.simulator.configure(.production) { $0.notificationURL = nil }
            let token = UUID()
            try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.unlock", appAccountToken: AppAccountToken(token)))
            let order = try #require(
                world.simulator.core.read(.production) { store, _ in store.transactionsByOrder.keys.first })
            let looked = try await world.api.get("/v1/orders/\(order)")
            #expect(looked["customers"] as? [String] == [token.uuidString.lowercased()])
            let customer = try await world.api.get("/v1/customers/\(token.uuidString)")
            #expect((customer["purchases"] as? [[String: Any]])?.count == 1)
        }
    }

    @Test func `Order and refund look-ups, signed offers and dry runs are in the audit log`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let order = try #require(
                world.simulator.core.read(.production) { store, _ in store.transactionsByOrder.keys.first })
            #expect(try await world.api.get("/v1/orders/\(order)").status == 200)
            #expect(try await world.api.get("/v1/customers/\(anna)/refunds").status == 200)
            let offer = ["product_id": "com.example.premium.monthly", "offer_id": "save20"]
            #expect(try await world.api.post("/v1/customers/\(anna)/offers/promotional", offer).status == 200)
            let now = Int(world.simulator.now.timeIntervalSince1970) * 1000
            let span = Data(#"{"from":\#(now - 600_000),"to":\#(now),"dry_run":true}"#.utf8)
            #expect(try await world.api.send("POST", "/v1/recoveries", body: span).status == 200)
            let log = try await world.api.get("/v1/audit").items
            func entry(_ action: String) -> [String: Any]? { log.first { $0["action"] as? String == action } }
            #expect(entry("GET /v1/orders/{id}")?["target"] as? String == order)
            #expect(entry("GET /v1/customers/{id}/refunds")?["target"] as? String == anna)
            let signed = entry("POST /v1/customers/{id}/offers/promotional")?["detail"] as? String
            #expect(signed == "the offer save20 of com.example.premium.monthly")
            let counted = entry("POST /v1/recoveries")?["detail"] as? String
            #expect(counted == "counted from \(now - 600_000) to \(now)")
        }
    }

    @Test func `Without the app's key, orders, recoveries and offers are answered with no_key`() async throws {
        try await World.withAPI(server: { $0.apps[0].key = nil }) { world in
            let now = Int(world.simulator.now.timeIntervalSince1970) * 1000
            let offer: [String: Any] = [
                "product_id": "com.example.premium.monthly", "offer_id": "save20", "format": "original", "force": true,
            ]
            for answer in [
                try await world.api.get("/v1/orders/ABC"),
                try await world.api.post("/v1/recoveries", ["from": now - 600_000]),
                try await world.api.post("/v1/customers/anna/offers/promotional", offer),
            ] {
                #expect(answer.status == 409 && answer.code == "no_key", "\(answer.text)")
            }
        }
    }

    @Test func `A verified retention request is answered with an empty object`() async throws {
        try await World.withAPI { world in
            let simulator = world.simulator
            let text = try world.retentionRequest()
            let body = Data(#"{"signedPayload":"\#(text)"}"#.utf8)
            let answer = try await world.api.send("POST", "/apple/retention", body: body)
            #expect(answer.status == 200)
            #expect(answer.text == "{}")
            for wrong in ["", "{}", #"{"signedPayload":"a.b.c"}"#, String(body.count)] {
                let answer = try await world.api.send("POST", "/apple/retention", body: Data(wrong.utf8))
                #expect(answer.status == 400)
            }
            let strange = try simulator.core.authority.signer.sign(
                DecodedRealtimeRequestBody(
                    originalTransactionId: "1", appAppleId: 1, productId: "p", userLocale: "en-US",
                    requestIdentifier: UUID(), environment: .production, signedDate: World.start))
            let refused = try await world.api.send(
                "POST", "/apple/retention", body: Data(#"{"signedPayload":"\#(strange)"}"#.utf8))
            #expect(refused.status == 400)
            #expect(refused["code"] as? String == "wrong_app")
        }
    }
}
