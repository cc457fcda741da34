import AppStoreModels
import Entitlements
import Foundation
import GRDB
import Ledger
import MemoryLedger
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import LedgerSQLite
@testable import LedgerServices

@Suite struct `The history of an Apple account` {
    @Test func `Reading a history continues at the stored revision`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let core = try world.server.core
            let appEnvironment = try world.appEnvironment()
            let original = try #require(
                try await core.storage.summaries(after: "", in: appEnvironment.id, limit: 1).first?
                    .originalTransactionID)
            #expect(try await core.storage.historyMark(of: [original], in: appEnvironment.id) == nil)
            let reading = try await core.histories.read(original, in: appEnvironment, origin: .asked)
            #expect(reading.found.map(\.text) == [original])
            let mark = try #require(
                try await core.storage.historyMark(of: ["another", original], in: appEnvironment.id))
            #expect(mark.transactionID == original && mark.revision?.isEmpty == false)
            // A restore needs current data, so it requests the history again. There is nothing new.
            let history = try await core.histories.fetch(about: [original], in: appEnvironment, because: .restore)
            #expect(history.state == .complete)
            #expect(
                try await core.storage.historyMark(of: [original], in: appEnvironment.id)?.revision == mark.revision)
            #expect(try await core.histories.read(original, in: appEnvironment, origin: .asked).newFacts == 0)
            // The lineage is marked as requested, so that no recovery pass requests it again.
            let summary = try await core.storage.summaries(after: "", in: appEnvironment.id, limit: 1).first
            #expect(try #require(summary?.requestedAt) > 0)
        }
    }

    @Test func `A history request stays pending if the App Store refuses the key`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let core = try world.server.core
            let appEnvironment = try world.appEnvironment()
            let original = try #require(
                try await core.storage.summaries(after: "", in: appEnvironment.id, limit: 1).first?
                    .originalTransactionID)
            world.simulator.revokeAPIKey(world.simulator.information.keyID)
            let history = try await core.histories.fetch(about: [original], in: appEnvironment, because: .restore)
            #expect(history.state == .pending)
            #expect(try await core.storage.missingCounts(in: appEnvironment.id).historyRequests == 1)
        }
    }

    @Test func `A migration merges the two tables of histories, and a recovery's mark takes precedence`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            let scope = ledger.appEnvironment.id
            try await ledger.storage.pool.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM grdb_migrations WHERE identifier = '9';
                        \(HistoryTable.former[0]);
                        INSERT INTO histories VALUES (\(scope), '1', 'recovery', 8000), (\(scope), '2', NULL, 8000);
                        INSERT INTO account_histories VALUES (\(scope), '1', 'restore', 9000),
                            (\(scope), '2', 'restore', 9000), (\(scope), '3', 'restore', 9000);
                        """)
            }
            try ledger.storage.close()
            let storage = try await TestLedger(in: folder, name: "ledger.sqlite").storage
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
}

extension [String] {
    fileprivate func revisions(_ storage: SQLiteStorage, _ scope: Int64) async throws -> [String?] {
        var marks: [String?] = []
        for id in self { marks.append(try await storage.historyMark(of: [id], in: scope)?.revision) }
        return marks
    }
}
