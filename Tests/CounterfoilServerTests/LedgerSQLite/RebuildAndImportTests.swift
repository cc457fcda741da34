import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `Rebuild and import of a ledger` {
    /// Calls `body` with a ledger that contains all notifications of a `RandomStoreHistory`, and two claims.
    func withLedger(
        seed: UInt64 = 7, _ body: @Sendable (TestLedger, RandomStoreHistory, URL) async throws -> Void
    ) async throws {
        let history = try await seed == 7 ? RandomStoreHistory.shared.value : RandomStoreHistory.make(seed: seed)
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            var random = SeededGenerator(seed: seed)
            try await ledger.commit(try await ledger.arrivals(of: history).shuffled(using: &random), &random)
            try await ledger.sqlite.addClaims()
            try await body(ledger, history, folder)
        }
    }

    @Test func `Rebuilding an undamaged ledger finds no difference`() async throws {
        for seed in 7...8 as ClosedRange<UInt64> {
            try await withLedger(seed: seed) { ledger, history, folder in
                let report = try await LedgerRebuild(ledger.sqlite, verifier: history.verifier).run(replacing: true)
                #expect(report.isIdentical && !report.isReplaced, "\(report)")
                #expect(report.notifications == history.notifications.count && report.facts > 10)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy {
                        !$0.contains("rebuild")
                    })
            }
        }
    }

    @Test func `A rebuild finds manual changes to facts and corrects them`() async throws {
        try await withLedger { ledger, history, _ in
            let digest = try await ledger.sqlite.digest()
            try await ledger.sqlite.pool.write { db in
                try LineageChanges.make(db, LineageChanges.expireEarly)
                try LineageChanges.make(db, LineageChanges.loseMention)
                var made = LineageRecord("999")
                let fact = TransactionFact(
                    transactionID: "never signed", originalTransactionID: "999", productID: "gold",
                    type: .nonConsumable, purchaseDate: World.start, signedDate: World.start)
                _ = try made.add(fact, .init(id: 0) { _ in true })
                try db.execute(
                    sql: "INSERT INTO lineages (scope, original_id, facts) VALUES (1, '999', ?)",
                    arguments: [PackedLineage.pack(made)])
                try db.execute(sql: "DELETE FROM transactions")
            }
            let rebuild = LedgerRebuild(ledger.sqlite, verifier: history.verifier)
            let check = try await rebuild.run(replacing: false)
            #expect(check.differences == 4 && !check.isReplaced, "\(check)")
            #expect(
                check.differing.contains {
                    $0.hasSuffix("999: transaction never signed is in no signed text")
                })
            #expect(try await ledger.sqlite.digest() != digest)
            #expect(try await rebuild.run(replacing: true).isReplaced)
            #expect(try await ledger.sqlite.digest() == digest)
            #expect(try await rebuild.run(replacing: false).isIdentical)
        }
    }

    @Test func `A ledger without prices has the same digest, and a rebuild adds the prices`() async throws {
        try await withLedger { ledger, history, folder in
            let digest = try await ledger.sqlite.digest()
            let pricedCount = try await Self.countPrices(ledger)
            try #require(pricedCount > 5)
            try await ledger.sqlite.pool.write { db in
                for row in try Row.fetchAll(db, sql: "SELECT id, facts FROM lineages") {
                    let bytes: Data = row["facts"]
                    let record = bytes.withUnsafeBytes { PackedLineage.record("1", token: nil, account: nil, $0) }
                    let former = PackedLineage.pack(try #require(record), version: 1)
                    try db.execute(
                        sql: "UPDATE lineages SET facts = ? WHERE id = ?", arguments: [former, row["id"] as Int64])
                }
            }
            #expect(try await Self.countPrices(ledger) == 0)
            #expect(try await ledger.sqlite.digest() == digest)
            let file = folder.appending(path: "export.jsonl")
            try await ledger.sqlite.export(to: file)
            let other = try await TestLedger(in: folder)
            let report = try await other.importFile(file, verifiedBy: history.verifier)
            #expect(try await report.expectedDigest == other.sqlite.digest())
            #expect(try await Self.countPrices(other) == pricedCount)
            let rebuild = LedgerRebuild(ledger.sqlite, verifier: history.verifier)
            let check = try await rebuild.run(replacing: false)
            #expect(check.differences > 0 && check.refusals == 0 && !check.isReplaced, "\(check)")
            #expect(try await rebuild.run(replacing: true).isReplaced)
            #expect(try await Self.countPrices(ledger) == pricedCount)
            #expect(try await rebuild.run(replacing: false).isIdentical)
            #expect(try await ledger.sqlite.digest() == digest)
        }
    }

    /// Returns the number of transactions with a price.
    private static func countPrices(_ ledger: TestLedger) async throws -> Int {
        try await ledger.sqlite.pool.read { db in
            try Data.fetchAll(db, sql: "SELECT facts FROM lineages").map { bytes in
                let lineage = try #require(bytes.withUnsafeBytes { PackedLineage.lineage("1", $0) })
                return lineage.transactions.count { $0.price != nil && $0.currency != nil }
            }.reduce(0, +)
        }
    }

    @Test func `A rebuild refuses a manually changed text and replaces nothing`() async throws {
        try await withLedger { ledger, history, _ in
            try await ledger.sqlite.damageNotification("id = 1")
            let report = try await LedgerRebuild(ledger.sqlite, verifier: history.verifier).run(replacing: true)
            #expect(report.refusals == 1 && !report.isReplaced)
            #expect(report.refused.first?.hasSuffix("bad_signature") == true, "\(report.refused)")
        }
    }

    @Test func `A rebuild does not remove the facts of a notification that is pending, or failed, again`() async throws
    {
        try await withLedger { ledger, history, _ in
            let storage = ledger.sqlite
            let digest = try await storage.digest()
            let select =
                "SELECT min(id) FROM notifications WHERE type IN ('SUBSCRIBED', 'DID_RENEW', 'ONE_TIME_CHARGE')"
            let known = try await storage.pool.read { try Int64.fetchOne($0, sql: select) }
            let notification = try #require(known)
            let rebuild = LedgerRebuild(storage, verifier: history.verifier)
            func requireNothingReplaced(because reason: String) async throws {
                let report = try await rebuild.run(replacing: true)
                #expect(!report.isReplaced && report.refusals == 1, "\(report)")
                #expect(report.refused.allSatisfy { $0.hasSuffix(": " + reason) })
                let kept = try await storage.digest()
                #expect(kept == digest)
            }
            try await storage.failProcessed(notification, code: "untrusted_root", message: "")
            try await requireNothingReplaced(because: "untrusted_root")
            try await storage.reprocess([notification], at: 0)
            try await requireNothingReplaced(because: "pending")
            try await storage.pool.write { try $0.execute(sql: "DELETE FROM inbox") }
            let later = try await rebuild.run(replacing: false)
            #expect(later.isIdentical, "\(later)")
        }
    }

    @Test func `Importing an export twice gives the same ledger and creates no events`() async throws {
        try await withLedger { ledger, history, folder in
            let file = folder.appending(path: "export.jsonl")
            let exported = try await ledger.sqlite.export(to: file)
            #expect(exported.count.notifications == history.notifications.count && exported.count.claims == 2)
            let other = try await TestLedger(in: folder)
            let ledgerImport = LedgerImport(other.sqlite, verifier: history.verifier, scopes: other.scopes, at: .now)
            for _ in 0..<2 {
                let report = try await ledgerImport.run(try FileHandle(forReadingFrom: file))
                #expect(report.refusals == 0 && report.expectedDigest == exported.digest, "\(report)")
                #expect(try await other.sqlite.digest() == exported.digest)
            }
            let events = try await other.sqlite.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM events") }
            #expect(events == 0)
            let again = folder.appending(path: "again.jsonl")
            try await other.sqlite.export(to: again)
            #expect(try Data(contentsOf: again) == Data(contentsOf: file))
        }
    }

    @Test func `An import refuses forged and malformed lines and has no expected digest if the end is missing`()
        async throws
    {
        try await withLedger { ledger, history, folder in
            let file = folder.appending(path: "export.jsonl")
            try await ledger.sqlite.export(to: file)
            var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { String($0) }
            lines.removeLast()
            lines[1] = lines[1].replacingOccurrences(of: "Production", with: "Sandbox")
            lines[2] = String(lines[2].dropLast(20)) + "AAAAAAAAAAAAAAAAAA\"}"
            lines[3] = "{\"object\":\"notification\"}"
            lines[4] = String(repeating: "[", count: 5000)
            lines[5] = String(repeating: "[", count: 5 << 20)
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            let other = try await TestLedger(in: folder)
            let report = try await other.importFile(file, verifiedBy: history.verifier)
            #expect(report.refusals == 5 && report.expectedDigest == nil)
            #expect(report.refused.map { String($0.prefix(7)) } == (2...6).map { "line \($0):" })
            #expect(report.notifications == history.notifications.count - 5)
        }
    }

    /// Its first line was refused, and all others were imported.
    @Test func `An export of a newer version is refused as a whole`() async throws {
        try await withLedger { ledger, history, folder in
            let file = folder.appending(path: "export.jsonl")
            try await ledger.sqlite.export(to: file)
            let other = try await TestLedger(in: folder)
            let empty = try await other.sqlite.digest()
            let text = try String(contentsOf: file, encoding: .utf8)
            let version = LedgerExport.version
            let newer = text.replacing(#""version":\#(version)}"#, with: #""version":\#(version + 1)}"#)
            try #require(newer != text)
            try Data(newer.utf8).write(to: file)
            let error = await #expect(throws: StorageError.self) {
                try await other.importFile(file, verifiedBy: history.verifier)
            }
            #expect(error?.code == .newer)
            #expect(try await other.sqlite.digest() == empty)
        }
    }

    @Test func `An import limits the instants of a file to the range of dates`() async throws {
        try await withLedger { ledger, history, folder in
            let file = folder.appending(path: "purchases.jsonl")
            let lines = [Int64.max, .min].map {
                #"{"object":"original_purchase","bundle_id":"\#(RandomStoreHistory.bundleID)","#
                    + #""environment":"Production","subject":"\#($0)","kind":"receipt","received_at":\#($0),"#
                    + #""first_purchase":{"application_version":"1.0","signed_date":5}}"#
            }
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            let report = try await ledger.importFile(file, verifiedBy: history.verifier)
            #expect(report.refusals == 0, "\(report.refused)")
            let stored = try await ledger.sqlite.pool.read { db in
                try Int64.fetchAll(db, sql: "SELECT received_at FROM original_purchases ORDER BY received_at")
            }
            #expect(stored == [Date.distantPast.milliseconds, Date.distantFuture.milliseconds])
        }
    }

    @Test func `An import reads few long lines at once`() async throws {
        try await withLedger { ledger, history, folder in
            let file = folder.appending(path: "long.jsonl")
            let line = String(repeating: "x", count: 3 << 20)
            try Data([line, line, line].joined(separator: "\n").utf8).write(to: file)
            let places = Mutex<[Int]>([])
            let report = try await LedgerImport(
                ledger.sqlite, verifier: history.verifier, scopes: ledger.scopes, at: .now
            ).run(try FileHandle(forReadingFrom: file)) { place in places.withLock { $0.append(place) } }
            #expect(report.refusals == 3)
            #expect(places.withLock(\.self) == [2 * (line.utf8.count + 1), 3 * line.utf8.count + 2])
        }
    }
}

extension SQLiteStorage {
    /// Adds a claim on a purchase and a claim on an Apple account.
    fileprivate func addClaims() async throws {
        for claim in [
            Claim(customer: "anna", scope: 1, originalTransactionIDs: ["1"], policy: .transfer, claimedAt: 5),
            Claim(
                customer: "ben", scope: 1, originalTransactionIDs: [], appTransactionID: "a", policy: .transfer,
                claimedAt: 6),
        ] {
            _ = try await self.claim(claim) { _ in false }
        }
        // The claims are on purchases that were never signed. Their events are irrelevant to these tests.
        try await pool.write { try $0.execute(sql: "DELETE FROM events WHERE notification IS NULL") }
    }
}
