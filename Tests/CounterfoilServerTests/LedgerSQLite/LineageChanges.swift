import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import Testing

@testable import Ledger
@testable import LedgerSQLite

/// Manual changes to the facts of purchases in the ledger's file.
enum LineageChanges {
    /// Changes the facts, the sources or the mentions of a record. Returns false if there is nothing to change.
    typealias Change = (inout Parts) -> Bool

    struct Parts {
        var lineage: Lineage
        var sources: [Int64]
        var renewalSource: Int64?
        var mentions: [LineageRecord.Mention]
    }

    /// Changes the first record that `change` accepts.
    static func make(_ db: Database, _ change: Change) throws {
        for row in try Row.fetchAll(db, sql: "SELECT id, original_id, facts FROM lineages ORDER BY id") {
            let bytes: Data = row["facts"]
            let record = try #require(
                bytes.withUnsafeBytes { PackedLineage.record(row["original_id"], token: nil, account: nil, $0) })
            var parts = Parts(
                lineage: record.lineage, sources: record.sources, renewalSource: record.renewalSource,
                mentions: record.mentions)
            guard change(&parts) else { continue }
            let changed = try #require(
                LineageRecord(
                    parts.lineage, sources: parts.sources, renewalSource: parts.renewalSource, mentions: parts.mentions)
            )
            try db.execute(
                sql: "UPDATE lineages SET facts = ? WHERE id = ?",
                arguments: [PackedLineage.pack(changed), row["id"] as Int64])
            return
        }
        Issue.record("no record accepts the change")
    }

    static func expireEarly(_ parts: inout Parts) -> Bool {
        guard let index = parts.lineage.transactions.firstIndex(where: { $0.expiresDate != nil }) else { return false }
        parts.lineage.transactions[index].expiresDate = Date(timeIntervalSince1970: 1)
        return true
    }

    static func loseSource(_ parts: inout Parts) -> Bool {
        guard !parts.sources.isEmpty else { return false }
        parts.sources[0] = 0
        return true
    }

    static func loseMention(_ parts: inout Parts) -> Bool { parts.mentions.popLast() != nil }
}
