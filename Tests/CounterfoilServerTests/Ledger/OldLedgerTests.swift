import CounterfoilServer
import Entitlements
import Foundation
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices
@testable import LedgerSQLite

/// A ledger that an older version wrote (`Scripts/make-old-ledger`) is opened, brought to the present form, and says of
/// every customer what that version said.
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
        try #require(lines.count == 6)
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
                    for list in ["entitlements", "subscriptions", "purchases", "consumables"] {
                        Self.expectSame(answer[list], known[list], "\(customer) \(list)")
                    }
                    for index in 0..<(known.count("entitlements") ?? 0) {
                        // Whatever else an answer is called one day, this is what it is for.
                        #expect(answer.flag("entitlements.\(index).is_active") != nil)
                    }
                }
            }
        }
    }

    /// What both know is the same; what one of them does not have was named later, or is named no more.
    private static func expectSame(_ value: Any?, _ known: Any?, _ place: String) {
        switch (value, known) {
        case (let value as [String: Any], let known as [String: Any]):
            for (name, part) in known where value[name] != nil { expectSame(value[name], part, "\(place).\(name)") }
        case (let value as [Any], let known as [Any]):
            #expect(value.count == known.count, "\(place)")
            for (index, pair) in zip(value, known).enumerated() { expectSame(pair.0, pair.1, "\(place).\(index)") }
        default: #expect("\(value as Any)" == "\(known as Any)", "\(place)")
        }
    }

    @Test func `keeps every fact, and what was put into other tables`() async throws {
        try await Self.withLedger { path in
            let storage = try SQLiteStorage(path: path)
            defer { try? storage.close() }
            #expect(try await storage.historyMark(of: ["one"], in: 1)?.revision == "revision of one")
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
