import CounterfoilServer
import Foundation
internal import NIOHTTP1
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

// Changes of an endpoint, and replays that are refused.
extension `The API of webhooks` {
    private static func createEndpoint(_ world: World) async throws -> (fingerprint: String, secret: String) {
        let created = try await world.send(
            .POST, "/v1/webhooks", #"{"name": "mine", "url": "https://93.184.216.34/hooks"}"#)
        try #require(created.status == 201)
        return (
            try #require(created.json["secrets"].items.first?["fingerprint"].text),
            try #require(created.json["secret"].text)
        )
    }

    private static func change(_ world: World, _ body: String, of name: String = "mine") async throws -> (
        status: UInt, json: JSON
    ) { try await world.send(.PATCH, "/v1/webhooks/\(name)", body) }

    @Test func `An endpoint has at most four secrets, and one change can replace the only one`() async throws {
        try await World.runWithWebhooks { world, _ in
            let first = try await Self.createEndpoint(world)
            let replaced = try await Self.change(
                world, #"{"add_secret": true, "retire_secret": "\#(first.fingerprint)"}"#)
            #expect(replaced.status == 200)
            let only = try #require(replaced.json["secrets"].items.first?["fingerprint"].text)
            #expect(replaced.json["secrets"].items.count == 1 && only != first.fingerprint)
            #expect(try #require(replaced.json["secret"].text) != first.secret)
            for count in 2...4 {
                let added = try await Self.change(world, #"{"add_secret": true}"#)
                #expect(added.json["secrets"].items.count == count)
            }
            let fifth = try await Self.change(world, #"{"add_secret": true}"#)
            #expect(fifth.status == 409 && fifth.json["code"].text == "too_many")
            // One is retired before the new one is added.
            let exchanged = try await Self.change(world, #"{"add_secret": true, "retire_secret": "\#(only)"}"#)
            #expect(exchanged.json["secrets"].items.count == 4)
            let unknown = try await Self.change(world, #"{"retire_secret": "\#(only)"}"#)
            #expect(unknown.status == 400 && unknown.json["code"].text == "unknown_secret")
        }
    }

    @Test func `Switching a disabled endpoint off again keeps the reason and the time`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(410)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            let gone = try await world.send(.GET, "/v1/webhooks/backend").json
            try #require(gone["disabled_reason"].text == "gone")
            try await world.simulator.advance(by: 60)
            let again = try await Self.change(world, #"{"enabled": false}"#, of: "backend").json
            #expect(again["disabled_reason"].text == "gone")
            #expect(again["disabled_at"].number == gone["disabled_at"].number && gone["disabled_at"].number != nil)
            receiver.answer(200)
            #expect(try await Self.change(world, #"{"enabled": true}"#, of: "backend").json["enabled"].flag == true)
            try await world.deliverWebhooks()
            let off = try await Self.change(world, #"{"enabled": false}"#, of: "backend").json
            #expect(off["disabled_reason"].text == "requested")
        }
    }

    @Test func `Discarding what waits leaves an endpoint on or off as it was`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(500)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            try #require(receiver.take().count == 1)
            receiver.answer(200)
            let discarded = try await Self.change(world, #"{"discard_backlog": true}"#, of: "backend")
            #expect(discarded.status == 200 && discarded.json["enabled"].flag == true)
            try await world.deliverWebhooks(after: 60)
            #expect(receiver.take().isEmpty)
            let ended = try await world.deliveries()
            #expect(ended.map(\.state) == [.discarded])
            #expect(ended.map(\.lastError) == [WebhookDelivery.discardedBacklog])
            _ = try await world.buy("bob")
            try await world.deliverWebhooks()
            #expect(receiver.take().count == 1)
            _ = try await Self.change(world, #"{"enabled": false}"#, of: "backend")
            let off = try await Self.change(world, #"{"discard_backlog": true}"#, of: "backend")
            #expect(off.status == 200 && off.json["enabled"].flag == false)
            let test = try await world.send(.POST, "/v1/webhooks/backend/test")
            #expect(test.status == 409 && test.json["code"].text == "disabled")
        }
    }

    @Test func `A replay needs an event or a period that is not empty`() async throws {
        try await World.runWithWebhooks { world, _ in
            for body in [
                "{}", #"{"from": 5}"#, #"{"to": 5}"#, #"{"from": 5, "to": 5}"#, #"{"from": 6, "to": 5}"#,
            ] {
                let refused = try await world.send(.POST, "/v1/webhooks/backend/replay", body)
                #expect(refused.status == 400 && refused.json["code"].text == "invalid_range", "\(body)")
            }
        }
    }

    @Test func `A replay of an event that the endpoint does not receive is refused, as is a dry run`() async throws {
        try await World.runWithWebhooks { configuration, url in
            configuration.webhooks[0].events = ["subscription.*"]
            configuration.webhooks.append(World.webhook("all", url + "/all"))
        } _: { world, receiver in
            _ = try await world.buy("anna", "com.example.coins.100")
            try await world.deliverWebhooks()
            let messages = receiver.take()
            try #require(messages.map(\.path) == ["/all"])
            let event = try #require(messages.first?.id)
            for body in [#"{"event_id": "\#(event)"}"#, #"{"event_id": "\#(event)", "dry_run": true}"#] {
                let refused = try await world.send(.POST, "/v1/webhooks/backend/replay", body)
                #expect(refused.status == 409 && refused.json["code"].text == "not_accepted", "\(body)")
            }
            try await world.deliverWebhooks()
            #expect(receiver.take().isEmpty)
        }
    }

    @Test func `A name and the list of events of an endpoint are limited to a hundred`() async throws {
        try await World.runWithWebhooks { world, _ in
            let url = "https://93.184.216.34/hooks"
            let (longest, event) = (String(repeating: "n", count: 100), #""purchase.made""#)
            func create(_ name: String, events count: Int) async throws -> (status: UInt, json: JSON) {
                let events = Array(repeating: event, count: count).joined(separator: ",")
                return try await world.send(
                    .POST, "/v1/webhooks", #"{"name": "\#(name)", "url": "\#(url)", "events": [\#(events)]}"#)
            }
            let (longName, manyEvents) = (
                try await create(longest + "n", events: 1), try await create(longest, events: 101)
            )
            #expect(longName.json["code"].text == "invalid_name" && manyEvents.json["code"].text == "invalid_events")
            let created = try await create(longest, events: 100)
            #expect(created.status == 201)
        }
    }
}
