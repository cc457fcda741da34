import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Entitlements
import Foundation
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

// Claims in imported exports.
extension `Stored claims` {
    private static func importFile(_ file: URL, into ledger: TestLedger) async throws -> LedgerImport.Report {
        let verifier = try await RandomStoreHistory.shared.value.verifier
        return try await ledger.importFile(file, verifiedBy: verifier)
    }

    @Test func `Importing an older export does not restore a claim that was transferred since`() async throws {
        try await Self.withLedger { ledger, folder in
            try await Self.claim("anna", ["1"], at: 5, in: ledger)
            try await Self.claim("anna", [], at: 5, account: "a", in: ledger)
            let older = folder.appending(path: "older.jsonl")
            try await ledger.sqlite.export(to: older)
            try await Self.claim("ben", ["1"], at: 9, account: "a", in: ledger)
            let digest = try await ledger.sqlite.digest()
            #expect(try await Self.importFile(older, into: ledger).refusals == 0)
            #expect(try await Self.owners("1", in: ledger) == ["ben"])
            #expect(try await ledger.sqlite.digest() == digest)
            // Importing the newer export before the older one gives the same ledger.
            let newer = folder.appending(path: "newer.jsonl")
            try await ledger.sqlite.export(to: newer)
            let other = try await TestLedger(in: folder)
            _ = try await Self.importFile(newer, into: other)
            _ = try await Self.importFile(older, into: other)
            #expect(try await other.sqlite.digest() == digest)
        }
    }

