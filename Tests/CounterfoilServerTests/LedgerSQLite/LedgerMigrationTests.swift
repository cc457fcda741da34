import AppStoreModels
import Foundation
import GRDB
import MemoryLedger
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

/// Ledgers of earlier versions. Each test changes the schema of a new ledger back to that of a version.
@Suite struct `Migrations of the ledger` {
    @Test func `A migration sets the completeness mark back to before the unverified windows`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            let scope = ledger.appEnvironment.id
            try await ledger.sqlite.pool.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM grdb_migrations WHERE identifier = '4';
                        DROP TABLE unverified_spans;
                        ALTER TABLE completeness DROP COLUMN read_until;
                        ALTER TABLE completeness DROP COLUMN signed_until;
                        ALTER TABLE recoveries DROP COLUMN signed_until;
                        ALTER TABLE recovery_windows DROP COLUMN unverified;
                        ALTER TABLE recovery_failures DROP COLUMN history;
                        INSERT INTO completeness VALUES (\(scope), 1000, 9000, 'notification_history', 9060);
                        INSERT INTO histories VALUES (\(scope), '7', 'r', 8000);
                        INSERT INTO recovery_failures (scope, digest, code, message, recovery, from_date, until_date,
                            noticed_at)
                        VALUES (\(scope), x'01', 'bad_signature', '', 3, 5000, 6000, 8000),
                            (\(scope), x'02', 'bad_signature', '', NULL, NULL, NULL, 8500);
                        """)
            }
            try ledger.sqlite.close()
            let storage = try await TestLedger(in: folder, name: "ledger.sqlite").sqlite
            let mark = try #require(try await storage.completenessMarks().first)
            #expect(mark.since == 1000 && mark.until == 4999 && mark.readUntil == 9000 && mark.signedUntil == 9000)
            #expect(try await storage.unverifiedSpans(in: scope).spans == [.init(from: 5000, until: 6000)])
            // The old tables did not store which history contained the second one.
            #expect(try await storage.missingCounts(in: scope).unverified == 1)
            #expect(try await storage.historyMark(of: ["7"], in: scope) == nil)
            #expect(try await storage.historyPass(in: scope)?.staleBefore == 8500)
            try storage.close()
        }
    }

    @Test func `A migration orders pending deliveries by time of event and sets the webhook's start`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            try await ledger.sqlite.pool.write { db in
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
            try ledger.sqlite.close()
            let storage = try await TestLedger(in: folder, name: "ledger.sqlite").sqlite
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

    @Test func `A migration merges the two tables of histories, and a recovery's mark takes precedence`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            let scope = ledger.appEnvironment.id
            try await ledger.sqlite.pool.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM grdb_migrations WHERE identifier = '9';
                        \(HistoryTable.former[0]);
                        INSERT INTO histories VALUES (\(scope), '1', 'recovery', 8000), (\(scope), '2', NULL, 8000);
                        INSERT INTO account_histories VALUES (\(scope), '1', 'restore', 9000),
                            (\(scope), '2', 'restore', 9000), (\(scope), '3', 'restore', 9000);
                        """)
            }
            try ledger.sqlite.close()
            let storage = try await TestLedger(in: folder, name: "ledger.sqlite").sqlite
            let marks = try await ["1", "2", "3"].revisions(storage, scope)
            #expect(marks == ["recovery", "restore", "restore"])
            let asked = try await storage.pool.read {
                try Int64.fetchAll($0, sql: "SELECT asked_at FROM histories ORDER BY original_id")
            }
            #expect(asked == [8000, 8000, 0], "histories that only a restore has read are requested again")
            #expect(try await storage.pool.read { try !$0.tableExists("account_histories") })
            try storage.close()
        }
    }

    @Test func `The events of an older ledger have no product, and later ones have`() async throws {
        try await Tool.inTemporaryFolder { folder in
            var ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            try await Self.buy(1, in: ledger)
            try await ledger.sqlite.pool.write { db in
                try db.execute(
                    sql: """
                        ALTER TABLE events DROP COLUMN product;
                        DELETE FROM grdb_migrations WHERE identifier = '24';
                        """)
            }
            try ledger.sqlite.close()
            ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            try await Self.buy(2, in: ledger)
            let events = try await ledger.sqlite.events(ofNotifications: [1, 2])
            let (first, second) = (try #require(events[1]), try #require(events[2]))
            #expect(first.originalTransactionID == "1" && first.productID == nil)
            #expect(second.originalTransactionID == "2" && second.productID == "gold")
            try ledger.sqlite.close()
        }
    }

    /// Receives and processes a notification.
    private static func buy(_ number: Int, in ledger: TestLedger) async throws {
        let received = ReceivedNotification(
            scope: ledger.appEnvironment.id, uuid: "notification \(number)", type: "ONE_TIME_CHARGE",
            signedDate: World.start.milliseconds, receivedAt: 0, origin: .delivered, text: "text \(number)")
        _ = try await ledger.sqlite.commit(received: [received], processed: [])
        try await `Stored claims`.buy("\(number)", in: ledger)
    }

    @Test func `The log of an older ledger can be searched by target`() async throws {
        try await Tool.inTemporaryFolder { folder in
            var ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            let entry = AuditEntry(at: 1, actor: "all", action: "POST /v1/x", target: "anna", result: "200")
            try await ledger.sqlite.appendAudit([entry])
            try await ledger.sqlite.pool.write { db in
                try db.execute(
                    sql: """
                        DROP INDEX audit_by_target;
                        DELETE FROM grdb_migrations WHERE identifier = '21';
                        """)
            }
            try ledger.sqlite.close()
            ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            var filter = AuditFilter()
            filter.targets = [ExactText("anna")]
            let found = try await ledger.sqlite.audit(filter, before: .max, limit: 9).items
            #expect(found.map(\.entry) == [entry])
            try ledger.sqlite.close()
        }
    }
}

extension [String] {
    fileprivate func revisions(_ storage: SQLiteStorage, _ scope: Int64) async throws -> [String?] {
        var marks: [String?] = []
        for id in self { marks.append(try await storage.historyMark(of: [id], in: scope)?.revision) }
        return marks
    }
}
