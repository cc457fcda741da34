import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `The index of segments` {
    private static func withLedger(
        _ body: @Sendable (TestLedger, RandomStoreHistory, URL) async throws -> Void
    ) async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            var random = SeededGenerator(seed: 7)
            try await ledger.commit(try await ledger.arrivals(of: history).shuffled(using: &random), &random)
            try await body(ledger, history, folder)
        }
    }

    private static func rows(_ storage: SQLiteStorage) async throws -> [String] {
        try await storage.pool.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM segments ORDER BY scope, original_id, segment, begins")
                .map { "\($0)" }
        }
    }

    /// Returns the rows that link a purchase to the purchase that it continues.
    private static func successions(_ storage: SQLiteStorage) async throws -> [String] {
        try await storage.pool.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM successions ORDER BY scope, previous_id, original_id")
                .map { "\($0)" }
        }
    }

    @Test func `The segment index does not depend on the order of the facts`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            var found: Set<[String]> = []
            for seed in 1...3 as ClosedRange<UInt64> {
                let ledger = try await TestLedger(in: folder)
                var random = SeededGenerator(seed: seed)
                try await ledger.commit(try await ledger.arrivals(of: history).shuffled(using: &random), &random)
                found.insert(try await Self.rows(ledger.sqlite))
            }
            #expect(found.count == 1)
            let rows = try #require(found.first)
            #expect(rows.count > 5)
        }
    }

    @Test func `Opening an older ledger fills the segment index`() async throws {
        try await Self.withLedger { ledger, history, folder in
            let before = try await Self.rows(ledger.sqlite)
            try await ledger.sqlite.pool.write { db in
                try db.execute(
                    sql: """
                        DROP TABLE segments; DROP TABLE successions;
                        DELETE FROM grdb_migrations WHERE identifier = '10';
                        """)
            }
            try ledger.sqlite.close()
            let storage = try await TestLedger(in: folder, name: "ledger.sqlite").sqlite
            #expect(try await Self.rows(storage) == before)
            #expect(try await LedgerRebuild(storage, verifier: history.verifier).run(replacing: false).isIdentical)
            try storage.close()
        }
    }

    @Test(arguments: [
        "UPDATE segments SET ends = 5 WHERE segment = (SELECT min(segment) FROM segments)",
        "INSERT INTO successions VALUES (1, 'one', 'another')",
    ])
    func `A rebuild corrects the segment index`(_ change: String) async throws {
        try await Self.withLedger { ledger, history, _ in
            let before = try await (Self.rows(ledger.sqlite), Self.successions(ledger.sqlite))
            try await ledger.sqlite.pool.write { try $0.execute(sql: change) }
            let rebuild = LedgerRebuild(ledger.sqlite, verifier: history.verifier)
            let check = try await rebuild.run(replacing: false)
            #expect(check.differing == ["the index of segments"])
            #expect(try await rebuild.run(replacing: true).isReplaced)
            #expect(try await Self.rows(ledger.sqlite) == before.0)
            #expect(try await Self.successions(ledger.sqlite) == before.1)
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func `A link to the previous purchase is removed if only an older version of the transaction names it`(
        _ order: [Int]
    ) async throws {
        let date = World.start
        let versions = ["1", nil].enumerated().map { number, previous in
            TransactionFact(
                transactionID: "2", originalTransactionID: "2", productID: "p", type: .autoRenewableSubscription,
                purchaseDate: date, expiresDate: date + 86_400, signedDate: date + Double(number),
                previousOriginalTransactionID: previous)
        }
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let (scope, headers) = (ledger.appEnvironment.id, ledger.sqlite.headers)
            try await ledger.sqlite.pool.write { db in
                for number in order {
                    _ = try FactProcessor.add(
                        .transaction(versions[number]), in: scope,
                        LineageRecord.Source(
                            signedFact: Int64(number + 1), text: "\(number)", kind: .transaction, headers, db), db)
                    if order == [0, 1], number == 0 {
                        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM successions") == 1)
                    }
                }
            }
            #expect(try await Self.successions(ledger.sqlite) == [])
        }
    }

    @Test func `A page of a segment and its count are read from a covering index without sorting`() async throws {
        try await Self.withLedger { ledger, _, _ in
            for (sql, count) in [(SQLiteStorage.segmentPage, 6), (SQLiteStorage.segmentCount, 5)] {
                let plan = try await ledger.sqlite.pool.read { db in
                    try Row.fetchAll(
                        db, sql: "EXPLAIN QUERY PLAN " + sql,
                        arguments: StatementArguments(Array(repeating: 1, count: count))
                    ).compactMap { $0["detail"] as String? }
                }
                let search = plan.filter { $0.contains("segments") }
                #expect(search.count == 1, "\(plan)")
                #expect(
                    search.allSatisfy {
                        $0.hasPrefix(
                            "SEARCH segments USING COVERING INDEX segments_by_place (scope=? AND segment=? AND ")
                    }, "\(plan)")
                #expect(!plan.contains { $0.contains("B-TREE") }, "\(plan)")
            }
        }
    }

    @Test func `A subscription that continues under another original transaction ID has no segment, in any order`()
        async throws
    {
        let date = World.start
        let old = TransactionFact(
            transactionID: "1", originalTransactionID: "1", productID: "p", type: .autoRenewableSubscription,
            purchaseDate: date, expiresDate: date + 86_400 * 30, signedDate: date)
        let renewal = RenewalFact(
            originalTransactionID: "1", productID: "p", autoRenewProductID: "p", willRenew: false, signedDate: date)
        let new = TransactionFact(
            transactionID: "2", originalTransactionID: "2", productID: "p", type: .autoRenewableSubscription,
            purchaseDate: date + 60, expiresDate: date + 86_400 * 30, signedDate: date + 60,
            previousOriginalTransactionID: "1")
        try await Tool.inTemporaryFolder { folder in
            for order in [[0, 1, 2], [2, 1, 0], [0, 2, 1]] {
                let ledger = try await TestLedger(in: folder)
                let facts: [SignedFact.Fact] = [.transaction(old), .renewal(renewal), .transaction(new)]
                let (scope, headers) = (ledger.appEnvironment.id, ledger.sqlite.headers)
                try await ledger.sqlite.pool.write { db in
                    for (number, index) in order.enumerated() {
                        _ = try FactProcessor.add(
                            facts[index], in: scope,
                            LineageRecord.Source(
                                signedFact: Int64(number + 1), text: "\(number)", kind: .transaction, headers, db),
                            db)
                        if order == [0, 1, 2], number == 1 {
                            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM segments") == 1)
                        }
                    }
                }
                #expect(try await Self.rows(ledger.sqlite) == [], "\(order)")
            }
        }
    }
}
