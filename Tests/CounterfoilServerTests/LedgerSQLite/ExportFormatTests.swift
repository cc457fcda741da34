import Foundation
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `The format of an export` {
    @Test func `The documentation lists every object of an export with its members`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            var random = SeededGenerator(seed: 7)
            try await ledger.commit(try await ledger.arrivals(of: history), &random)
            let file = folder.appending(path: "export.jsonl")
            try Data(Self.otherLines.joined(separator: "\n").utf8).write(to: file)
            let report = try await ledger.importFile(file, verifiedBy: history.verifier)
            try #require(report.refusals == 0, "\(report.refused)")
            try await ledger.sqlite.export(to: file)
            var members = try Self.members(of: file)
            // The original purchase and the statements in this export are from receipts, which have no signed text.
            for name in ["original_purchase", "statement"] { members[name, default: []].insert("signed_text") }
            let documented = try Self.documentedMembers()
            #expect(members == documented)
        }
    }

    /// The lines of all objects that a `RandomStoreHistory` does not contain.
    private static let otherLines = #"""
        "object":"claim","original_transaction_id":"1","customer":"anna","kind":"take","claimed_at":5
        "object":"account_claim","app_transaction_id":"a","customer":"anna","kind":"take","claimed_at":5
        "object":"erasure","digest":"0000000000000000000000000000000000000000000000000000000000000000","at":5
        "object":"original_purchase","subject":"a","kind":"receipt","received_at":5,\#
        "first_purchase":{"application_version":"1.0","signed_date":5}
        "object":"grant_event","grant":"g","kind":"create","at":5,"customer":"anna","entitlement":"premium",\#
        "until":9,"reason":"r","actor":"a"
        "object":"grant_event","grant":"g","kind":"revoke","at":6,"reason":"r","actor":"a"
        """#.split(separator: "\n").map {
            #"{\#($0),"bundle_id":"\#(RandomStoreHistory.bundleID)","environment":"Production"}"#
        }

    /// Returns the members of each object in an export, but not those that all objects have.
    private static func members(of file: URL) throws -> [String: Set<String>] {
        var members: [String: Set<String>] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let name = try #require(object["object"] as? String)
            members[name, default: []].formUnion(object.keys)
            members[name]?.subtract(["object", "bundle_id", "environment"])
        }
        return members
    }

    /// Returns the members of each object in the documentation's table.
    private static func documentedMembers() throws -> [String: Set<String>] {
        let page = Fixtures.package.appending(path: "docs/operations-backup.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .drop { $0 != "| `object` | members | contents |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        var members: [String: Set<String>] = [:]
        for row in rows {
            let cells = row.split(separator: "|").prefix(2).map { cell in
                cell.matches(of: /`([a-z_]+)`/).map { String($0.output.1) }
            }
            let name = try #require(cells.first?.first)
            members[name] = Set(try #require(cells.last))
        }
        return members
    }
}
