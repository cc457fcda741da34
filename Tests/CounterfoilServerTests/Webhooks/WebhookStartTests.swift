import AppStoreModels
import Foundation
import GRDB
internal import NIOHTTP1
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerSQLite
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

    @Test func `A migration orders pending deliveries by time of event and sets the webhook's start`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            try await ledger.storage.pool.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM grdb_migrations WHERE identifier = '5';
                        DROP TABLE webhook_chores;
                        DROP INDEX deliveries_by_lane;
                        DROP INDEX deliveries_by_purchase;
                        ALTER TABLE events DROP COLUMN is_late;
                        ALTER TABLE webhook_endpoints DROP COLUMN begins_at;
                        ALTER TABLE deliveries DROP COLUMN purchase;
                        ALTER TABLE deliveries DROP COLUMN happened_at;
                        ALTER TABLE deliveries DROP COLUMN is_repeat;
                        CREATE INDEX deliveries_by_lane ON deliveries (endpoint, lane, id) WHERE state = 0;
                        INSERT INTO webhook_endpoints (name, is_configured, cursor, created_at) VALUES ('a', 1, 3, 77);
                        INSERT INTO events (seq, id, scope, type, original_id, occurred_at, created_at) VALUES
                            (1, 'one', 1, 'x', '9', 50, 100), (2, 'two', 1, 'x', '9', 70, 100),
                            (3, 'three', 1, 'x', '9', 60, 100);
                        INSERT INTO deliveries (endpoint, event, variant, lane, state, attempts, due, created_at) VALUES
                            (1, 1, 0, '1 purchase 9', 0, 1, 5, 100), (1, 2, 0, '1 purchase 9', 0, 0, NULL, 100),
                            (1, 3, 0, '1 purchase 9', 0, 0, NULL, 100);
                        """)
            }
            try ledger.storage.close()
            let storage = try await TestLedger(in: folder, name: "ledger.sqlite").storage
            var order: [String] = []
            while let delivery = try await storage.dueDeliveries(of: 1, at: 1000, limit: 9).first, order.count < 9 {
                order.append(delivery.eventID)
                _ = try await storage.record(
                    [DeliveryOutcome(delivery: delivery.id, endpoint: 1, result: .delivered)], disableAfter: 1, at: 1000
                )
            }
            #expect(order == ["one", "three", "two"])
            let begin = try await storage.pool.read { db in
                try Int64.fetchOne(db, sql: "SELECT begins_at FROM webhook_endpoints")
            }
            #expect(begin == 77)
            try storage.close()
        }
    }
}
