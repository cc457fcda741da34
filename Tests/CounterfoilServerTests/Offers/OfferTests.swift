import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `Signing offers for eligible customers` {
    @Test func `A promotional offer is signed for subscribers, an introductory offer for new customers`() async throws {
        try await World.run(server: { $0.keys = [World.backend] }) { world in
            let anna = UUID()
            let outcome = try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(anna)))
            try await world.waitUntilIdle()
            let promotional = "/v1/customers/\(anna)/offers/promotional"
            let offer: [String: Any] = ["product_id": "com.example.premium.monthly", "offer_id": "save20"]
            let signed = try await world.call(.POST, promotional, offer)
            #expect(signed.status == 200)
            #expect(signed.text("transaction_id") == outcome.transactionID)
            let claims = try Self.claims(signed.text("jws"))
            #expect(claims.text("aud") == "promotional-offer")
            #expect(claims.text("offerIdentifier") == "save20")
            #expect(claims.text("transactionId") == outcome.transactionID)

            let nonce = UUID()
            let original: [String: Any] = [
                "format": "original", "nonce": nonce.uuidString, "app_account_token": anna.uuidString,
            ]
            let old = try await world.call(.POST, promotional, offer.merging(original) { $1 })
            #expect(old.text("nonce") == nonce.uuidString.lowercased())
            #expect(old.text("app_account_token") == anna.uuidString.lowercased())
            #expect(old.text("signature").flatMap { Data(base64Encoded: $0) } != nil)

            for member in ["nonce", "app_account_token"] {
                // Foundation accepts this text as a UUID.
                let signed: [String: Any] = [member: "+b1f2c0e-0a4b-4f0e-9b7a-0d6a5c1e2f30"]
                let refused = try await world.call(
                    .POST, promotional, offer.merging(original) { $1 }.merging(signed) { $1 })
                #expect(refused.text("code") == "bad_json" && refused.text("param") == member)
            }

            let stranger = "/v1/customers/otto/offers/promotional"
            let refused = try await world.call(.POST, stranger, offer)
            #expect(refused.status == 409)
            #expect(refused.text("code") == "not_eligible")
            let forced = try await world.call(.POST, stranger, offer.merging(["force": true]) { $1 })
            #expect(forced.status == 200)
            let stolen = try await world.call(
                .POST, stranger,
                offer.merging(["force": true, "transaction_id": outcome.transactionID ?? ""]) { $1 })
            #expect(stolen.text("code") == "not_the_customers")

            let introductory: [String: Any] = ["product_id": "com.example.premium.monthly", "allow": true]
            let had = try await world.call(.POST, "/v1/customers/\(anna)/offers/introductory", introductory)
            #expect(had.text("code") == "not_eligible")
            let withheld = try await world.call(
                .POST, "/v1/customers/\(anna)/offers/introductory", introductory.merging(["allow": false]) { $1 })
            #expect(try Self.claims(withheld.text("jws")).flag("allowIntroductoryOffer") == false)
            let nameless = try await world.call(.POST, "/v1/customers/otto/offers/introductory", introductory)
            #expect(nameless.text("param") == "transaction_id")
            let newcomer = try await world.call(
                .POST, "/v1/customers/otto/offers/introductory",
                introductory.merging(["transaction_id": "704000000000000001"]) { $1 })
            #expect(try Self.claims(newcomer.text("jws")).text("aud") == "introductory-offer-eligibility")
        }
    }

    private static func claims(_ jws: String?) throws -> APIResponse {
        APIResponse(status: 0, body: try #require(jws).jwsPart(1))
    }
}
