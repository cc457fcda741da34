import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite
@testable import LedgerServices

/// Opens a ledger that an older version wrote (`Scripts/make-old-ledger`), migrates it, and compares its answers with
/// the recorded answers of that version: the last one before migration 9, which combined two tables into one.
@Suite struct `A ledger of an older version` {
    private static let fixtures = Fixtures.package.appending(path: "Tests/Fixtures/old-ledger")

    /// Calls `body` with the path of a copy of the old ledger.
    private static func withLedger(_ body: (String) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let packed = folder.appending(path: "ledger.sqlite.xz")
            try FileManager.default.copyItem(at: fixtures.appending(path: "ledger.sqlite.xz"), to: packed)
            let outcome = try await Tool.run("xz", ["--decompress", packed.path])
            try #require(outcome.status == 0, "\(outcome.text)")
            try await body(folder.appending(path: "ledger.sqlite").path)
        }
    }

    @Test func `A migrated ledger gives the recorded answer for every customer`() async throws {
        let lines = try String(contentsOf: Self.fixtures.appending(path: "answers.jsonl"), encoding: .utf8)
            .split(separator: "\n")
        try #require(lines.count == 7)
        let loaded = try LoadedConfiguration(
            yaml: String(contentsOf: Self.fixtures.appending(path: "apps.yaml"), encoding: .utf8), folder: "/",
            environment: [:], files: .init { _, _ throws(ConfigurationFiles.Unreadable) in throw .init("none") })
        let catalogue = try #require(loaded.configuration.apps.first?.catalogue)
        try await Self.withLedger { path in
            try await World.run(server: { configuration in
                configuration.apps[0].catalogue = catalogue
                configuration.keys = [World.backend]
                configuration.storage.path = path
            }) { world in
                for line in lines {
                    let recorded = APIResponse(status: 200, body: Data(line.utf8))
                    let customer = try #require(recorded.text("id"))
                    let instant = try #require(recorded.number("as_of"))
                    let answer = try await world.call(.GET, "/v1/customers/\(customer)?at=\(instant)")
                    #expect(answer.status == 200)
                    try Self.expectSame(
                        JSONSerialization.jsonObject(with: answer.body),
                        JSONSerialization.jsonObject(with: recorded.body),
                        customer)
                }
            }
        }
    }

    /// A long migration looked like a server that does not start.
    @Test func `The log says when a migration begins and ends, and nothing at the next start`() async throws {
        let lines = LogCapture()
        try await Self.withLedger { path in
            try await World.run(server: { $0.storage.path = path }, logger: lines.logger(.init())) { world in
                try await world.stopServer()
                try await world.startServer()
            }
        }
        let logged = lines.text.split(separator: "\n").filter { $0.contains("migrated") }
        try #require(logged.count == 2, "\(lines.text)")
        #expect(logged[0].contains("is being migrated") && logged[1].contains("the ledger is migrated"))
        #expect(logged.allSatisfy { $0.contains(" from=8 to=") }, "\(logged)")
    }

    @Test func `Creating a ledger is not logged as a migration`() async throws {
        let lines = LogCapture()
        try await World.run(logger: lines.logger(.init())) { _ in }
        #expect(!lines.text.contains("migrated"), "\(lines.text)")
    }

    /// It migrated the ledger, and the older version refused it from then on.
    @Test func `rebuild --check refuses it and leaves it to the older version`() async throws {
        try await Self.withLedger { path in
            func versions() throws -> [String] {
                let queue = try DatabaseQueue(path: path)
                defer { try? queue.close() }
                return try queue.read { try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations") }
            }
            let config = URL(filePath: path).deletingLastPathComponent().appending(path: "counterfoil.yaml")
            let app = "apps:\n  - bundle_id: com.example.app\n    apple_id: 1234567890\n"
            try Data("\(app)storage: {path: ledger.sqlite}\n".utf8).write(to: config)
            let before = try versions()
            let outcome = try await ServerProcess.run(["ledger", "rebuild", "--check", "--config", config.path])
            #expect(outcome.status == 1 && outcome.errors.contains("storage_older"), "\(outcome.errors)")
            let after = try versions()
            #expect(after == before && before.count < 19, "\(after)")
        }
    }

    /// Members that have been renamed since: old name to new name.
    private static let renamed = ["ended_date": "ended_at", "end_date": "ends_at"]
    /// Members that were added since, and those about unverified texts: this test's simulator has another root than the
    /// one that signed the old ledger.
    private static let added: Set<String> = ["app_account_token", "status_name", "unverified"]

    /// Expects `value` to equal `known`, apart from the renamed and added members.
    private static func expectSame(_ value: Any?, _ known: Any?, _ path: String) {
        switch (value, known) {
        case (let value as [String: Any], let known as [String: Any]):
            let names = Dictionary(uniqueKeysWithValues: known.keys.map { (renamed[$0] ?? $0, $0) })
            #expect(Set(value.keys).subtracting(added) == Set(names.keys), "\(path)")
            for (name, old) in names { expectSame(value[name], known[old], "\(path).\(name)") }
        case (let value as [Any], let known as [Any]):
            #expect(value.count == known.count, "\(path)")
            for (index, pair) in zip(value, known).enumerated() { expectSame(pair.0, pair.1, "\(path).\(index)") }
        default: #expect("\(value as Any)" == "\(known as Any)", "\(path)")
        }
    }

    /// Internal data of the old ledger that its answers do not contain.
    private struct Facts: Decodable {
        /// The revision up to which the history of an Apple account was read, by the transaction ID of the request.
        var histories: [String: String]
    }

    @Test func `Records of the first format are decoded and encoded without change`() async throws {
        try await Self.withLedger { path in
            let storage = try SQLiteStorage(path: path)
            defer { try? storage.close() }
            let records = try await storage.pool.read { try Data.fetchAll($0, sql: "SELECT facts FROM lineages") }
            try #require(records.count > 5)
            for bytes in records {
                let record = bytes.withUnsafeBytes { PackedLineage.record("1", token: nil, account: nil, $0) }
                #expect(try PackedLineage.pack(#require(record), version: 1) == bytes)
            }
        }
    }

    @Test func `A migration keeps the revisions of histories, the notifications and the subscription states`()
        async throws
    {
        try await Self.withLedger { path in
            let storage = try SQLiteStorage(path: path)
            defer { try? storage.close() }
            let facts = try JSONDecoder().decode(
                Facts.self, from: Data(contentsOf: Self.fixtures.appending(path: "facts.json")))
            try #require(!facts.histories.isEmpty)
            for (transaction, revision) in facts.histories {
                #expect(try await storage.historyMark(of: [transaction], in: 1)?.revision == revision)
            }
            let page = try await storage.notifications(InboxFilter(scopes: [1]), before: .max, limit: 100)
            #expect(page.items.count > 10)
            #expect(page.items.allSatisfy { $0.state == .processed })
            // The payment of one customer, Ben, fails.
            let now: Milliseconds = 1_773_300_000_000
            let inGrace = try await storage.count(of: .inGrace, in: 1, at: now, limit: 10)
            #expect(try await storage.count(of: .inBillingRetry, in: 1, at: now, limit: 10) + inGrace == 1)
        }
    }
}
