import AppStoreModels
import Foundation
internal import NIOHTTP1
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `Order of webhook events` {
    /// Adds an endpoint with the compatible format.
    private static func addCompatibleEndpoint(_ configuration: inout ServerConfiguration, _ url: String) {
        var compatible = World.webhook("compatible", url + "/compatible")
        compatible.payload = .compatible
        configuration.webhooks.append(compatible)
    }

    @Test func `After an outage, events are delivered in the order in which they occurred`() async throws {
        try await World.runWithWebhooks(Self.addCompatibleEndpoint) { world, receiver in
            try await world.server.core.recovery.runNow()
            try await world.stopServer()
            try world.simulator.add(Fault("notification:*", .drop))
            var customers: [String] = []
            // More than one batch.
            for number in 0..<60 { customers.append(try await world.buy("customer-\(number)")) }
            try await world.simulator.advance(by: 4 * 3600)
            for number in 0..<60 { try await world.simulator.perform(.approveRefund(customer: "customer-\(number)")) }
            try await world.simulator.advance(by: 4 * 3600)
            try world.simulator.removeFault()
            try await world.startServer()
            try await world.server.core.recovery.runNow()
            try await world.deliverWebhooks()
            let messages = receiver.take()
            for customer in customers {
                let own = messages.filter { $0.path == "/backend" && $0.json["data"]["customer"].text == customer }
                #expect(own.map { $0.json["type"].text } == ["subscription.started", "purchase.refunded"])
                let compatible = messages.filter {
                    $0.path == "/compatible" && $0.json["event"]["app_user_id"].text == customer
                }
                #expect(
                    compatible.map { $0.json["event"]["type"].text }
                        == ["INITIAL_PURCHASE", "CANCELLATION", "EXPIRATION"])
            }
        }
    }

    @Test func `If an older event becomes known late, the newest one is repeated after it`() async throws {
        try await World.runWithWebhooks(Self.addCompatibleEndpoint) { world, receiver in
            try world.simulator.add(Fault("notification:SUBSCRIBED", .drop))
            _ = try await world.buy("anna")
            try await world.simulator.advance(by: 3600)
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            try await world.deliverWebhooks()
            let first = receiver.take()
            #expect(first.contains { $0.json["type"].text == "purchase.refunded" })
            try world.simulator.removeFault()
            try await world.server.core.recovery.runNow()
            try await world.deliverWebhooks()
            let second = receiver.take()
            let own = second.filter { $0.path == "/backend" }
            #expect(own.map { $0.json["type"].text } == ["subscription.started", "purchase.refunded"])
            let refund = try #require(first.first { $0.path == "/backend" })
            #expect(own.last?.json["data"]["repeats"].text == refund.id)
            #expect(own.last?.json["data"]["id"].text == own.last?.id)
            #expect(own.last?.id != refund.id)
            let compatible = second.filter { $0.path == "/compatible" }.map { $0.json["event"] }
            #expect(compatible.map { $0["type"].text } == ["INITIAL_PURCHASE", "CANCELLATION", "EXPIRATION"])
            #expect(compatible.last?["repeats"].text == refund.id)
            #expect(Set((first + second).map { $0.path + $0.id }).count == first.count + second.count)
            let repeats = try await world.deliveries().filter(\.isRepeat)
            #expect(repeats.map(\.state) == [.delivered])
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `Receivers end in the right state, whatever the order of arrival and the failures of deliveries`() async throws
    {
        let history = try await OrderWorld.history()
        var repeats = 0
        for seed in UInt64(1)...6 {
            try await Tool.inTemporaryFolder { folder in
                var world = try await OrderWorld(history, in: folder, seed: seed)
                try await world.live()
                for receiver in world.receivers.values {
                    #expect(receiver.errors == [], "seed \(seed)")
                    repeats += receiver.repeats
                }
                #expect(try await world.isAllDelivered(), "seed \(seed)")
            }
        }
        #expect(repeats > 0)
    }

    @Test func `No event is repeated if none was delivered before`() async throws {
        let history = try await OrderWorld.history()
        try await Tool.inTemporaryFolder { folder in
            var world = try await OrderWorld(history, in: folder, seed: 99)
            try await world.processEverything()
            try await world.deliverEverything()
            try #require(!world.receivers.isEmpty)
            for receiver in world.receivers.values {
                #expect(!receiver.bodies.isEmpty)
                #expect(receiver.repeats == 0)
                #expect(receiver.errors == [])
            }
        }
    }

    @Test func `The refund of a consumable is not repeated after its late purchase`() async throws {
        try await World.runWithWebhooks(Self.addCompatibleEndpoint) { world, receiver in
            try world.simulator.add(Fault("notification:ONE_TIME_CHARGE", .drop))
            _ = try await world.buy("anna", "com.example.coins.100")
            try await world.simulator.advance(by: 3600)
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            try await world.deliverWebhooks()
            try world.simulator.removeFault()
            try await world.server.core.recovery.runNow()
            try await world.deliverWebhooks()
            let types = receiver.take().filter { $0.path == "/backend" }.map { $0.json["type"].text }
            #expect(types == ["purchase.refunded", "purchase.made"])
        }
    }

    @Test func `A replay of one event is followed by a repetition of the newest, a full replay is not`() async throws {
        try await World.runWithWebhooks { world, receiver in
            _ = try await world.buy("anna")
            try await world.deliverWebhooks(after: 3600)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.deliverWebhooks(after: 3600)
            let first = receiver.take()
            let body = #"{"event_id": "\#(first.first?.id ?? "")"}"#
            let answer = try await world.send(.POST, "/v1/webhooks/backend/replay", body)
            #expect(answer.json["deliveries"].number == 1)
            try await world.deliverWebhooks()
            let second = receiver.take()
            #expect(second.map { $0.json["type"].text } == ["subscription.started", "subscription.cancelled"])
            #expect(second.map { $0.json["data"]["repeats"].text } == [nil, first.last?.id])
            // A replay of all events needs no repetition.
            let all = #"{"from": 0, "to": \#(World.start.milliseconds * 2)}"#
            // A dry run returns the same count and sends nothing.
            let counted = try await world.send(
                .POST, "/v1/webhooks/backend/replay", all.replacing("}", with: #", "dry_run": true}"#))
            #expect(counted.status == 200)
            #expect(counted.json["deliveries"].number == 2 && counted.json["is_complete"].flag == true)
            try await world.deliverWebhooks()
            #expect(receiver.take().isEmpty)
            _ = try await world.send(.POST, "/v1/webhooks/backend/replay", all)
            try await world.deliverWebhooks()
            #expect(receiver.take().map(\.id) == first.map(\.id))
        }
    }
}