    @Test func `An import keeps the claims that an erased customer made after the erasure`() async throws {
        try await Self.withLedger { ledger, folder in
            try await Self.claim("anna", ["1"], at: 5, account: "a", in: ledger)
            _ = try await ledger.sqlite.erase("anna", in: ledger.appEnvironment, at: 9)
            try await Self.claim("anna", ["1"], at: 20, account: "a", in: ledger)
            let events = try await ledger.sqlite.lastEventsOfCustomers(
                in: ledger.appEnvironment.id, limit: 9, amongLast: 99)
            #expect(events.first?.customer == "anna" && events.count == 2)
            let digest = try await ledger.sqlite.digest()
            let file = folder.appending(path: "export.jsonl")
            try await ledger.sqlite.export(to: file)
            let new = try await TestLedger(in: folder)
            for other in [new, ledger] {
                #expect(try await Self.importFile(file, into: other).refusals == 0)
                #expect(try await Self.owners("1", in: other) == ["anna"])
                #expect(try await other.sqlite.accounts(of: "anna", in: other.appEnvironment.id) == ["a"])
                #expect(try await other.sqlite.digest() == digest)
            }
            #expect(
                try await ledger.sqlite.lastEventsOfCustomers(in: ledger.appEnvironment.id, limit: 9, amongLast: 99)
                    == events)
        }
    }

    @Test func `An import keeps what an erased customer got within the millisecond of the erasure`() async throws {
        try await Self.withLedger { ledger, folder in
            let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
            func grant(_ id: String, to customer: String) async throws {
                let content = GrantEvent.Content(customer: customer, entitlement: "pro", reason: "sorry", actor: "team")
                _ = try await storage.createGrant(id, content, in: scope, at: 5)
            }
            try await grant("ben's", to: "ben")
            _ = try await storage.erase("anna", in: ledger.appEnvironment, at: 5)
            try await Self.claim("anna", ["1"], at: 5, account: "a", in: ledger)
            try await grant("anna's", to: "anna")
            _ = try await storage.merge("ben", into: "anna", in: scope, at: 5)
            let digest = try await storage.digest()
            let file = folder.appending(path: "export.jsonl")
            try await storage.export(to: file)
            let new = try await TestLedger(in: folder)
            for other in [new, ledger] {
                #expect(try await Self.importFile(file, into: other).refusals == 0)
                #expect(try await Self.owners("1", in: other) == ["anna"])
                #expect(try await other.sqlite.accounts(of: "anna", in: other.appEnvironment.id) == ["a"])
                #expect(try await other.sqlite.grants(of: "anna", in: other.appEnvironment.id).count == 2)
                #expect(try await other.sqlite.digest() == digest)
            }
        }
    }

    /// The older export has only the creation of the grant, which names another customer.
    @Test func `Importing an older export does not give a grant back that an erasure deleted after a merge`()
        async throws
    {
        try await Self.withLedger { ledger, folder in
            let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await storage.createGrant("g", content, in: scope, at: 5)
            let older = folder.appending(path: "older.jsonl")
            try await storage.export(to: older)
            _ = try await storage.merge("anna", into: "ben", in: scope, at: 6)
            #expect(try await storage.grants(of: "ben", in: scope).map(\.id) == ["g"])
            #expect(try await storage.erase("ben", in: ledger.appEnvironment, at: 7).grants == 1)
            let newer = folder.appending(path: "newer.jsonl")
            let digest = try await storage.export(to: newer).digest
            #expect(!(try String(contentsOf: newer, encoding: .utf8).contains("anna")))
            let verifier = try await RandomStoreHistory.shared.value.verifier
            let (second, third) = (try await TestLedger(in: folder), try await TestLedger(in: folder))
            for (other, files) in [(ledger, [older]), (second, [newer, older]), (third, [older, newer])] {
                for file in files { #expect(try await Self.importFile(file, into: other).refusals == 0) }
                for customer in ["anna", "ben"] {
                    #expect(try await other.sqlite.grants(of: customer, in: other.appEnvironment.id).isEmpty)
                }
                #expect(try await other.sqlite.digest() == digest)
                #expect(try await LedgerRebuild(other.sqlite, verifier: verifier).run(replacing: false).isIdentical)
                // A repeated request must not give the placeholder a grant.
                let repeated = try await other.sqlite.createGrant("g", content, in: other.appEnvironment.id, at: 9)
                #expect(repeated == .isTaken)
            }
        }
    }

    @Test func `An import that fails removes the names of erased customers from what it has imported`() async throws {
        try await Self.withLedger { ledger, folder in
            // This name comes after that of the stand-in, so its claim with the same instant counts.
            try await Self.claim("zoe", ["1"], at: 5, in: ledger)
            let older = folder.appending(path: "older.jsonl")
            try await ledger.sqlite.export(to: older)
            _ = try await ledger.sqlite.erase("zoe", in: ledger.appEnvironment, at: 9)
            // 256 lines are stored before the line of a newer version is read.
            let handle = try FileHandle(forWritingTo: older)
            try handle.seekToEnd()
            let lines = String(repeating: "{}\n", count: 256) + #"{"object":"ledger_export","version":99}"#
            try handle.write(contentsOf: Data(lines.utf8))
            try handle.close()
            let error = await #expect(throws: StorageError.self) { _ = try await Self.importFile(older, into: ledger) }
            #expect(error?.code == .newer)
            let owners = try await Self.owners("1", in: ledger)
            #expect(owners.isEmpty, "\(owners)")
            let purchases = try await ledger.sqlite.purchases(ownedBy: "zoe", in: ledger.appEnvironment.id)
            #expect(purchases.isEmpty)
        }
    }

    /// The App Store signs the app account token, also the token of a customer who was erased and has returned.
    @Test(arguments: [(-1000, true), (1000, false)] as [(Milliseconds, Bool)])
    func `A purchase from before an erasure has no owner if it is stored later, also after an import`(
        _ erased: Milliseconds, _ isLeft: Bool
    ) async throws {
        try await Self.withLedger { ledger, folder in
            let start = World.start.milliseconds
            _ = try await ledger.sqlite.erase(Self.token, in: ledger.appEnvironment, at: start + erased)
            try await Self.buy("1", named: Self.token, in: ledger)
            let report = UsageReport(customerConsented: true, reportedAt: start + 2000)
            try await ledger.sqlite.record(report, of: Self.token, in: ledger.appEnvironment.id)
            #expect(try await Self.owners("1", in: ledger) == (isLeft ? [Self.token] : []))
            let digest = try await ledger.sqlite.digest()
            let file = folder.appending(path: "empty.jsonl")
            try Data(#"{"object":"ledger_export","version":1}"#.utf8).write(to: file)
            #expect(try await Self.importFile(file, into: ledger).refusals == 0)
            let owners = try await Self.owners("1", in: ledger)
            #expect(owners == (isLeft ? [Self.token] : []))
            #expect(try await ledger.sqlite.digest() == digest)
        }
    }

    /// Another server received the notification. The ledger has no event and no claim that names the customer.
    @Test func `An imported purchase from before an erasure has no owner, even without events and claims`() async throws
    {
        let history = try await RandomStoreHistory.shared.value
        try await Self.withLedger { other, folder in
            var random = SeededGenerator(seed: 1)
            try await other.commit(try await other.arrivals(of: history), &random)
            var (original, token) = ("", "")
            for transaction in history.transactions.map(\.payload) where original.isEmpty {
                guard let named = transaction.appAccountToken?.text else { continue }
                let owners = try await Self.owners(transaction.originalTransactionId, in: other)
                if owners == [named] { (original, token) = (transaction.originalTransactionId, named) }
            }
            try #require(!original.isEmpty)
            let file = folder.appending(path: "export.jsonl")
            try await other.sqlite.export(to: file)
            let ledger = try await TestLedger(in: folder)
            let late = (World.start + 400_000_000).milliseconds
            _ = try await ledger.sqlite.erase(token, in: ledger.appEnvironment, at: late)
            #expect(try await Self.importFile(file, into: ledger).refusals == 0)
            let owners = try await Self.owners(original, in: ledger)
            #expect(owners.isEmpty, "\(owners)")
            // The export of this ledger gives the same ledger.
            let digest = try await ledger.sqlite.export(to: file).digest
            let next = try await TestLedger(in: folder)
            #expect(try await Self.importFile(file, into: next).refusals == 0)
            #expect(try await next.sqlite.digest() == digest)
        }
    }

    /// The ledger is a backup from before the erasure. The imported export is newer.
    @Test func `An import removes an erased customer's name from events, even without claims`() async throws {
        try await Self.withLedger { ledger, folder in
            let (storage, scope, start) = (ledger.sqlite, ledger.appEnvironment.id, World.start.milliseconds)
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

    /// Exports of version 1 contain only the claims in force, without their history.
    @Test func `An export of version 1 is imported, and malformed lines are refused`() async throws {
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
                try await ledger.sqlite.digest(ofExportVersion: 1) != ledger.sqlite.digest(ofExportVersion: 2))
            // A later export, made after the purchase was transferred from both; then the first export again.
            _ = try await importLines([start, claim("cleo", 9), end])
            #expect(try await Self.owners("1", in: ledger) == ["cleo"])
            _ = try await importLines([start, claim("anna", 5), claim("ben", 7), end])
            #expect(try await Self.owners("1", in: ledger) == ["cleo"])
            let wrong = try await importLines([
                start.replacing("1}", with: "0}"), claim("anna", 5).replacing(":5}", with: ":9223372036854775807}"),
                claim("anna", 5).replacing("claimed_at", with: #"kind":"steal","claimed_at"#),
                claim("anna", 5).replacing("claim\"", with: "account_claim\"")
                    .replacing("original_", with: "app_").replacing("\"claimed", with: "\"kind\":\"join\",\"claimed"),
                claim("", 5), claim(String(repeating: "x", count: 256), 5),
                claim("anna", 5).replacing(#":"1""#, with: #":"""#),
            ])
            #expect(wrong.refusals == 7, "\(wrong.refused)")
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
                try await ledger.sqlite.export(to: files[number])
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
                digests.insert(try await ledger.sqlite.digest())
            }
            #expect(digests.count == 1)
        }
    }
}
