import CounterfoilServer
import Foundation
import GRDB
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerSQLite

extension `Granted entitlements` {
    @Test func `Grants survive an export and an import without new events`() async throws {
        try await World.withAPI { world in
            _ = try await Self.grant(world)
            let id = try await Self.grant(world)
            _ = try await world.api.post("\(Self.path)/\(id)/revoke", ["reason": "r", "actor": "a"])
            let answers = try await [world.api.get("/v1/customers/anna").text, world.api.get(Self.path).text]
            let storage = try world.sqlite
            let file = world.folder.appending(path: "export.jsonl")
            let digest = try await storage.export(to: file).digest
            let configuration = try world.configuration()
            try await world.stopServer()
            try FileManager.default.removeItem(atPath: configuration.storage.path)
            let other = try SQLiteStorage(path: configuration.storage.path)
            let scopes = try await other.scopes(of: configuration.environments)
            let report = try await LedgerImport(
                other, verifier: try LedgerMaintenance.verifier(configuration), scopes: scopes, at: .now
            ).run(try FileHandle(forReadingFrom: file))
            #expect(report.refusals == 0 && report.expectedDigest == digest)
            #expect(try await other.digest() == digest)
            try await other.pool.write { try $0.execute(sql: "DELETE FROM grants") }
            let rebuild = LedgerRebuild(other, verifier: try LedgerMaintenance.verifier(configuration))
            #expect(try await rebuild.run(replacing: true).differences == 2)
            try other.close()
            try await world.startServer()
            #expect(try await [world.api.get("/v1/customers/anna").text, world.api.get(Self.path).text] == answers)
            #expect(try await world.eventTypes().isEmpty)
        }
    }
}
