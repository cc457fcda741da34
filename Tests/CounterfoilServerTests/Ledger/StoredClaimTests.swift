import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import GRDBSQLite
import TestSupport
import Testing

@testable import LedgerSQLite
@testable import Ledger

@Suite struct `Stored claims` {
    private static let token = "3f2b6c1e-0f5d-4a7b-9c3e-8d1a2b4c5d6e"

    private static func withLedger(_ body: @Sendable (TestLedger, URL) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in try await body(try await TestLedger(in: folder), folder) }
    }

    private static func claim(
        _ customer: String, _ originals: [String], at instant: Milliseconds, account: String? = nil,
        policy: ServerConfiguration.RestorePolicy = .transfer, in ledger: TestLedger
    ) async throws {
        let claim = Claim(
            customer: customer, scope: ledger.scope.id, originalTransactionIDs: originals, appTransactionID: account,
            policy: policy, overridesNamedAccount: true, claimedAt: instant)
        _ = try await ledger.storage.claim(claim) { _ in false }
    }

    /// Stores a signed purchase with the app account token and the Apple account.
    private static func buy(
        _ original: String, named token: String? = nil, account: String? = nil, in ledger: TestLedger
    ) async throws {
        let fact = TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: World.start, signedDate: World.start, appAccountToken: token.flatMap { UUID(uuidString: $0) },
            appTransactionID: account)
        let folded = ProcessedNotification(
            id: Int64(original) ?? 1, scope: ledger.scope.id, uuid: "notification \(original)", type: .oneTimeCharge,
            signedDate: World.start.milliseconds, transaction: fact, renewal: nil, processedAt: 0)
        _ = try await ledger.storage.commit(received: [], processed: [folded])
    }

    private static func owners(_ original: String, in ledger: TestLedger) async throws -> [String] {
        try await ledger.storage.owners(of: original, in: ledger.scope.id)
    }

    /// Returns the customers among `customers` who own the purchase at `instant`.
    private static func owners(
        _ original: String, at instant: Milliseconds, among customers: [String], in ledger: TestLedger
    ) async throws -> [String] {
        var owners: [String] = []
        for customer in customers {
            let held = try await ledger.storage.purchases(ownedBy: customer, in: ledger.scope.id)
            let purchase = held.first { $0.lineage.originalTransactionID == original }
            if purchase?.ownership.owners(at: instant).contains(customer) == true { owners.append(customer) }
        }
        return owners
    }

    private static func export(_ ledger: TestLedger, to file: URL) async throws -> String {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        let result = try await LedgerExport.make(of: ledger.storage) { try handle.write(contentsOf: $0) }
        try handle.close()
        return result.digest
    }

    private static func importFile(_ file: URL, into ledger: TestLedger) async throws -> LedgerImport.Report {
        let verifier = try await RandomStoreHistory.shared.value.verifier
        return try await LedgerImport(ledger.storage, verifier: verifier, scopes: ledger.scopes, at: .now)
            .run(try FileHandle(forReadingFrom: file))
    }

    @Test func `Importing an older export does not restore a claim that was transferred since`() async throws {
        try await Self.withLedger { ledger, folder in
            try await Self.claim("anna", ["1"], at: 5, in: ledger)
            try await Self.claim("anna", [], at: 5, account: "a", in: ledger)
            let older = folder.appending(path: "older.jsonl")
            _ = try await Self.export(ledger, to: older)
            try await Self.claim("ben", ["1"], at: 9, account: "a", in: ledger)
            let digest = try await ledger.storage.digest()
            #expect(try await Self.importFile(older, into: ledger).refusals == 0)
            #expect(try await Self.owners("1", in: ledger) == ["ben"])
            #expect(try await ledger.storage.digest() == digest)
            // Importing the newer export before the older one gives the same ledger.
            let newer = folder.appending(path: "newer.jsonl")
            _ = try await Self.export(ledger, to: newer)
            let other = try await TestLedger(in: folder)
            _ = try await Self.importFile(newer, into: other)
            _ = try await Self.importFile(older, into: other)
            #expect(try await other.storage.digest() == digest)
        }
    }

    @Test func `An import keeps the claims that an erased customer made after the erasure`() async throws {
        try await Self.withLedger { ledger, folder in
            try await Self.claim("anna", ["1"], at: 5, account: "a", in: ledger)
            _ = try await ledger.storage.erase("anna", in: ledger.scope, at: 9)
            try await Self.claim("anna", ["1"], at: 20, account: "a", in: ledger)
            let events = try await ledger.storage.lastEventsOfCustomers(in: ledger.scope.id, limit: 9, amongLast: 99)
            #expect(events.first?.customer == "anna" && events.count == 2)
            let digest = try await ledger.storage.digest()
            let file = folder.appending(path: "export.jsonl")
            _ = try await Self.export(ledger, to: file)
            let new = try await TestLedger(in: folder)
            for other in [new, ledger] {
                #expect(try await Self.importFile(file, into: other).refusals == 0)
                #expect(try await Self.owners("1", in: other) == ["anna"])
                #expect(try await other.storage.accounts(of: "anna", in: other.scope.id) == ["a"])
                #expect(try await other.storage.digest() == digest)
            }
            #expect(
                try await ledger.storage.lastEventsOfCustomers(in: ledger.scope.id, limit: 9, amongLast: 99) == events)
        }
    }

    /// The App Store signs the app account token, also the token of a customer who was erased and has returned.
    @Test(arguments: [(-1000, true), (1000, false)] as [(Milliseconds, Bool)])
    func `An import anonymizes purchases from before an erasure and keeps purchases from after it`(
        _ erased: Milliseconds, _ isLeft: Bool
    ) async throws {
        try await Self.withLedger { ledger, folder in
            let start = World.start.milliseconds
            _ = try await ledger.storage.erase(Self.token, in: ledger.scope, at: start + erased)
            try await Self.buy("1", named: Self.token, in: ledger)
            let report = UsageReport(customerConsented: true, reportedAt: start + 2000)
            try await ledger.storage.record(report, of: Self.token, in: ledger.scope.id)
            #expect(try await Self.owners("1", in: ledger) == [Self.token])
            let file = folder.appending(path: "empty.jsonl")
            try Data(#"{"object":"ledger_export","version":1}"#.utf8).write(to: file)
            #expect(try await Self.importFile(file, into: ledger).refusals == 0)
            let owners = try await Self.owners("1", in: ledger)
            #expect(owners == (isLeft ? [Self.token] : []))
        }
    }

    /// The ledger is a backup from before the erasure. The imported export is newer.
    @Test func `An import removes an erased customer's name from events, even without claims`() async throws {
        try await Self.withLedger { ledger, folder in
            let (storage, scope, start) = (ledger.storage, ledger.scope.id, World.start.milliseconds)
            let received = ReceivedNotification(
                scope: scope, uuid: "notification 1", type: "ONE_TIME_CHARGE", signedDate: start,
                receivedAt: start,
                origin: .delivered, text: "text 1")
            let insertions = try await storage.commit(received: [received], processed: [])
            try #require(insertions == [.stored(1)])
            try await Self.buy("1", named: Self.token, in: ledger)
            func customers() async throws -> [String?] {
                try await storage.lastEventsOfCustomers(in: scope, limit: 9, amongLast: 99).map(\.customer)
            }
            #expect(try await customers() == [Self.token])
            let erasure = Erasure(
                digest: Erasure.digest(of: Self.token, in: RandomStoreHistory.bundleID), at: start + 1000)
            let lines = [
                #"{"object":"ledger_export","version":3}"#,
                #"{"object":"erasure","bundle_id":"\#(RandomStoreHistory.bundleID)","environment":"Production","#
                    + #""digest":"\#(erasure.digest)","at":\#(erasure.instant)}"#,
            ]
            let file = folder.appending(path: "newest.jsonl")
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            #expect(try await Self.importFile(file, into: ledger).refusals == 0)
            #expect(try await customers() == [erasure.standIn])
        }
    }

    @Test func `Erasures of 250 customers are applied in three commits and affect no other customer`() async throws {
        try await Self.withLedger { ledger, _ in
            let (storage, appEnvironment) = (ledger.storage, ledger.scope)
            let erased = (0..<250).map { "customer \($0)" }
            for name in erased + ["anna"] { try await Self.claim(name, [name], at: 5, in: ledger) }
            try await storage.restore(
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

    /// Exports of version 1 contain only the claims in force, without their history.
    @Test func `An export of version 1 is imported, and four malformed claims are refused`() async throws {
        try await Self.withLedger { ledger, folder in
            let start = #"{"object":"ledger_export","version":1}"#
            let scope = #""bundle_id":"\#(RandomStoreHistory.bundleID)","environment":"Production""#
            func claim(_ customer: String, _ instant: Int) -> String {
                #"{"object":"claim",\#(scope),"original_transaction_id":"1","customer":"\#(customer)","claimed_at":\#(instant)}"#
            }
            func importLines(_ lines: [String]) async throws -> LedgerImport.Report {
                let file = folder.appending(path: "former.jsonl")
                try Data(lines.joined(separator: "\n").utf8).write(to: file)
                return try await Self.importFile(file, into: ledger)
            }
            let end = #"{"object":"end","notifications":0,"pending":0,"statements":0,"claims":2,"digest":"d"}"#
            let shared = try await importLines([start, claim("anna", 5), claim("ben", 7), end])
            #expect(shared.claims == 2 && shared.refusals == 0 && shared.version == 1)
            #expect(try await Self.owners("1", in: ledger) == ["anna", "ben"])
            #expect(
                try await ledger.storage.digest(ofExportVersion: 1) != ledger.storage.digest(ofExportVersion: 2))
            // A later export, made after the purchase was transferred from both; then the first export again.
            _ = try await importLines([start, claim("cleo", 9), end])
            #expect(try await Self.owners("1", in: ledger) == ["cleo"])
            _ = try await importLines([start, claim("anna", 5), claim("ben", 7), end])
            #expect(try await Self.owners("1", in: ledger) == ["cleo"])
            let wrong = try await importLines([
                start.replacing("1}", with: "4}"), claim("anna", 5).replacing(":5}", with: ":9223372036854775807}"),
                claim("anna", 5).replacing("claimed_at", with: #"kind":"steal","claimed_at"#),
                claim("anna", 5).replacing("claim\"", with: "account_claim\"")
                    .replacing("original_", with: "app_").replacing("\"claimed", with: "\"kind\":\"join\",\"claimed"),
            ])
            #expect(wrong.refusals == 4, "\(wrong.refused)")
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `Importing any parts of two exports in any order gives the same ledger`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let policies = ServerConfiguration.RestorePolicy.allCases
        // Two ledgers with separate claims.
        let steps = (0..<16).map { step in
            (
                ledger: Int.random(in: 0..<2, using: &random),
                customer: ["anna", "ben", "cleo"].randomElement(using: &random) ?? "anna",
                original: "\(Int.random(in: 1...2, using: &random))", isAccount: Bool.random(using: &random),
                policy: policies.randomElement(using: &random) ?? .share, instant: Int64(step / 4)
            )
        }
        let orders = (0..<3).map { _ in
            (0..<6).map { _ in
                (Int.random(in: 0..<2, using: &random), UInt64.random(in: 0...UInt64.max, using: &random))
            }
        }
        try await Tool.inTemporaryFolder { folder in
            var files: [URL] = []
            for number in 0..<2 {
                let ledger = try await TestLedger(in: folder)
                for step in steps where step.ledger == number {
                    try await Self.claim(
                        step.customer, step.isAccount ? [] : [step.original], at: step.instant,
                        account: step.isAccount ? "a\(step.original)" : nil, policy: step.policy, in: ledger)
                }
                files.append(folder.appending(path: "\(number).jsonl"))
                _ = try await Self.export(ledger, to: files[number])
            }
            var digests: Set<String> = []
            for order in orders {
                let ledger = try await TestLedger(in: folder)
                for (file, seed) in order {
                    var random = SeededGenerator(seed: seed)
                    let lines = try String(contentsOf: files[file], encoding: .utf8).split(separator: "\n")
                    let part = folder.appending(path: "part.jsonl")
                    let chosen = lines.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
                    try Data(chosen.joined(separator: "\n").utf8).write(to: part)
                    _ = try await Self.importFile(part, into: ledger)
                }
                for file in files { _ = try await Self.importFile(file, into: ledger) }
                digests.insert(try await ledger.storage.digest())
            }
            #expect(digests.count == 1)
        }
    }

    @Test func `Of two claims within the same millisecond, the later one applies`() async throws {
        for customers in [["anna", "ben"], ["ben", "anna"]] {
            try await Self.withLedger { ledger, _ in
                for customer in customers { try await Self.claim(customer, ["1"], at: 5, in: ledger) }
                #expect(try await Self.owners("1", in: ledger) == [customers[1]])
                // The clock was set back before this claim.
                try await Self.claim(customers[0], ["1"], at: 2, in: ledger)
                #expect(try await Self.owners("1", in: ledger) == [customers[0]])
            }
        }
    }

    @Test func `A purchase has its owner at each past instant`() async throws {
        try await Self.withLedger { ledger, _ in
            let customers = [Self.token, "anna", "ben", "cleo"]
            try await Self.buy("1", named: Self.token, account: "a", in: ledger)
            try await Self.buy("2", account: "a", in: ledger)
            try await Self.claim("anna", [], at: 5, account: "a", in: ledger)
            try await Self.claim("ben", ["1"], at: 7, in: ledger)
            try await Self.claim("cleo", ["1", "2"], at: 9, in: ledger)
            func owners(_ original: String, _ instant: Milliseconds) async throws -> [String] {
                try await Self.owners(original, at: instant, among: customers, in: ledger)
            }
            #expect(try await owners("1", 6) == [Self.token])
            #expect(try await owners("1", 7) == ["ben"])
            #expect(try await owners("1", 9) == ["cleo"])
            // No earlier owner is known.
            #expect(try await owners("2", 0) == ["anna"])
            #expect(try await owners("2", 8) == ["anna"])
            #expect(try await owners("2", 9) == ["cleo"])
            for original in ["1", "2"] { #expect(try await Self.owners(original, in: ledger) == ["cleo"]) }
        }
    }

    @Test func `Opening a ledger without claim history creates the history from claims and events`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            for original in 1...5 { try await Self.buy("\(original)", account: "a\(original)", in: ledger) }
            let customers = ["anna", "ben", "cleo"]
            try await ledger.storage.pool.write { db in
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
            try ledger.storage.close()
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
            try present.storage.close()
        }
    }

    @Test func `A rebuild finds owners without a claim and corrects them`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Self.withLedger { ledger, _ in
            try await Self.claim("anna", ["1", "2"], at: 5, account: "a", in: ledger)
            let digest = try await ledger.storage.digest()
            let rebuild = LedgerRebuild(ledger.storage, verifier: history.verifier)
            #expect(try await rebuild.run(replacing: false).isIdentical)
            try await ledger.storage.pool.write { db in
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
            #expect(try await ledger.storage.digest() == digest)
        }
    }

    /// Counts the steps of SQLite's virtual machine. Reading a row takes a few.
    @Test func `The cost of finding purchases of the same Apple account is linear in their number`() async throws {
        try await Self.withLedger { ledger, _ in
            let count = 400
            for number in 1...count { try await Self.buy("\(number)", account: "a", in: ledger) }
            let scope = ledger.scope.id
            let steps = try await ledger.storage.pool.read { db in
                try Steps.count(db) {
                    let found = try SQLiteStorage.identifiersOfSameAccountPurchases(
                        of: (1...count).map { "\($0)" }, in: scope, db)
                    #expect(found.count == count)
                }
            }
            #expect(steps < 100 * count, "\(steps)")
        }
    }
}

/// Counts the steps of SQLite's virtual machine.
private final class Steps {
    private var count = 0

    static func count(_ db: Database, _ body: () throws -> Void) rethrows -> Int {
        let steps = Steps()
        sqlite3_progress_handler(
            db.sqliteConnection, 10,
            { pointer in
                if let pointer { Unmanaged<Steps>.fromOpaque(pointer).takeUnretainedValue().count += 10 }
                return 0
            }, Unmanaged.passUnretained(steps).toOpaque())
        defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
        try body()
        return steps.count
    }
}
