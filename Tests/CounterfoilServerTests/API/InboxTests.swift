import AppStoreModels
import Basics
import CounterfoilServer
import Foundation
import NIOHTTP1
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `The inbox` {
    @Test func `Received notifications are listed newest first, with filters and pages`() async throws {
        try await World.withAPI { world in
            let api = world.api
            _ = try await world.subscribe("anna")
            _ = try await world.subscribe("ben", in: .sandbox)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let all = try await api.get("/v1/notifications")
            #expect(
                all.items.compactMap { $0["type"] as? String } == [
                    "DID_CHANGE_RENEWAL_STATUS", "SUBSCRIBED", "SUBSCRIBED",
                ])
            #expect(try await api.get("/v1/notifications?type=SUBSCRIBED").items.count == 2)
            #expect(try await api.get("/v1/notifications?subtype=AUTO_RENEW_DISABLED").items.count == 1)
            #expect(try await api.get("/v1/notifications?environment=Sandbox").items.count == 1)
            #expect(try await api.get("/v1/notifications?state=processed").items.count == 3)
            #expect(try await api.get("/v1/notifications?state=failed").isEmptyList)
            let start = Int64(World.start.timeIntervalSince1970 * 1000)
            #expect(try await api.get("/v1/notifications?from=\(start)&to=\(start + 1000)").items.count == 3)
            #expect(try await api.get("/v1/notifications?to=\(start)").isEmptyList)
            let page = try await api.get("/v1/notifications?limit=2")
            let next = try #require(page["next_page"] as? String)
            #expect(try await api.get("/v1/notifications?limit=2&page=\(next)").items.count == 1)
            for wrong in ["state=x", "from=x", "page=x", "app=com.other", "environment=x", "type="] {
                #expect(try await api.get("/v1/notifications?\(wrong)").status == 400, "\(wrong)")
            }
        }
    }

    @Test func `The list has product, purchase and customer of each notification since it was processed`() async throws
    {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let bought = try await world.simulator.perform(
                .purchase(customer: "ben", product: "com.example.coins.100", appAccountToken: .absent))
            try await world.simulator.perform(.requestTestNotification)
            try await world.waitUntilIdle()
            let items = try await world.api.get("/v1/notifications").items
            func item(_ type: String) throws -> [String: Any] {
                try #require(items.first { $0["type"] as? String == type })
            }
            let subscribed = try item("SUBSCRIBED")
            #expect(subscribed["product_id"] as? String == "com.example.premium.monthly")
            #expect(subscribed["customer"] as? String == anna && subscribed["original_transaction_id"] is String)
            let charged = try item("ONE_TIME_CHARGE")
            #expect(charged["product_id"] as? String == "com.example.coins.100" && charged["customer"] == nil)
            #expect(charged["original_transaction_id"] as? String == bought.originalTransactionID)
            let test = try item("TEST")
            #expect(test["product_id"] == nil && test["customer"] == nil && test["original_transaction_id"] == nil)
            // An erased customer is not named.
            #expect(try await world.api.send("DELETE", "/v1/customers/\(anna)").status == 200)
            let after = try await world.api.get("/v1/notifications?type=SUBSCRIBED").items
            let erased = try #require(after.first)
            #expect(erased["product_id"] is String && erased["customer"] == nil)
        }
    }

    @Test func `A reprocessed notification creates no new event`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            try await world.simulator.perform(.requestTestNotification)
            try await world.waitUntilIdle()
            let before = try await world.api.get("/v1/customers/\(anna)").body
            let events = try await world.eventTypes()
            try #require(!events.isEmpty)
            for item in try await world.api.get("/v1/notifications").items {
                let uuid = try #require(item["uuid"] as? String)
                let notification = try await world.api.get("/v1/notifications/\(uuid.uppercased())")
                #expect(notification.status == 200)
                let decoded = try #require(notification["decoded"] as? [String: Any])
                #expect((decoded["notification"] as? [String: Any])?["notificationUUID"] as? String == uuid)
                if item["type"] as? String == "SUBSCRIBED" {
                    #expect((decoded["transaction"] as? [String: Any])?["productId"] is String)
                    #expect((decoded["renewal_info"] as? [String: Any])?["autoRenewStatus"] as? Int == 1)
                }
                let answer = try await world.api.send("POST", "/v1/notifications/\(uuid)/reprocess")
                #expect(answer.status == 202)
                #expect(answer["state"] as? String == "pending")
                try await world.waitUntilIdle()
                #expect(try await world.api.get("/v1/notifications/\(uuid)")["state"] as? String == "processed")
            }
            #expect(try await world.eventTypes() == events)
            #expect(try await world.api.get("/v1/customers/\(anna)").body == before)
            #expect(try await world.api.get("/v1/notifications/none").status == 404)
            #expect(try await world.api.send("POST", "/v1/notifications/none/reprocess").status == 404)
        }
    }

    @Test func `All notifications that failed with one code can be counted and reprocessed`() async throws {
        try await World.withAPI { world in
            for name in ["anna", "ben", "kim"] { _ = try await world.subscribe(name) }
            try await world.waitUntilIdle()
            let core = try world.server.core
            let filter = InboxFilter(scopes: core.scopes.all.map(\.id))
            let stored = try await core.storage.notifications(filter, before: .max, limit: 10).items
            try #require(stored.count == 3)
            for (number, item) in stored.enumerated() {
                let code = number == 0 ? "wrong_app" : "storage_damaged"
                try await core.storage.failProcessed(item.id, code: code, message: "it is damaged")
            }
            func reprocess(_ body: String, _ query: String = "") async throws -> TestAPIClient.Response {
                try await world.api.send("POST", "/v1/notifications/reprocess\(query)", body: Data(body.utf8))
            }
            let counted = try await reprocess(#"{"code":"storage_damaged","dry_run":true}"#)
            #expect(counted.status == 200 && counted["notifications"] as? Int == 2)
            #expect(try await world.api.get("/v1/notifications?state=failed").items.count == 3)
            #expect(try await reprocess(#"{"code":"none"}"#)["notifications"] as? Int == 0)
            let sandbox = try await reprocess(#"{"code":"storage_damaged"}"#, "?environment=Sandbox")
            #expect(sandbox["notifications"] as? Int == 0)
            let done = try await reprocess(#"{"code":"storage_damaged"}"#)
            #expect(done.status == 200 && done["notifications"] as? Int == 2 && done["has_more"] as? Bool == false)
            try await world.waitUntilIdle()
            let left = try await world.api.get("/v1/notifications?state=failed").items
            #expect(left.map { $0["failure"] as? String } == ["wrong_app"])
            #expect(try await reprocess(#"{"codes":"wrong_app"}"#).status == 400)
        }
    }

    /// The ledger writes 200 at a time. The others stayed pending until a restart.
    @Test func `Notifications are reprocessed although the same request could not write the last of them`() async throws
    {
        try await World.withAPI { world in
            try await world.simulator.perform(.requestTestNotification)
            try await world.waitUntilIdle()
            let core = try world.server.core
            try await world.addFailedCopies(201, code: "storage_damaged")
            let body = Data(#"{"code":"storage_damaged"}"#.utf8)
            try await world.withFailing(.receiving(beyond: 200)) {
                let failed = try await world.api.send("POST", "/v1/notifications/reprocess", body: body)
                #expect(failed.status == 503)
            }
            try await world.waitUntilIdle()
            #expect(try await core.storage.backlog().count == 0)
            let scopes = core.scopes.all.map(\.id)
            let left = try await core.storage.failedNotifications(code: "storage_damaged", in: scopes, limit: 999)
            #expect(left.count == 2)
        }
    }

    @Test func `A failed second text of a notification is listed, shown and reprocessed with it`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let storage = try world.server.core.storage
            let filter = InboxFilter(scopes: try world.server.core.scopes.all.map(\.id))
            let first = try #require(try await storage.notifications(filter, before: .max, limit: 1).items.first)
            let other = ReceivedNotification(
                scope: first.scope, uuid: first.uuid, type: first.type, subtype: first.subtype,
                signedDate: first.signedDate, receivedAt: first.receivedAt, origin: .delivered, text: first.text + "x")
            let insertions = try await storage.commit(received: [other], processed: [])
            guard case .stored(let number)? = insertions.first else {
                Issue.record("the other text was not kept")
                return
            }
            try await storage.fail(number, code: "storage_damaged", message: "it is damaged", at: 0)
            let listed = try await world.api.get("/v1/notifications?state=failed").items
            #expect(listed.map { $0["uuid"] as? String } == [first.uuid])
            #expect(listed.map { $0["is_other_text"] as? Bool } == [true])
            #expect(try await world.api.get("/v1/completeness").text.contains(#""failed_notifications":1"#))
            let shown = try await world.api.get("/v1/notifications/\(first.uuid)?include=signed_data")
            let others = try #require(shown["other_texts"] as? [[String: Any]])
            #expect(others.map { $0["signed_data"] as? String } == [other.text])
            #expect(shown["state"] as? String == "processed")
            #expect(try await world.api.send("POST", "/v1/notifications/\(first.uuid)/reprocess").status == 202)
            #expect(try await storage.failedNotifications(code: "storage_damaged", in: filter.scopes, limit: 9) == [])
        }
    }

    @Test(.timeLimit(.minutes(10))) func `The newest refused notifications are stored with the reason`() async throws {
        try await World.withAPI(server: { $0.storage.maximumRefusedDeliveries = 5 }) { world in
            for index in 0..<10 {
                let body = Data(#"{"signedPayload":"a.b.\#(index)"}"#.utf8)
                let answer = try await world.api.send("POST", "/apple/notifications", body: body)
                #expect(answer.status == 400)
            }
            let answer = try await Self.storedRefusals(world, count: 5)
            let bodies = answer.items.compactMap { $0["body"] as? String }
            #expect(bodies == (5..<10).reversed().map { #"{"signedPayload":"a.b.\#($0)"}"# })
            let refusal = try #require(answer.items.first)
            #expect(refusal["sender"] as? String == "127.0.0.1")
            #expect(refusal["code"] as? String == "bad_base64url")
            #expect(try await world.api.get("/v1/refused?limit=1")["next_page"] is String)
        }
    }

    /// The refused notifications, once the last one is stored. They are stored after the answer.
    private static func storedRefusals(_ world: World, count: Int) async throws -> TestAPIClient.Response {
        var answer = try await world.api.get("/v1/refused")
        try await waitUntil("the last refused notification is stored") {
            await (try world.server).core.refusals.flush()
            answer = try await world.api.get("/v1/refused")
            let last = answer.items.first?["body"] as? String
            return answer.items.count == count && last?.hasSuffix(#".9"}"#) == true
        }
        return answer
    }

    @Test func `The log, the metrics and the stored refusals show a sender outside the configured networks`()
        async throws
    {
        let lines = LogCapture()
        try await World.run(
            server: {
                TestAPIClient.configure(&$0)
                $0.listen.notificationNetworks = [Network("17.0.0.0/8")].compactMap(\.self)
                $0.listen.trustedProxies = [Network("127.0.0.1/32")].compactMap(\.self)
            }, logger: lines.logger(.init())
        ) { world in
            let headers = ["X-Forwarded-For": "17.1.2.3, 8.8.8.8"]
            let answer = try await world.request(.POST, "/apple/notifications", headers: headers, body: "{}")
            #expect(answer.status == 403)
            #expect(lines.text.contains("a notification was refused code=forbidden_network"))
            #expect(lines.text.contains("sender=8.8.8.8"))
            let metrics = try #require(await world.server.core.metrics.text())
            #expect(metrics.contains(#"{result="refused",code="forbidden_network"} 1"#))
            let refused = try await world.refusals()
            #expect(refused.map(\.code) == ["forbidden_network"] && refused.map(\.sender) == ["8.8.8.8"])
        }
    }
}
