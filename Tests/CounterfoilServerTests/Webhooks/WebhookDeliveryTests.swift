import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Crypto
import Foundation
import MemoryLedger
internal import NIOHTTP1
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Webhooks` {
    @Test func `An event is delivered once, signed, with the notification's transaction and renewal`() async throws {
        try await World.runWithWebhooks { world, receiver in
            let customer = try await world.buy("anna")
            try await world.deliverWebhooks()
            let messages = receiver.take()
            let message = try #require(messages.first)
            #expect(messages.count == 1)
            let (headers, json) = (message.headers, message.json)
            #expect(headers["content-type"] == "application/json")
            #expect(json.keys == ["type", "data"])
            #expect(json["type"].text == "subscription.started")
            #expect(json["data"]["id"].text == message.id)
            #expect(json["data"]["customer"].text == customer)
            #expect(json["data"]["environment"].text == "Production")
            #expect(json["data"]["notification"]["subtype"].text == "INITIAL_BUY")
            #expect(json["data"]["transaction"]["product_id"].text == World.monthly)
            #expect(json["data"]["renewal"]["will_renew"].flag == true)
            let content = Data("\(message.id).\(headers["webhook-timestamp"] ?? "").".utf8) + message.body
            let code = HMAC<SHA256>.authenticationCode(
                for: content, using: SymmetricKey(data: Data(repeating: 7, count: 32)))
            #expect(headers["webhook-signature"] == "v1," + Data(code).base64EncodedString())
            #expect(try await world.deliveries().map(\.state) == [.delivered])
            try await world.deliverWebhooks(after: 86_400)
            #expect(receiver.take().isEmpty)
        }
    }

    @Test func `Nothing is verified twice on the way to a webhook`() async throws {
        try await World.runWithWebhooks { world, receiver in
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            try await world.deliverWebhooks(after: 100 * 86_400)
            let events = Set(receiver.take().map(\.id))
            #expect(events.count > 3)
            // The notification, its transaction and its renewal info.
            #expect(try world.server.core.signatures.verified == 3 * events.count)
        }
    }

    @Test func `A delivery stores its attempts with status and error, and removing the endpoint removes them`()
        async throws
    {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(503)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            receiver.answer(200)
            try await world.deliverWebhooks(after: 7)
            let delivery = try #require(try await world.deliveries().first)
            let answer = try await world.send(.GET, "/v1/webhooks/backend/deliveries/\(delivery.id)")
            #expect(answer.status == 200)
            let attempts = answer.json["attempt_list"].items
            #expect(attempts.map { $0["status"].number } == [503, 200])
            #expect(attempts.map { $0["error"].text } == ["status_503", nil])
            #expect(attempts.allSatisfy { ($0["duration_ms"].number ?? -1) >= 0 })
            let sent = try #require(receiver.take().last)
            #expect(answer.json["body"].text == String(decoding: sent.body, as: UTF8.self))
            #expect(answer.json["message_id"].text == sent.id)
            #expect(try await world.send(.GET, "/v1/webhooks/backend/deliveries/999").status == 404)
            #expect(try await world.send(.GET, "/v1/webhooks/backend/deliveries/x").status == 404)
            let storage = try world.server.core.storage
            try await storage.removeWebhook(delivery.endpoint)
            while try await storage.runWebhookJob(limit: 10, at: 0) {}
            #expect(try await storage.attempts(of: delivery.id, limit: 10).isEmpty)
        }
    }

    @Test func `Events of a customer are delivered in order, and do not wait for other customers`() async throws {
        try await World.runWithWebhooks { world, receiver in
            // Anna's first delivery fails, so that the closure below gets her identifier before any message arrives.
            receiver.answer(500)
            let anna = try await world.buy("anna")
            try await world.deliverWebhooks()
            receiver.answer { .init(status: $0.json["data"]["customer"].text == anna ? 500 : 200) }
            try await world.simulator.perform(.cancel(customer: "anna"))
            let bob = try await world.buy("bob")
            try await world.simulator.perform(.cancel(customer: "bob"))
            try await world.deliverWebhooks()
            func types(_ customer: String, _ messages: [WebhookReceiver.Message]) -> [String?] {
                messages.filter { $0.json["data"]["customer"].text == customer }.map { $0.json["type"].text }
            }
            let first = receiver.take()
            #expect(types(bob, first) == ["subscription.started", "subscription.cancelled"])
            #expect(types(anna, first) == ["subscription.started"])
            #expect(try await world.deliveries().filter { $0.state == .pending && $0.due != nil }.count == 1)
            receiver.answer(200)
            try await world.deliverWebhooks(after: 7)
            let second = receiver.take()
            #expect(types(bob, second).isEmpty)
            #expect(types(anna, second) == ["subscription.started", "subscription.cancelled"])
            #expect(try await world.deliveries().allSatisfy { $0.state == .delivered })
            // A failed and a successful attempt send the same message.
            let ids = Dictionary(
                grouping: (first + second).filter { $0.json["data"]["customer"].text == anna }, by: \.id)
            #expect(ids.count == 2)
            #expect(ids.values.allSatisfy { Set($0.map(\.body)).count == 1 })
        }
    }

    @Test func `Redirects are not followed`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(307, ["Location": "/elsewhere"])
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            #expect(receiver.take().map(\.path) == ["/backend"])
            #expect(try await world.deliveries().map(\.lastStatus) == [307])
            #expect(try await world.deliveries().map(\.state) == [.pending])
        }
    }

    @Test func `A webhook reaches no private network unless the configuration allows it`() async throws {
        try await World.runWithWebhooks { configuration, _ in
            configuration.webhooks[0].allowsPrivateNetworks = false
        } _: { world, receiver in
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            #expect(receiver.take().isEmpty)
            #expect(try await world.deliveries().map(\.lastError) == ["address_not_public"])
        }
    }

    @Test func `A webhook gets only events of its types, apps and environments`() async throws {
        try await World.runWithWebhooks { configuration, url in
            configuration.webhooks[0].events = ["subscription.*"]
            var other = World.webhook("sandbox", url + "/sandbox")
            other.environments = [.sandbox]
            configuration.webhooks.append(other)
            other = World.webhook("elsewhere", url + "/elsewhere")
            other.apps = ["com.example.other"]
            configuration.webhooks.append(other)
        } _: { world, receiver in
            _ = try await world.buy("anna")
            _ = try await world.buy("anna", "com.example.coins.100")
            try await world.simulator.perform(
                .purchase(customer: "bob", product: "com.example.coins.100"), in: .sandbox)
            try await world.deliverWebhooks()
            let received = receiver.take().map { "\($0.path) \($0.json["type"].text ?? "")" }
            #expect(received.sorted() == ["/backend subscription.started", "/sandbox purchase.made"])
        }
    }

    @Test func `After a restart, each pending event is delivered with the same identifier`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(500)
            for customer in ["anna", "bob", "carl"] {
                _ = try await world.buy(customer)
                try await world.simulator.perform(.cancel(customer: customer))
            }
            try await world.deliverWebhooks()
            let before = try await world.deliveries()
            #expect(before.count == 6)
            try await world.stopServer()
            try await world.startServer()
            #expect(try await world.deliveries().map(\.eventID) == before.map(\.eventID))
            receiver.answer(200)
            _ = receiver.take()
            try await world.deliverWebhooks(after: 60)
            let messages = receiver.take()
            #expect(messages.map(\.id).sorted() == before.map(\.eventID).sorted())
            #expect(try await world.deliveries().count == 6)
        }
    }

    @Test func `Deliveries to an endpoint that the configuration no longer names are not counted`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(410)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            let webhooks = try world.server.core.webhooks
            let backlog = try await webhooks.webhookBacklog()
            #expect(backlog.deliveries > 0 && backlog.disabledEndpoints == 1)
            let configured = try world.configuration()
            var changed = configured
            changed.webhooks = []
            let without = changed
            try await world.server.reload { without }
            let none = WebhookBacklog(deliveries: 0, disabledEndpoints: 0)
            #expect(try await webhooks.webhookBacklog() == none)
            // The deliveries wait until the endpoint is configured again.
            try await world.server.reload { configured }
            #expect(try await webhooks.webhookBacklog() == backlog)
        }
    }
}
