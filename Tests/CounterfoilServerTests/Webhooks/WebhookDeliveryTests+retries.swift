import AppStoreModels
import CounterfoilServer
import Crypto
import Foundation
internal import NIOHTTP1
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerServices

// Failed deliveries.
extension `Webhooks` {
    @Test func `A delivery is retried with the same body for days and then fails, and the endpoint is disabled`()
        async throws
    {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(500)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            for (attempt, pause) in RetrySchedule.pauses.enumerated() {
                let delivery = try #require(try await world.deliveries().first)
                #expect(delivery.attempts == attempt + 1)
                #expect(delivery.lastStatus == 500)
                let wait = Double((delivery.due ?? 0) - world.simulator.now.milliseconds) / 1000
                #expect((pause * 0.79...pause * 1.21).contains(wait), "after attempt \(attempt + 1)")
                try await world.deliverWebhooks(after: wait + 0.001)
            }
            let delivery = try #require(try await world.deliveries().first)
            #expect(delivery.state == .failed)
            #expect(delivery.lastError == "status_500")
            let messages = receiver.take()
            #expect(messages.count == RetrySchedule.pauses.count + 1)
            #expect(Set(messages.map(\.id)).count == 1)
            #expect(Set(messages.map(\.body)).count == 1)
            #expect(try await world.endpoint().stored.disabled == nil)
            // An endpoint that fails for five days is disabled, and its events wait. Time without attempts does not
            // count.
            let since = Date(milliseconds: try #require(try await world.endpoint().stored.failingSince))
            let rest = (since + 4.9 * 86_400).timeIntervalSince(world.simulator.now)
            _ = try await world.buy("bob")
            for _ in 0..<2 { try await world.deliverWebhooks(after: rest / 2) }
            #expect(try await world.endpoint().stored.disabled == nil)
            try await world.deliverWebhooks(after: 0.11 * 86_400)
            #expect(try await world.endpoint().stored.disabled?.reason == .failing)
            receiver.answer(200)
            _ = receiver.take()
            try await world.deliverWebhooks(after: 3600)
            #expect(receiver.take().isEmpty)
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": true}"#).status == 200)
            try await world.deliverWebhooks()
            #expect(receiver.take().map { $0.json["type"].text } == ["subscription.started"])
            #expect(try await world.endpoint().stored.failingSince == nil)
        }
    }

