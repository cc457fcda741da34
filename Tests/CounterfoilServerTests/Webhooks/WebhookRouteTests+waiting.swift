import AppStoreModels
import Basics
import Foundation
internal import NIOHTTP1
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

// What happens to waiting deliveries, and who reads earlier ones, when the definition of an endpoint changes.
extension `The API of webhooks` {
    /// Calls `body` with a world whose endpoint received a purchase of each environment, and is limited to the Sandbox
    /// after that. The key `sandbox` is limited to the Sandbox.
    private static func withLimitedEndpoint(
        answering status: Int,
        _ body: (World, WebhookReceiver, _ production: String, _ sandbox: String) async throws -> Void
    ) async throws {
        try await World.runWithWebhooks { configuration, _ in
            configuration.keys.append(World.sandboxWebhookKey)
        } _: { world, receiver in
            receiver.answer(status)
            _ = try await world.buy("anna")
            try await world.simulator.perform(.purchase(customer: "bob", product: World.monthly), in: .sandbox)
            try await world.deliverWebhooks()
            let sent = receiver.take()
            func event(_ environment: String) throws -> String {
                try #require(sent.first { $0.json["data"]["environment"].text == environment }?.id)
            }
            let (production, sandbox) = (try event("Production"), try event("Sandbox"))
            var changed = try world.configuration()
            changed.webhooks[0].environments = [.sandbox]
            let limited = changed
            try await world.server.reload { limited }
            try await body(world, receiver, production, sandbox)
        }
    }

    @Test func `A limited key sees no earlier deliveries of other environments after their endpoint was limited`()
        async throws
    {
        try await Self.withLimitedEndpoint(answering: 200) { world, _, production, sandbox in
            let path = "/v1/webhooks/backend/deliveries"
            let all = try await world.deliveries()
            for (event, status) in [(production, UInt(404)), (sandbox, 200)] {
                let id = try #require(all.first { $0.eventID == event }?.id)
                let limited = try await world.send(.GET, "\(path)/\(id)", key: "sandbox")
                let unlimited = try await world.send(.GET, "\(path)/\(id)")
                #expect(limited.status == status && unlimited.status == 200)
                let ofEvent = try await world.send(.GET, "/v1/events/\(event)/deliveries", key: "sandbox")
                #expect(ofEvent.status == status)
                let found = try await world.send(.GET, "\(path)?event_id=\(event)", key: "sandbox")
                #expect(found.json["items"].items.count == (status == 200 ? 1 : 0))
            }
            let listed = try await world.send(.GET, path, key: "sandbox").json["items"].items
            #expect(listed.map { $0["event_id"].text } == [sandbox])
            let unlimited = try await world.send(.GET, path)
            #expect(unlimited.json["items"].items.count == 2)
            let event = #"{"event_id": "\#(production)"}"#
            let replay = try await world.send(.POST, "/v1/webhooks/backend/replay", event, key: "sandbox")
            #expect(replay.status == 404)
            // A test event belongs to no app and environment.
            let test = try await world.send(.POST, "/v1/webhooks/backend/test", key: "sandbox")
            #expect(test.status == 202)
            try await world.deliverWebhooks()
            let tests = try await world.send(.GET, "\(path)?event_type=webhook.test", key: "sandbox")
            #expect(tests.json["items"].items.count == 1)
        }
    }

    @Test func `Waiting deliveries of environments that an endpoint no longer receives are discarded`() async throws {
        try await Self.withLimitedEndpoint(answering: 500) { world, receiver, production, sandbox in
            receiver.answer(200)
            try await world.deliverWebhooks(after: 7)
            #expect(receiver.take().map(\.id) == [sandbox])
            let ended = try await world.deliveries()
            #expect(ended.first { $0.eventID == production }?.state == .discarded)
            #expect(ended.first { $0.eventID == production }?.lastError == "not_accepted")
            #expect(ended.first { $0.eventID == sandbox }?.state == .delivered)
        }
    }

    /// Changes the format of the endpoint while the events of a purchase and of its refund wait, the first one after an
    /// attempt. Returns the messages after the change, and the identifiers of the events.
    private static func messages(
        changingFrom old: ServerConfiguration.WebhookPayload, to new: ServerConfiguration.WebhookPayload
    ) async throws -> (messages: [WebhookReceiver.Message], events: [String]) {
        try await World.runWithWebhooks { configuration, _ in
            configuration.webhooks[0].payload = old
        } _: { world, receiver in
            receiver.answer(500)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            try await world.simulator.advance(by: 1)
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            try await world.deliverWebhooks()
            try #require(receiver.take().count == 1)
            var events: [String] = []
            for event in try await world.deliveries().map(\.eventID) where !events.contains(event) {
                events.append(event)
            }
            var changed = try world.configuration()
            changed.webhooks[0].payload = new
            let reloaded = changed
            try await world.server.reload { reloaded }
            receiver.answer(200)
            try await world.deliverWebhooks(after: 7)
            return (receiver.take(), events)
        }
    }

    @Test func `After a change of the payload, each waiting event is sent once in the new format`() async throws {
        let own = try await Self.messages(changingFrom: .compatible, to: .counterfoil)
        #expect(own.messages.map { $0.json["type"].text } == ["subscription.started", "purchase.refunded"])
        #expect(own.messages.map(\.id) == own.events)
        #expect(own.messages.map { $0.json["data"]["id"].text } == own.events)
        let compatible = try await Self.messages(changingFrom: .counterfoil, to: .compatible)
        #expect(compatible.messages.map { $0.json["event"]["type"].text } == ["INITIAL_PURCHASE", "CANCELLATION"])
        #expect(compatible.messages.map(\.id) == compatible.events)
    }

    @Test func `Enabling an endpoint can discard its backlog`() async throws {
        try await World.runWithWebhooks { world, receiver in
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": false}"#).status == 200)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            #expect(try await world.endpoint().stored.disabled?.reason == .requested)
            #expect(try await world.send(.POST, "/v1/webhooks/backend/test").status == 409)
            let body = #"{"enabled": true, "discard_backlog": true}"#
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", body).status == 200)
            try await world.deliverWebhooks()
            #expect(receiver.take().isEmpty)
        }
    }
}
