import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `Stored grants` {
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `Importing grant events in any order gives the same ledger`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let scope = #""bundle_id":"\#(RandomStoreHistory.bundleID)","environment":"Production""#
        var lines: [String] = []
        for _ in 0..<40 {
            let (grant, instant) = (Int.random(in: 0..<6, using: &random), Int.random(in: 1...9, using: &random))
            let actor = ["maria", "otto", "e\u{301}va", "\u{e9}va"].randomElement(using: &random) ?? ""
            let head =
                #"{"object":"grant_event",\#(scope),"grant":"g\#(grant)","at":\#(instant),"reason":"r","actor":"\#(actor)""#
            switch Int.random(in: 0..<3, using: &random) {
            case 0: lines.append(head + #","kind":"revoke"}"#)
            case 1:
                let customer = ["anna", "ben"].randomElement(using: &random) ?? ""
                lines.append(head + #","kind":"move","customer":"\#(customer)"}"#)
            default:
                let until = Bool.random(using: &random) ? #","until":\#(instant + 3)"# : ""
                let customer = ["anna", "ben"].randomElement(using: &random) ?? ""
                lines.append(head + #","kind":"create","customer":"\#(customer)","entitlement":"premium"\#(until)}"#)
            }
        }
        let verifier = try await RandomStoreHistory.shared.value.verifier
        try await Tool.inTemporaryFolder { folder in
            var digests: Set<String> = []
            var tables: Set<[GrantFact]> = []
            for _ in 0..<3 {
                lines.shuffle(using: &random)
                let ledger = try await TestLedger(in: folder)
                let middle = Int.random(in: 0...lines.count, using: &random)
                for part in [lines[..<middle], lines[...], lines[middle...]] {
                    let file = folder.appending(path: UUID().uuidString)
                    try Data(part.joined(separator: "\n").utf8).write(to: file)
                    let report = try await ledger.importFile(file, verifiedBy: verifier)
                    #expect(report.refusals == 0, "\(report.refused)")
                }
                digests.insert(try await ledger.sqlite.digest())
                var facts: [GrantFact] = []
                for customer in ["anna", "ben"] {
                    facts += try await ledger.sqlite.entitlementContext(of: customer, in: ledger.appEnvironment).grants
                }
                tables.insert(facts.sorted { $0.id < $1.id })
                #expect(try await LedgerRebuild(ledger.sqlite, verifier: verifier).run(replacing: false).isIdentical)
            }
            #expect(digests.count == 1 && tables.count == 1)
        }
    }

    /// `now` is the server's time, in milliseconds. In a rehearsal, the simulator's clock gives it.
    @Test(arguments: [(99, 1), (100, 0)])
    func `An imported grant emits its expiry event only if it ends after the server's time`(_ now: Int, _ count: Int)
        async throws
    {
        let verifier = try await RandomStoreHistory.shared.value.verifier
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let scope = #""bundle_id":"\#(RandomStoreHistory.bundleID)","environment":"Production""#
            let line =
                #"{"object":"grant_event",\#(scope),"grant":"g","at":5,"reason":"r","actor":"a","kind":"create","customer":"c","entitlement":"e","until":100}"#
            let file = folder.appending(path: "grants.jsonl")
            try Data(line.utf8).write(to: file)
            let report = try await LedgerImport(
                ledger.sqlite, verifier: verifier, scopes: ledger.scopes, at: Date(milliseconds: Int64(now))
            ).run(try FileHandle(forReadingFrom: file))
            try #require(report.refusals == 0, "\(report.refused)")
            #expect(try await ledger.sqlite.emitExpiredGrants(at: 100, limit: 9).count == count)
        }
    }

    @Test func `An import refuses malformed grant events`() async throws {
        let verifier = try await RandomStoreHistory.shared.value.verifier
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let scope = #""bundle_id":"\#(RandomStoreHistory.bundleID)","environment":"Production""#
            let long = String(repeating: "x", count: 256)
            let valid =
                #"{"object":"grant_event",\#(scope),"grant":"g","at":5,"reason":"r","actor":"a","kind":"create","customer":"c","entitlement":"e"}"#
            let wrong = [
                valid.replacing("create", with: "steal"),
                valid.replacing("create", with: "move").replacing(#""customer":"c","#, with: ""),
                valid.replacing(#""customer":"c","#, with: ""),
                valid.replacing(#""at":5"#, with: #""at":9223372036854775807"#), valid.replacing(#""g""#, with: #""""#),
                valid.replacing(#""actor":"a","#, with: ""), valid.replacing(#","entitlement":"e""#, with: ""),
                valid.replacing(#""at":5"#, with: #""at":5,"until":9223372036854775807"#),
                valid.replacing(#""at":5"#, with: #""at":5,"until":-9223372036854775808"#),
                valid.replacing(#""c""#, with: #""""#), valid.replacing(#""c""#, with: #""\#(long)""#),
                valid.replacing(#""r""#, with: #""\#(long + long)""#),
            ]
            let file = folder.appending(path: "grants.jsonl")
            try Data((wrong + [valid]).joined(separator: "\n").utf8).write(to: file)
            let report = try await ledger.importFile(file, verifiedBy: verifier)
            #expect(report.refusals == wrong.count, "\(report.refused)")
            #expect(try await ledger.sqlite.grants(of: "c", in: ledger.appEnvironment.id).count == 1)
        }
    }

    /// A scan of the grants took that many steps, and an import repeated it for each erased customer.
    @Test(arguments: [false, true])
    func `An erasure reads only the grants that name the customer, also in an older ledger`(
        _ isOlder: Bool
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            var ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            try await Self.grantAndMerge(in: ledger)
            if isOlder {
                try await ledger.sqlite.pool.write { db in
                    try db.execute(
                        sql: """
                            DROP INDEX grant_events_by_customer;
                            DELETE FROM grdb_migrations WHERE identifier = '23';
                            """)
                }
                try ledger.sqlite.close()
                ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            }
            let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
            let steps = try await storage.pool.read { db in
                try Steps.count(db) {
                    let grants = try ErasureTable.grantsNaming("anna", scope, db)
                    let newest = try ErasureTable.newest(of: "anna", in: scope, db)
                    #expect(grants == ["anna's"] && newest == 5)
                }
            }
            #expect(steps < 400, "\(steps)")
            try storage.close()
        }
    }

    /// Stores grants of 400 customers, and one of `anna` that now belongs to `ben`.
    private static func grantAndMerge(in ledger: TestLedger) async throws {
        let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
        for number in 1...400 {
            let content = GrantEvent.Content(
                customer: number == 1 ? "anna" : "customer \(number)", entitlement: "pro", reason: "an outage",
                actor: "team")
            _ = try await storage.createGrant(number == 1 ? "anna's" : "g\(number)", content, in: scope, at: 5)
        }
        _ = try await storage.merge("anna", into: "ben", in: scope, at: 7)
        #expect(try await storage.grants(of: "ben", in: scope).map(\.id) == ["anna's"])
    }
}
