import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import MemoryLedger
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `Stored claims` {
    static let token = "3f2b6c1e-0f5d-4a7b-9c3e-8d1a2b4c5d6e"

    static func withLedger(_ body: @Sendable (TestLedger, URL) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in try await body(try await TestLedger(in: folder), folder) }
    }

    static func claim(
        _ customer: String, _ originals: [String], at instant: Milliseconds, account: String? = nil,
        policy: ServerConfiguration.RestorePolicy = .transfer, in ledger: TestLedger
    ) async throws {
        let claim = Claim(
            customer: customer, scope: ledger.appEnvironment.id, originalTransactionIDs: originals,
            appTransactionID: account,
            policy: policy, overridesNamedAccount: true, claimedAt: instant)
        _ = try await ledger.sqlite.claim(claim) { _ in false }
    }

    /// Stores a signed purchase with the app account token and the Apple account.
    static func buy(
        _ original: String, named token: String? = nil, account: String? = nil, on date: Date = World.start,
        in ledger: TestLedger
    ) async throws {
        let fact = TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: date, signedDate: World.start, appAccountToken: token.flatMap { UUID(uuidString: $0) },
            appTransactionID: account)
        let processed = ProcessedNotification(
            id: Int64(original) ?? 1, scope: ledger.appEnvironment.id, uuid: "notification \(original)",
            type: .oneTimeCharge,
            signedDate: World.start.milliseconds, transaction: fact, renewal: nil, processedAt: 0)
        _ = try await ledger.sqlite.commit(received: [], processed: [processed])
    }

    static func owners(_ original: String, in ledger: TestLedger) async throws -> [String] {
        try await ledger.sqlite.owners(of: original, in: ledger.appEnvironment.id)
    }

    /// Returns the customers among `customers` who own the purchase at `instant`.
    static func owners(
        _ original: String, at instant: Milliseconds, among customers: [String], in ledger: TestLedger
    ) async throws -> [String] {
        var owners: [String] = []
        for customer in customers {
            let held = try await ledger.sqlite.purchases(ownedBy: customer, in: ledger.appEnvironment.id)
            let purchase = held.first { $0.lineage.originalTransactionID == original }
            if purchase?.ownership.owners(at: instant).contains(customer) == true { owners.append(customer) }
        }
        return owners
    }

    @Test func `Erasures of 250 customers are applied in three commits and affect no other customer`() async throws {
        try await Self.withLedger { ledger, _ in
            let (storage, appEnvironment) = (ledger.sqlite, ledger.appEnvironment)
            let erased = (0..<250).map { "customer \($0)" }
            for name in erased + ["anna"] { try await Self.claim(name, [name], at: 5, in: ledger) }
            try await storage.add(
                erased.map {
                    .erasure(
                        Erasure(digest: Erasure.digest(of: $0, in: appEnvironment.bundleID), at: 9),
                        scope: appEnvironment.id)
                }, at: 9)
            var before = storage.commits
            try await storage.applyErasures(in: [appEnvironment.id])
            #expect(storage.commits - before == 3)
            for name in erased {
                let owners = try await Self.owners(name, in: ledger)
                #expect(owners.isEmpty, "\(owners)")
            }
            #expect(try await Self.owners("anna", in: ledger) == ["anna"])
            before = storage.commits
            try await storage.applyErasures(in: [appEnvironment.id])
            #expect(storage.commits == before)
        }
    }

    @Test func `Opening a ledger without claim history creates the history from claims and events`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            for original in 1...5 {
                let date = Date(milliseconds: 1)
                try await Self.buy("\(original)", account: "a\(original)", on: date, in: ledger)
            }
            let customers = ["anna", "ben", "cleo"]
            try await ledger.sqlite.pool.write { db in
                // The tables as the previous version left them.
                try db.execute(
                    sql: """
                        DROP TABLE claim_events;
                        DELETE FROM grdb_migrations WHERE identifier = '3';
                        DELETE FROM events WHERE notification IS NULL;
                        INSERT INTO claims VALUES (1, '1', 'ben', 9), (1, '2', 'anna', 5), (1, '2', 'ben', 7),
                            (1, '3', 'anna', 5), (1, '3', 'ben', 9);
                        INSERT INTO account_claims VALUES (1, 'a4', 'ben', 9), (1, 'a5', 'anna', 5);
                        """)
                let recorded: [(String, String, String, Int)] = [
                    ("linked", "1", "anna", 5), ("transferred", "1", "ben", 9),
                    // Both customers owned the purchase when an older export was imported.
                    ("linked", "3", "anna", 5), ("transferred", "3", "ben", 9),
                    ("linked", "4", "anna", 5), ("transferred", "4", "ben", 9), ("linked", "5", "anna", 5),
                ]
                for (number, event) in recorded.enumerated() {
                    try db.execute(
                        sql: """
                            INSERT INTO events (id, scope, type, original_id, customer, occurred_at, created_at)
                            VALUES (?, 1, ?, ?, ?, ?, 0)
                            """, arguments: ["evt_\(number)", "purchase.\(event.0)", event.1, event.2, event.3])
                }
            }
            try ledger.sqlite.close()
            let present = try await TestLedger(in: folder, name: "ledger.sqlite")
            func owners(_ original: String, _ instant: Milliseconds) async throws -> [String] {
                try await Self.owners(original, at: instant, among: customers, in: present)
            }
            #expect(try await Self.owners("1", in: present) == ["ben"])
            #expect(try await owners("1", 5) == ["anna"])
            #expect(try await owners("1", 9) == ["ben"])
            #expect(try await Self.owners("2", in: present) == ["anna", "ben"])
            #expect(try await owners("2", 6) == ["anna"])
            #expect(try await owners("2", 7) == ["anna", "ben"])
            #expect(try await Self.owners("3", in: present) == ["ben"])
            #expect(try await owners("4", 8) == ["anna"])
            #expect(try await owners("4", 9) == ["ben"])
            #expect(try await Self.owners("4", in: present) == ["ben"])
            #expect(try await owners("5", 8) == ["anna"])
            #expect(try await Self.owners("5", in: present) == ["anna"])
            try present.sqlite.close()
        }
    }

    /// Stores 500 purchases with events. The first had another account token when its event was created.
    private static func buyAndReplaceToken(in ledger: TestLedger) async throws {
        let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
        let received = (1...500).map { number in
            ReceivedNotification(
                scope: scope, uuid: "notification \(number)", type: "ONE_TIME_CHARGE",
                signedDate: World.start.milliseconds, receivedAt: 0, origin: .delivered, text: "text \(number)")
        }
        let stored = try await storage.commit(received: received, processed: [])
        try #require(stored.map(\.id) == Array(1...500))
        for number in 1...500 { try await buy("\(number)", named: number == 1 ? token : nil, in: ledger) }
        let fact = TransactionFact(
            transactionID: "1", originalTransactionID: "1", productID: "gold", type: .nonConsumable,
            purchaseDate: World.start, signedDate: World.start + 60, appAccountToken: UUID())
        let signedFact = SignedFact(
            scope: scope, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "with another token")
        let changed = try await storage.commit([signedFact])
        try #require(changed == 1)
    }

    @Test(arguments: [false, true])
    func `An erasure finds events by a former account token, and reads all events only of an older ledger`(
        _ isOlder: Bool
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            var ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            try await Self.buyAndReplaceToken(in: ledger)
            if isOlder {
                try await ledger.sqlite.pool.write { db in
                    try db.execute(
                        sql: """
                            DROP TABLE former_owners;
                            DROP TABLE former_owners_begin;
                            DELETE FROM grdb_migrations WHERE identifier = '20';
                            """)
                }
                try ledger.sqlite.close()
                ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            }
            let (storage, appEnvironment) = (ledger.sqlite, ledger.appEnvironment)
            let scope = appEnvironment.id
            let steps = try await storage.pool.read { db in
                try Steps.count(db) { _ = try ErasureTable.originals(naming: [Self.token], in: scope, db) }
            }
            #expect((steps > 1000) == isOlder, "\(steps)")
            func names() async throws -> [String] {
                try await storage.pool.read {
                    try String.fetchAll($0, sql: "SELECT customer FROM events WHERE notification = 1")
                }
            }
            let before = try await names()
            try #require(before == [Self.token])
            _ = try await storage.erase(Self.token, in: appEnvironment, at: World.start.milliseconds + 90_000)
            let after = try await names()
            #expect(after == [Erasure.standIn(for: Self.token, in: appEnvironment.bundleID)])
            let former = try await storage.pool.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM former_owners")
            }
            #expect(former == 0)
            try storage.close()
        }
    }

    /// Events name the owner of a purchase according to the record of their time, which a rebuild may correct.
    @Test func `A rebuild keeps the account tokens that it removes from records, for erasures`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Self.withLedger { ledger, _ in
            var random = SeededGenerator(seed: 1)
            try await ledger.commit(try await ledger.arrivals(of: history), &random)
            try await ledger.sqlite.pool.write {
                try $0.execute(sql: "UPDATE lineages SET token = x'00112233445566778899aabbccddeeff'")
            }
            _ = try await LedgerRebuild(ledger.sqlite, verifier: history.verifier).run(replacing: true)
            let names = try await ledger.sqlite.pool.read {
                try String.fetchAll($0, sql: "SELECT DISTINCT name FROM former_owners")
            }
            #expect(names.contains("00112233-4455-6677-8899-aabbccddeeff"), "\(names)")
        }
    }

    @Test func `A rebuild does not add a former account token again that an erasure removed`() async throws {
        try await Self.withLedger { ledger, _ in
            try await Self.buyAndReplaceToken(in: ledger)
            let (storage, appEnvironment) = (ledger.sqlite, ledger.appEnvironment)
            _ = try await storage.erase(Self.token, in: appEnvironment, at: World.start.milliseconds + 90_000)
            let purchase = try await storage.lineage("1", in: appEnvironment.id)
            let present = try #require(purchase?.appAccountToken)
            // The rebuild reads the text with the erased token first, and corrects the present one.
            let scratch = try ScratchDatabase(of: storage)
            for (number, token) in [UUID(uuidString: Self.token), UUID()].enumerated() {
                let fact = TransactionFact(
                    transactionID: "1", originalTransactionID: "1", productID: "gold", type: .nonConsumable,
                    purchaseDate: World.start, signedDate: World.start + Double(number), appAccountToken: token)
                try await scratch.add([
                    ScratchDatabase.SourcedFact(
                        fact: .transaction(fact), scope: appEnvironment.id, number: 100 + Int64(number), text: "",
                        kind: .transaction)
                ])
            }
            try await scratch.replace()
            scratch.delete()
            let names = try await storage.pool.read { try String.fetchAll($0, sql: "SELECT name FROM former_owners") }
            #expect(names == [present.text])
        }
    }

    @Test func `A rebuild finds owners without a claim and corrects them`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Self.withLedger { ledger, _ in
            try await Self.claim("anna", ["1", "2"], at: 5, account: "a", in: ledger)
            let digest = try await ledger.sqlite.digest()
            let rebuild = LedgerRebuild(ledger.sqlite, verifier: history.verifier)
            #expect(try await rebuild.run(replacing: false).isIdentical)
            try await ledger.sqlite.pool.write { db in
                try db.execute(
                    sql: """
                        UPDATE claims SET customer = 'ben' WHERE original_id = '1';
                        INSERT INTO claims VALUES (1, '3', 'ben', 5);
                        DELETE FROM account_claims;
                        """)
            }
            let check = try await rebuild.run(replacing: false)
            #expect(check.differences == 3 && !check.isReplaced, "\(check.differing)")
            #expect(try await rebuild.run(replacing: true).isReplaced)
            #expect(try await ledger.sqlite.digest() == digest)
        }
    }
}
