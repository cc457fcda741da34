import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices
@testable import LedgerSQLite

/// A ledger that an older version wrote (`Scripts/make-old-ledger`) is opened, brought to the present form, and says of
/// every customer what that version said. It was the last version before migration 9, which made one table of two.
@Suite struct `A ledger of an older version` {
    private static let fixtures = Fixtures.package.appending(path: "Tests/Fixtures/old-ledger")

    /// Calls `body` with the path of a copy.
    private static func withLedger(_ body: (String) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let packed = folder.appending(path: "ledger.sqlite.xz")
            try FileManager.default.copyItem(at: fixtures.appending(path: "ledger.sqlite.xz"), to: packed)
            let outcome = try await Tool.run("xz", ["--decompress", packed.path])
            try #require(outcome.status == 0, "\(outcome.text)")
            try await body(folder.appending(path: "ledger.sqlite").path)
        }
    }

    @Test func `answers the same for every customer`() async throws {
        let lines = try String(contentsOf: Self.fixtures.appending(path: "answers.jsonl"), encoding: .utf8)
            .split(separator: "\n")
        try #require(lines.count == 7)
        let sold = try LoadedConfiguration(
            yaml: String(contentsOf: Self.fixtures.appending(path: "apps.yaml"), encoding: .utf8), folder: "/",
            environment: [:], files: .init { _, _ throws(ConfigurationFiles.Unreadable) in throw .init("none") })
        let catalogue = try #require(sold.configuration.apps.first?.catalogue)
        try await Self.withLedger { path in
            try await World.run(server: { configuration in
                configuration.apps[0].catalogue = catalogue
                configuration.keys = [World.backend]
                configuration.storage.path = path
            }) { world in
                for line in lines {
                    let known = APIAnswer(status: 200, body: Data(line.utf8))
                    let customer = try #require(known.text("id"))
                    let instant = try #require(known.number("as_of"))
                    let answer = try await world.call(.GET, "/v1/customers/\(customer)?at=\(instant)")
                    #expect(answer.status == 200)
                    try Self.expectSame(
                        JSONSerialization.jsonObject(with: answer.body), JSONSerialization.jsonObject(with: known.body),
                        customer)
                }
            }
        }
    }

    /// Members that have another name since, by the old one.
    private static let renamed = ["ended_date": "ended_at", "end_date": "ends_at"]
    /// Members that answers did not have then; and those about texts that are not verified: the store that signed them is
    /// another one than this world's.
    private static let added: Set<String> = ["app_account_token", "status_name", "unverified"]

    /// Nothing has changed, is missing or is new but what is listed above.
    private static func expectSame(_ value: Any?, _ known: Any?, _ place: String) {
        switch (value, known) {
        case (let value as [String: Any], let known as [String: Any]):
            let names = Dictionary(uniqueKeysWithValues: known.keys.map { (renamed[$0] ?? $0, $0) })
            #expect(Set(value.keys).subtracting(added) == Set(names.keys), "\(place)")
            for (name, old) in names { expectSame(value[name], known[old], "\(place).\(name)") }
        case (let value as [Any], let known as [Any]):
            #expect(value.count == known.count, "\(place)")
            for (index, pair) in zip(value, known).enumerated() { expectSame(pair.0, pair.1, "\(place).\(index)") }
        default: #expect("\(value as Any)" == "\(known as Any)", "\(place)")
        }
    }

    /// What the older version had written down beside its answers.
    private struct Facts: Decodable {
        /// Up to where the histories of Apple accounts were read, by the transactions that they were asked for with.
        var histories: [String: String]
    }

    @Test func `has records of the first form, which are written as they were`() async throws {
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

    @Test func `keeps every fact, and what was put into other tables`() async throws {
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
            #expect(page.items.allSatisfy { $0.state == .folded })
            // Ben's payment fails.
            let now: Milliseconds = 1_773_300_000_000
            let inGrace = try await storage.count(of: .inGrace, in: 1, at: now, limit: 10)
            #expect(try await storage.count(of: .inBillingRetry, in: 1, at: now, limit: 10) + inGrace == 1)
        }
    }
}