    /// The pause of half a minute lasted until the wrong date.
    @Test(arguments: [3600, 86_400] as [TimeInterval])
    func `A delivery that failed while the clock was ahead is retried at once after the clock was set back`(
        _ lead: TimeInterval
    ) async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(500)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            world.clockLead.withLock { $0 = lead }
            try await world.deliverWebhooks()
            #expect(receiver.take().count == 2)
            receiver.answer(200)
            try await world.deliverWebhooks()
            #expect(receiver.take().isEmpty)
            world.clockLead.withLock { $0 = 0 }
            try await world.deliverWebhooks()
            #expect(receiver.take().count == 1)
            #expect(try await world.deliveries().map(\.state) == [.delivered])
        }
    }

    @Test func `The failures of an endpoint still count after the clock was set back`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(500)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            let since = try #require(try await world.endpoint().stored.failingSince)
            try await world.deliverWebhooks(after: 3600)
            for lead in [600.0, 0] {
                world.clockLead.withLock { $0 = lead }
                try await world.deliverWebhooks()
            }
            #expect(receiver.take().count == 4)
            #expect(try await world.endpoint().stored.failingSince == since)
        }
    }

    @Test func `A failure before a long outage of the server does not disable an endpoint`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(500)
            _ = try await world.buy("anna", "com.example.coins.100")
            try await world.deliverWebhooks()
            try #require(try await world.endpoint().stored.failingSince != nil)
            // The server is down for three weeks.
            try await world.stopServer()
            try await world.simulator.advance(by: 21 * 86_400)
            try await world.startServer()
            try await world.deliverWebhooks()
            #expect(receiver.take().count == 2)
            let endpoint = try await world.endpoint().stored
            #expect(endpoint.disabled == nil)
            #expect(try #require(endpoint.failingSince) > World.start.milliseconds + 20 * 86_400_000)
        }
    }

    @Test func `A replay is sent at once, also for an event whose delivery waits for its next attempt`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(503, ["Retry-After": "7200"])
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            _ = try await world.buy("bob")
            try await world.deliverWebhooks()
            let failed = receiver.take()
            #expect(failed.count == 2)
            receiver.answer(200)
            let replayed = try await world.send(
                .POST, "/v1/webhooks/backend/replay", #"{"event_id": "\#(failed[0].id)"}"#)
            #expect(replayed.json["deliveries"].number == 1)
            try await world.deliverWebhooks()
            // The failed delivery and the replayed one. Bob's event was not replayed.
            #expect(receiver.take().map(\.id) == [failed[0].id, failed[0].id])
            #expect(try await world.deliveries().filter { $0.state == .pending }.count == 1)
        }
    }

    @Test func `A replay about a transferred purchase does not wait for the retry of its former owner's event`()
        async throws
    {
        try await World.runWithWebhooks { configuration, _ in
            configuration.keys.append(
                .init(name: "support", hash: APIKeyText.hash(of: "support"), scopes: [.customersTransfer]))
        } _: { world, receiver in
            receiver.answer(503, ["Retry-After": "7200"])
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            let original = try #require(receiver.take().first?.json["data"]["original_transaction_id"].text)
            let transfer = try await world.send(
                .POST, "/v1/customers/ben/purchases/\(original)/transfer", #"{"reason": "x"}"#, key: "support")
            try #require(transfer.status == 200)
            try await world.deliverWebhooks()
            let events = try await world.deliveries()
            try #require(events.map(\.eventType.rawValue) == ["subscription.started", "purchase.transferred"])
            let (started, transferred) = (events[0].eventID, events[1].eventID)
            receiver.answer(200)
            let replayed = try await world.send(
                .POST, "/v1/webhooks/backend/replay", #"{"event_id": "\#(transferred)"}"#)
            #expect(replayed.status == 202)
            try await world.deliverWebhooks()
            #expect(receiver.take().map(\.id) == [started, transferred, transferred])
        }
    }

    @Test func `An attempt stores the first 512 bytes of the response`() async throws {
        try await World.runWithWebhooks { world, receiver in
            let beginning = String(repeating: "x", count: 512)
            receiver.answer { _ in WebhookReceiver.Answer(status: 500, body: beginning + "y") }
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            let delivery = try #require(try await world.deliveries().first)
            let answer = try await world.send(.GET, "/v1/webhooks/backend/deliveries/\(delivery.id)")
            #expect(answer.json["attempt_list"].items.map { $0["answer"].text } == [beginning])
        }
    }

    @Test func `A retry follows the receiver's Retry-After, up to a day`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(503, ["Retry-After": "7200"])
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            let now = world.simulator.now.milliseconds
            #expect(try await world.deliveries().first?.due == now + 7_200_000)
            receiver.answer(429, ["Retry-After": "999999999"])
            try await world.deliverWebhooks(after: 7200)
            #expect(try await world.deliveries().first?.due == now + 7_200_000 + 86_400_000)
        }
    }

    @Test func `A response of 410 disables the endpoint, and its events are delivered after it is enabled`()
        async throws
    {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(410)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            #expect(try await world.endpoint().stored.disabled?.reason == .gone)
            _ = try await world.buy("bob")
            try await world.deliverWebhooks(after: 86_400)
            #expect(receiver.take().count == 1)
            #expect(try await (try world.server).core.webhooks.webhookBacklog().disabledEndpoints == 1)
            receiver.answer(200)
            let enabled = try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": true}"#)
            #expect(enabled.json["enabled"].flag == true)
            try await world.deliverWebhooks()
            #expect(receiver.take().count == 2)
        }
    }
}
