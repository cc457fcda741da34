import AppStoreModels
import AppStoreTrust
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `Row ranges of a customer's purchases` {
    private static let anna = "3f2b6c1e-0f5d-4a7b-9c3e-8d1a2b4c5d6e"

    /// Returns the notification of a purchase. `number` gives the order of signing.
    private static func purchase(
        _ original: String, of customer: String?, signed number: Int, in ledger: TestLedger
    ) -> ProcessedNotification {
        let date = World.start + Double(number)
        let fact = TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: World.start, signedDate: date, appAccountToken: customer.flatMap { UUID(uuidString: $0) })
        return ProcessedNotification(
            id: Int64(number), scope: ledger.appEnvironment.id, uuid: "notification \(number)", type: .oneTimeCharge,
            signedDate: date.milliseconds, transaction: fact, renewal: nil, processedAt: 0)
    }

    private static func withLedger(_ body: @Sendable (TestLedger) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in try await body(try await TestLedger(in: folder)) }
    }

    private static func purchases(of customer: String, in ledger: TestLedger) async throws -> [String] {
        try await ledger.sqlite.lineages(of: customer, in: ledger.appEnvironment.id).map(\.originalTransactionID)
    }

    @Test func `Purchases of one account have consecutive rows, however far apart they were bought`() async throws {
        try await Self.withLedger { ledger in
            let others = (0..<20).map { Self.purchase("1\($0)", of: UUID().uuidString, signed: $0 + 100, in: ledger) }
            let annas = (0..<5).map { Self.purchase("9\($0)000", of: Self.anna, signed: $0, in: ledger) }
            for index in 0..<20 {
                let both = [others[index]] + (index % 4 == 0 ? [annas[index / 4]] : [])
                _ = try await ledger.sqlite.commit(received: [], processed: both)
            }
            let select = "SELECT id FROM lineages WHERE original_id LIKE '9%' ORDER BY id"
            let rows = try await ledger.sqlite.pool.read { try Int64.fetchAll($0, sql: select) }
            let first = try #require(rows.first)
            #expect(rows == (0..<5).map { first + $0 })
            #expect(try await Self.purchases(of: Self.anna, in: ledger) == (0..<5).map { "9\($0)000" })
        }
    }

    @Test func `Two accounts that share a row range each have only their own purchases`() async throws {
        // This token was found by trial: its row range is the same as Anna's.
        let ben = "2291d8cd-c310-411e-bec2-73781b2072b6"
        try await Self.withLedger { ledger in
            let processed = [(1, Self.anna), (2, ben), (3, Self.anna)].map {
                Self.purchase("\($0.0)", of: $0.1, signed: $0.0, in: ledger)
            }
            _ = try await ledger.sqlite.commit(received: [], processed: processed)
            let rows = try await ledger.sqlite.pool.read { try Int64.fetchAll($0, sql: "SELECT id FROM lineages") }
            #expect(rows.max().map { $0 - 2 } == rows.min(), "they do not share a row range: \(rows)")
            #expect(try await Self.purchases(of: Self.anna, in: ledger) == ["1", "3"])
            #expect(try await Self.purchases(of: ben, in: ledger) == ["2"])
        }
    }

    @Test(arguments: ["a661c935-187c-47e4-9563-6e9b7089cae7", "a661c935-187c-47e4-9563-6e9b7089cae8"])
    func `The first and the last row range can store purchases`(customer: String) async throws {
        try await Self.withLedger { ledger in
            for number in 1...3 {
                let processed = Self.purchase("\(number)", of: customer, signed: number, in: ledger)
                _ = try await ledger.sqlite.commit(received: [], processed: [processed])
            }
            #expect(try await Self.purchases(of: customer, in: ledger) == ["1", "2", "3"])
            let rows = try await ledger.sqlite.pool.read { try Int64.fetchAll($0, sql: "SELECT id FROM lineages") }
            #expect(rows.contains(customer.hasSuffix("7") ? .max - (1 << 31) + 1 : 0), "\(rows)")
        }
    }

    @Test func `A purchase fails and the failure says what to do if the row range is manually filled`() async throws {
        try await Self.withLedger { ledger in
            let first = Self.purchase("1", of: Self.anna, signed: 1, in: ledger)
            _ = try await ledger.sqlite.commit(received: [], processed: [first])
            try await ledger.sqlite.pool.write { db in
                try db.execute(
                    sql: """
                        UPDATE lineages SET id = id + (1 << 31) - 1;
                        INSERT INTO inbox (id, received_at) VALUES (2, 0);
                        """)
            }
            let second = Self.purchase("2", of: Self.anna, signed: 2, in: ledger)
            _ = try await ledger.sqlite.commit(received: [], processed: [second])
            #expect(try await Self.purchases(of: Self.anna, in: ledger) == ["1"])
            let failed = try await ledger.sqlite.pool.read { db in
                try String.fetchAll(db, sql: "SELECT message FROM failures")
            }
            #expect(failed.count == 1 && failed.allSatisfy { $0.contains("counterfoil ledger rebuild") })
        }
    }

    @Test(arguments: [nil, "11111111-2222-4333-8444-555555555555"])
    func `A purchase moves to another row range when the App Store signs another account token`(before: String?)
        async throws
    {
        try await Self.withLedger { ledger in
            func commit(_ processed: ProcessedNotification) async throws {
                _ = try await ledger.sqlite.commit(received: [], processed: [processed])
            }
            try await commit(Self.purchase("5", of: before, signed: 1, in: ledger))
            try await commit(Self.purchase("6", of: Self.anna, signed: 2, in: ledger))
            #expect(try await Self.purchases(of: Self.anna, in: ledger) == ["6"])
            try await commit(Self.purchase("5", of: Self.anna, signed: 3, in: ledger))
            #expect(try await Self.purchases(of: Self.anna, in: ledger) == ["5", "6"])
            if let before { #expect(try await Self.purchases(of: before, in: ledger).isEmpty) }
            let known = try await ledger.sqlite.lineage("5", in: ledger.appEnvironment.id)
            #expect(known?.appAccountToken?.uuidString.lowercased() == Self.anna)
        }
    }

    @Test func `A manually moved row returns to its range when the purchase changes`() async throws {
        try await Self.withLedger { ledger in
            for number in 1...2 {
                let processed = Self.purchase("5", of: Self.anna, signed: number, in: ledger)
                _ = try await ledger.sqlite.commit(received: [], processed: [processed])
                #expect(try await Self.purchases(of: Self.anna, in: ledger) == ["5"])
                try await ledger.sqlite.pool.write { try $0.execute(sql: "UPDATE lineages SET id = id + (7 << 31)") }
                #expect(try await Self.purchases(of: Self.anna, in: ledger).isEmpty)
            }
        }
    }

    @Test func `A rebuild finds a row outside its customer's range and corrects it`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Self.withLedger { ledger in
            var random = SeededGenerator(seed: 3)
            try await ledger.commit(try await ledger.arrivals(of: history), &random)
            let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
            let select = "SELECT token FROM lineages WHERE token IS NOT NULL AND scope = ? LIMIT 1"
            let bytes = try await storage.pool.read { try Data.fetchOne($0, sql: select, arguments: [scope]) }
            let customer = try #require(bytes).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
            let before = try await storage.lineages(of: customer.uuidString, in: scope)
            #expect(!before.isEmpty)
            try await storage.pool.write { db in
                try db.execute(
                    sql: "UPDATE lineages SET id = id + (7 << 31) WHERE token = ? AND scope = ?",
                    arguments: [bytes, scope])
            }
            #expect(try await storage.lineages(of: customer.uuidString, in: scope).isEmpty)
            let rebuild = LedgerRebuild(storage, verifier: history.verifier)
            let check = try await rebuild.run(replacing: false)
            #expect(check.differences == before.count, "\(check)")
            try #require(!check.differing.isEmpty)
            #expect(check.differing.allSatisfy { $0.hasSuffix("the stored form") })
            #expect(try await rebuild.run(replacing: true).isReplaced)
            #expect(try await storage.lineages(of: customer.uuidString, in: scope) == before)
        }
    }

    @Test func `A ledger with an index of tokens is migrated to row ranges`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            var random = SeededGenerator(seed: 3)
            try await ledger.commit(try await ledger.arrivals(of: history), &random)
            let digest = try await ledger.sqlite.digest()
            let customer = try #require(history.transactions.compactMap(\.payload.appAccountToken).first).uuidString
            let before = try await ledger.sqlite.lineages(of: customer, in: ledger.appEnvironment.id)
            #expect(!before.isEmpty)
            try await ledger.sqlite.pool.write { db in
                let rows = try Int64.fetchAll(db, sql: "SELECT id FROM lineages ORDER BY original_id")
                for (number, row) in rows.enumerated() {
                    try db.execute(
                        sql: "UPDATE lineages SET id = ? WHERE id = ?", arguments: [number - rows.count, row])
                }
                try db.execute(
                    sql: """
                        UPDATE lineages SET id = id + (SELECT count(*) FROM lineages) + 1;
                        CREATE INDEX lineages_by_token ON lineages (scope, token) WHERE token IS NOT NULL;
                        DELETE FROM grdb_migrations WHERE identifier = '2';
                        """)
                #expect(try Int64.fetchAll(db, sql: "SELECT id FROM lineages ORDER BY id").last == Int64(rows.count))
            }
            // A reader does not migrate. That is the task of the server, which may still be running the older version.
            var reading = SQLiteStorage.Options()
            reading.isOnlyWriter = false
            let error = #expect(throws: StorageError.self) {
                try SQLiteStorage(path: ledger.sqlite.path, options: reading)
            }
            #expect(error?.code == .older && error?.message.contains("start the server") == true)
            try ledger.sqlite.close()

            let storage = try await TestLedger(in: folder, name: "ledger.sqlite").sqlite
            #expect(try await storage.lineages(of: customer, in: ledger.appEnvironment.id) == before)
            #expect(try await storage.digest() == digest)
            #expect(try await LedgerRebuild(storage, verifier: history.verifier).run(replacing: false).isIdentical)
            #expect(
                try await storage.pool.read { try !$0.indexes(on: "lineages").contains { $0.name.hasSuffix("token") } })
            try storage.close()
        }
    }
}
