import AppStoreModels
import Foundation
internal import NIOHTTP1
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `Start of a webhook` {
    @Test func `A webhook delivers events that occurred after it was configured, not those that became known later`()
        async throws
    {
        let isConfigured = Mutex(false)
        try await World.runWithWebhooks { configuration, _ in
            if !isConfigured.withLock(\.self) { configuration.webhooks = [] }
        } _: { world, receiver in
            try world.simulator.add(Fault("notification:*", .drop))
            _ = try await world.buy("anna")
            try await world.simulator.advance(by: 10 * 86_400)
            try await world.stopServer()
            isConfigured.withLock { $0 = true }
            try await world.startServer()
            // The first reading of the notification history covers half a year.
            try await world.server.core.recovery.runNow()
            try await world.deliverWebhooks()
            #expect(receiver.take().isEmpty)
            // Later events are delivered, no matter when they become known.
            let bob = try await world.buy("bob")
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.simulator.advance(by: 86_400)
            try await world.server.core.recovery.runNow()
            try await world.deliverWebhooks()
            let messages = receiver.take()
            #expect(
                Set(messages.map { $0.json["type"].text }) == ["subscription.started", "subscription.cancelled"])
            #expect(
                messages.first { $0.json["type"].text == "subscription.started" }?.json["data"]["customer"].text == bob)
            // A replay delivers the earlier events.
            let all = #"{"from": 0, "to": \#(World.start.milliseconds * 2)}"#
            let answer = try await world.send(.POST, "/v1/webhooks/backend/replay", all)
            #expect(answer.json["deliveries"].number == 4)
        }
    }

    @Test func `A webhook starts at the present if enabling it discards the backlog`() async throws {
        try await World.runWithWebhooks { world, receiver in
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": false}"#).status == 200)
            try world.simulator.add(Fault("notification:*", .drop))
            _ = try await world.buy("anna")
            try await world.simulator.advance(by: 3600)
            try world.simulator.removeFault()
            let body = #"{"enabled": true, "discard_backlog": true}"#
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", body).status == 200)
            try await world.server.core.recovery.runNow()
            try await world.deliverWebhooks()
            #expect(receiver.take().isEmpty)
            let bob = try await world.buy("bob")
            try await world.deliverWebhooks()
            #expect(receiver.take().map { $0.json["data"]["customer"].text } == [bob])
        }
    }
}
