import CounterfoilServer
import Foundation
import GRDB
import StoreSimulator
import Testing

@testable import LedgerSQLite

@Suite struct `Stored notifications about Apple accounts` {
    private static func rows(_ storage: SQLiteStorage) async throws -> [String] {
        try await storage.pool.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM account_notifications").map { "\($0)" }
        }
    }

    /// Calls `body` with the world's ledger while the server is stopped.
    private static func withLedger(_ world: World, _ body: (SQLiteStorage) async throws -> Void) async throws {
        let path = try world.configuration().storage.path
        try await world.stopServer()
        let storage = try SQLiteStorage(path: path)
        try await body(storage)
        try storage.close()
        try await world.startServer()
        try await world.waitUntilIdle()
    }

    /// Makes a customer withdraw consent. Returns the customer's ID in the server.
    private static func rescind(_ world: World) async throws -> String {
        let anna = try await world.subscribe("anna")
        try await world.simulator.perform(.rescindConsent(customer: "anna"))
        try await world.waitUntilIdle()
        return anna
    }

    @Test func `Opening an older ledger adds the notifications to timelines and creates no events`() async throws {
        try await World.withAPI { world in
            let anna = try await Self.rescind(world)
            let path = "/v1/customers/\(anna)/timeline"
            let timeline = try await world.api.get(path).text
            let events = try await world.api.get("/v1/events").items.count
            #expect(timeline.contains("RESCIND_CONSENT") && events == 2)
            try await Self.withLedger(world) { storage in
                try await storage.pool.write { db in
                    try db.execute(
                        sql: """
                            DROP TABLE account_notifications;
                            DELETE FROM grdb_migrations WHERE identifier = '18';
                            """)
                }
            }
            #expect(try await world.api.get(path).text == timeline)
            #expect(try await world.api.get("/v1/events").items.count == events)
        }
    }

    @Test func `A rebuild corrects the notifications, and an import of an export has them`() async throws {
        try await World.withAPI { world in
            _ = try await Self.rescind(world)
            let configuration = try world.configuration()
            try await Self.withLedger(world) { storage in
                let (before, verifier) = (try await Self.rows(storage), try LedgerMaintenance.verifier(configuration))
                #expect(before.count == 1)
                let rebuild = LedgerRebuild(storage, verifier: verifier)
                #expect(try await rebuild.run(replacing: false).isIdentical)
                // One that is reprocessed stays.
                let select = "SELECT notification FROM account_notifications"
                let known = try await storage.pool.read { try Int64.fetchOne($0, sql: select) }
                let notification = try #require(known)
                try await storage.reprocess([notification], at: 0)
                let pending = try await rebuild.run(replacing: true)
                #expect(pending.refused.count == 1 && !pending.isReplaced, "\(pending)")
                try await storage.pool.write { try $0.execute(sql: "DELETE FROM inbox") }
                try await storage.pool.write { try $0.execute(sql: "DELETE FROM account_notifications") }
                let found = try await rebuild.run(replacing: true)
                #expect(found.differing == ["the index of notifications about Apple accounts"] && found.isReplaced)
                #expect(try await Self.rows(storage) == before)
                let file = world.folder.appending(path: "export.jsonl")
                try await storage.export(to: file)
                let other = try SQLiteStorage(path: world.folder.appending(path: "other.sqlite").path)
                let scopes = try await other.scopes(of: configuration.environments)
                let report = try await LedgerImport(other, verifier: verifier, scopes: scopes, at: .now)
                    .run(try FileHandle(forReadingFrom: file))
                #expect(report.refusals == 0, "\(report.refused)")
                #expect(try await Self.rows(other).count == 1)
                #expect(try await LedgerRebuild(other, verifier: verifier).run(replacing: false).isIdentical)
                try other.close()
            }
        }
    }
}
