import CounterfoilServer
import Foundation
import GRDB
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerSQLite
@testable import LedgerServices

extension `Erasure of a customer` {
    @Test func `Importing an older export with a newer one does not restore an erased customer`() async throws {
        try await Self.run { world in
            _ = try await Self.populate(world)
            let storage = try world.sqlite
            let older = world.folder.appending(path: "older.jsonl")
            try await storage.export(to: older)
            try await world.simulator.advance(by: 60)
            _ = try await world.api.send("DELETE", "/v1/customers/person-anna")
            let newer = world.folder.appending(path: "newer.jsonl")
            let digest = try await storage.export(to: newer).digest
            #expect(!(try String(contentsOf: newer, encoding: .utf8).contains("person-anna")))
            let configuration = try world.configuration()
            try await world.stopServer()
            for files in [[newer], [older, newer], [newer, older]] {
                try? FileManager.default.removeItem(atPath: configuration.storage.path)
                let other = try SQLiteStorage(path: configuration.storage.path)
                let verifier = try LedgerMaintenance.verifier(configuration)
                let scopes = try await other.scopes(of: configuration.environments)
                for file in files {
                    let report = try await LedgerImport(other, verifier: verifier, scopes: scopes, at: .now)
                        .run(try FileHandle(forReadingFrom: file))
                    #expect(report.refusals == 0, "\(report.refused)")
                }
                #expect(try await other.digest() == digest)
                #expect(try await LedgerRebuild(other, verifier: verifier).run(replacing: false).isIdentical)
                try other.close()
            }
            try await world.startServer()
            #expect(!(try await world.storedCustomerData().contains("person-anna")))
        }
    }

    /// Stops the server, and leaves what an import of an older export leaves that is killed after its first lines.
    private static func killImport(naming customer: String, ownerOf id: String, _ world: World) async throws {
        let (configuration, scope) = (try world.configuration(), try world.appEnvironment().id)
        try await world.stopServer()
        let storage = try SQLiteStorage(path: configuration.storage.path)
        try await storage.beginImport()
        let event = ClaimEvent(at: 1, .join, customer)
        try await storage.add([.claim(.init(subject: .purchase(id, in: scope), event: event))], at: 0)
        #expect(try await Self.isNamed(customer, storage))
        try storage.close()
    }

    private static func isNamed(_ customer: String, _ storage: SQLiteStorage) async throws -> Bool {
        try await storage.pool.read { db in
            try Bool.fetchOne(db, sql: "SELECT 1 FROM claim_events WHERE customer = ?", arguments: [customer]) == true
        }
    }

    private static func isMarked(_ storage: SQLiteStorage) async throws -> Bool {
        try await storage.pool.read { try $0.tableExists("unfinished_import") }
    }

    @Test func `A server that starts after a killed import removes the names of erased customers`() async throws {
        try await Self.run { world in
            let id = try await Self.populate(world)
            _ = try await world.api.send("DELETE", "/v1/customers/person-anna")
            try await Self.killImport(naming: "person-anna", ownerOf: id, world)
            try await world.startServer()
            #expect(!(try await world.storedCustomerData().contains("person-anna")))
            #expect(!(try await Self.isMarked(world.sqlite)))
        }
    }

    /// Only the server did so. Until its next start, the names stayed in the ledger and in its backups.
    @Test func `A command that opens the ledger after a killed import removes the names of erased customers`()
        async throws
    {
        try await Self.run { world in
            let id = try await Self.populate(world)
            _ = try await world.api.send("DELETE", "/v1/customers/person-anna")
            try await Self.killImport(naming: "person-anna", ownerOf: id, world)
            let (configuration, simulator) = (try world.configuration(), world.simulator)
            try await OfflineServer.run(configuration, clock: .showing { simulator.core.now }) { _ in }
            let storage = try SQLiteStorage(path: configuration.storage.path)
            #expect(!(try await Self.isNamed("person-anna", storage)))
            #expect(!(try await Self.isMarked(storage)))
            try storage.close()
        }
    }
}
