import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `The evidence of an explanation` {
    /// A signed copy of a notification with a changed transaction.
    private static func variant(
        of stored: StoredNotification, uuid: String, _ world: World, _ change: (inout [String: Any]) -> Void
    ) throws -> String {
        let signer = world.simulator.core.authority.signer
        var notification = try payload(stored.text)
        var data = try #require(notification["data"] as? [String: Any])
        var transaction = try payload(try #require(data["signedTransactionInfo"] as? String))
        change(&transaction)
        data["signedTransactionInfo"] = try signer.sign(
            json: Array(JSONSerialization.data(withJSONObject: transaction)))
        (notification["data"], notification["notificationUUID"]) = (data, uuid)
        return try signer.sign(json: Array(JSONSerialization.data(withJSONObject: notification)))
    }

    private static func payload(_ jws: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: jws.jwsPart(1)) as? [String: Any])
    }

    /// Sends a notification that refunds the newest purchase, with the signing date of the purchase. An empty `uuid`
    /// repeats the identifier of the purchase's notification.
    private static func refundAtOnce(_ world: World, uuid: String) async throws {
        let core = try world.server.core
        let appEnvironment = try world.appEnvironment()
        let page = try await core.storage.notifications(
            InboxFilter(scopes: [appEnvironment.id]), before: .max, limit: 1)
        let stored = try #require(page.items.first)
        let text = try Self.variant(of: stored, uuid: uuid.isEmpty ? stored.uuid : uuid, world) { transaction in
            transaction["revocationDate"] = transaction["signedDate"]
            transaction["revocationReason"] = 0
        }
        let body = try JSONSerialization.data(withJSONObject: ["signedPayload": text])
        #expect(try await world.api.send("POST", "/apple/notifications", body: body).status == 200)
        try await world.waitUntilIdle()
    }

    /// Identifiers that sort before and after that of the purchase's notification, and the same one.
    @Test(arguments: [
        "00000000-0000-4000-8000-000000000000", "ffffffff-ffff-4fff-bfff-ffffffffffff", "",
    ])
    func `An explanation cites the text that decided, not another of the same instant`(uuid: String) async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            try await Self.refundAtOnce(world, uuid: uuid)
            let answer = try await world.api.get(
                "/v1/customers/\(anna)/entitlements/premium/explain?include=signed_data")
            #expect(answer["rule"] as? String == "refunded")
            let facts = try #require(answer["facts"] as? [[String: Any]])
            let fact = try #require(
                facts.first { $0["kind"] as? String == "transaction" && $0["role"] as? String == "decides" })
            let text = try #require(fact["signed_data"] as? String)
            #expect(try Self.payload(text)["revocationDate"] != nil)
        }
    }

    @Test func `A notification names its transaction as a problem if that is of another environment`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            let filter = InboxFilter(scopes: [try world.appEnvironment().id])
            let page = try await world.server.core.storage.notifications(filter, before: .max, limit: 1)
            let uuid = "00000000-0000-4000-8000-000000000000"
            let text = try Self.variant(of: try #require(page.items.first), uuid: uuid, world) {
                $0["environment"] = "Sandbox"
            }
            let body = try JSONSerialization.data(withJSONObject: ["signedPayload": text])
            #expect(try await world.api.send("POST", "/apple/notifications", body: body).status == 200)
            try await world.waitUntilIdle()
            let shown = try await world.api.get("/v1/notifications/\(uuid)")
            #expect(shown["failure"] as? String == "wrong_environment", "\(shown.text)")
            let problems = try #require(shown["problems"] as? [[String: Any]])
            #expect(problems.map { $0["part"] as? String } == ["transaction"])
            #expect(problems.map { $0["code"] as? String } == ["wrong_environment"])
        }
    }

    @Test func `A notification shows a transaction that this version cannot read`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            let filter = InboxFilter(scopes: [try world.appEnvironment().id])
            let page = try await world.server.core.storage.notifications(filter, before: .max, limit: 1)
            let uuid = "00000000-0000-4000-8000-000000000000"
            let text = try Self.variant(of: try #require(page.items.first), uuid: uuid, world) {
                $0["price"] = "nine"
            }
            let body = try JSONSerialization.data(withJSONObject: ["signedPayload": text])
            #expect(try await world.api.send("POST", "/apple/notifications", body: body).status == 200)
            try await world.waitUntilIdle()
            let shown = try await world.api.get("/v1/notifications/\(uuid)")
            #expect(shown["failure"] as? String == "bad_json", "\(shown.text)")
            let problems = try #require(shown["problems"] as? [[String: Any]])
            #expect(problems.map { $0["part"] as? String } == ["transaction"])
            let decoded = try #require(shown["decoded"] as? [String: [String: Any]])
            #expect(decoded["transaction"]?["price"] as? String == "nine")
            #expect((shown["verifications"] as? [String: Any])?.keys.contains("transaction") == false)
        }
    }

    @Test func `Answers name a notification whose signature is broken and use the rest`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            try await world.simulator.advance(by: 86_400)
            let instant = world.simulator.core.now.milliseconds - 1
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.simulator.advance(by: 86_400)
            try await world.waitUntilIdle()
            let storage = try world.server.core.storage
            let uuid = try await storage.notifications(
                InboxFilter(scopes: [world.appEnvironment().id]), before: .max, limit: 1
            )
            .items.first?.uuid
            try await world.damageNotification(.newest)
            let past = try await world.api.get("/v1/customers/\(anna)?at=\(instant)")
            #expect(past.status == 200)
            #expect((past["subscriptions"] as? [[String: Any]])?.first?["will_renew"] as? Bool == true)
            let explained = try await world.api.get("/v1/customers/\(anna)/entitlements/premium/explain?at=\(instant)")
            #expect(explained.status == 200 && explained["is_active"] as? Bool == true)
            for answer in [past, explained] {
                let unverified = try #require(answer["unverified"] as? [[String: Any]])
                #expect(unverified.map { $0["notification_uuid"] as? String } == [uuid])
                #expect(unverified.map { $0["code"] as? String } == ["bad_signature"])
            }
            let entries = try await world.api.get("/v1/customers/\(anna)/timeline").items
            #expect(entries.compactMap { $0["verification_failure"] as? String } == ["bad_signature"])
            #expect(entries.count == 2)
            #expect(try await world.api.get("/v1/customers/\(anna)")["unverified"] == nil)
        }
    }

    @Test func `Stored signatures are not verified again by later requests`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let instant = world.simulator.core.now.milliseconds
            try await world.simulator.advance(by: Period.year)
            try await world.waitUntilIdle()
            let verified = try world.server.core.signatures.verified
            let notifications = try await world.api.get("/v1/customers/\(anna)/timeline?limit=100").items.count
            // One verification on receipt for each notification, its transaction and its renewal info.
            #expect(verified == 3 * notifications && notifications > 10)
            for _ in 0..<3 {
                for path in ["?at=\(instant)", "/timeline?limit=100", "/entitlements/premium/explain"] {
                    #expect(try await world.api.get("/v1/customers/\(anna)" + path).status == 200)
                }
            }
            #expect(try world.server.core.signatures.verified == verified)
        }
    }

    @Test func `An explanation verifies the signatures of the listed facts only`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            try await world.simulator.advance(by: Period.year)
            try await world.waitUntilIdle()
            let path = "/v1/customers/\(anna)\(Self.explain)?limit="
            let some = try await world.api.get(path + "3")
            let listed = try #require(some["facts"] as? [[String: Any]])
            #expect(listed.count == 3 && listed.contains { $0["role"] as? String == "decides" })
            #expect(listed.allSatisfy { $0["verification"] != nil })
            // Without cached signatures each fact needs at most two verifications: the notification and the part in it.
            let (core, signatures) = (try world.server.core, VerifiedSignatureCache())
            let uncached = CustomerReader(
                storage: core.storage, apps: core.apps, scopes: core.scopes,
                verifier: core.historical.caching(signatures), clock: core.clock)
            let explained = try await uncached.explanation(
                of: "premium", for: anna, in: try world.appEnvironment(), at: nil, limit: 3, naming: true)
            #expect(explained.facts.count == 3 && (1...6).contains(signatures.verified))
            let all = try await world.api.get(path + "500")
            let facts = try #require(all["facts"] as? [[String: Any]])
            #expect(facts.count > 10 && facts.allSatisfy { $0["verification"] != nil })
            #expect(some["facts_omitted"] as? Int == facts.count - 3 && all["facts_omitted"] as? Int == 0)
            for (wrong, code) in [("0", "invalid_limit"), ("501", "invalid_limit"), ("3&page=2", "unknown_parameter")] {
                let refused = try await world.api.get(path + wrong)
                #expect(refused.status == 400 && refused["code"] as? String == code)
            }
        }
    }

    @Test func `The event feed verifies no signature again`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let before = try world.server.core.signatures.verified
            #expect(before > 0)
            let events = try await world.api.get("/v1/events?limit=100").items
            #expect(events.count >= 2 && events.allSatisfy { $0["data"] != nil })
            #expect(try world.server.core.signatures.verified == before)
        }
    }

    @Test func `A request that has to read too many texts is answered with 422`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let instant = world.simulator.core.now.milliseconds
            try await world.simulator.advance(by: 86_400)
            let storage = try world.server.core.storage
            let page = try await storage.notifications(
                InboxFilter(scopes: [world.appEnvironment().id]), before: .max, limit: 1)
            let stored = try #require(page.items.first)
            // All with the same UUID, which the App Store never does.
            let many = (0...TextAllowance.texts).map { number in
                ReceivedNotification(
                    scope: stored.scope, uuid: stored.uuid, type: stored.type, signedDate: stored.signedDate,
                    receivedAt: stored.receivedAt, origin: .imported, text: "text \(number)")
            }
            _ = try await storage.commit(received: many, processed: [])
            let before = try world.server.core.signatures.verified
            for path in ["?at=\(instant)", Self.explain + "?at=\(instant)"] {
                let answer = try await world.api.get("/v1/customers/\(anna)" + path)
                #expect(answer.status == 422 && answer["code"] as? String == "too_many_texts", "\(answer.text)")
            }
            #expect(try world.server.core.signatures.verified == before)
            #expect(try await world.api.get("/v1/customers/\(anna)/timeline").status == 200)
        }
    }

    private static let explain = "/entitlements/premium/explain"
}
