import Entitlements
import Foundation
import Ledger
import TestSupport
import Testing

@Suite struct `Grants are kept` {
    private static func made(
        at instant: Milliseconds, _ customer: String = "anna", until: Milliseconds? = nil, by actor: String = "maria"
    ) -> GrantEvent {
        GrantEvent(
            .create, at: instant,
            .init(customer: customer, entitlement: "premium", until: until, reason: "goodwill", actor: actor))
    }

    private static func revoked(at instant: Milliseconds, by actor: String = "maria") -> GrantEvent {
        GrantEvent(.revoke, at: instant, .init(reason: "a mistake", actor: actor))
    }

    @Test func `as they were made first and taken back first`() throws {
        let events = [
            Self.made(at: 5), Self.made(at: 5, by: "otto"), Self.made(at: 4, "ben", until: 9), Self.revoked(at: 7),
            Self.revoked(at: 6, by: "otto"), Self.made(at: 5),
        ]
        let history = GrantHistory(events)
        #expect(history.events.count == 5)
        let grant = try #require(history.grant("g"))
        #expect(grant.customer == "ben" && grant.createdAt == 4 && grant.until == 9)
        #expect(grant.revocation?.instant == 6 && grant.revocation?.actor == "otto")
        #expect(GrantHistory(events.reversed()) == history)
        #expect(GrantHistory([Self.revoked(at: 1)]).grant("g") == nil)
        // A clock was set back between the two.
        #expect(GrantHistory([Self.made(at: 5), Self.revoked(at: 1)]).grant("g")?.revocation?.instant == 5)
    }

    @Test func `and run from their first instant until their last, which is not among them`() throws {
        let grant = try #require(GrantHistory([Self.made(at: 5, until: 9)]).grant("g"))
        #expect(grant.state(at: 8) == .running && grant.state(at: 9) == .expired)
        let revoked = try #require(GrantHistory([Self.made(at: 5, until: 9), Self.revoked(at: 7)]).grant("g"))
        #expect([6, 7, 9].map { revoked.state(at: $0) } == [.running, .revoked, .revoked])
        let facts = [grant.fact, revoked.fact]
        #expect(facts.map { $0.isRunning(at: Date(milliseconds: 4)) } == [false, false])
        #expect(facts.map { $0.isRunning(at: Date(milliseconds: 6)) } == [true, true])
        #expect(facts.map { $0.isRunning(at: Date(milliseconds: 7)) } == [true, false])
        #expect(facts.map { $0.isRunning(at: Date(milliseconds: 9)) } == [false, false])
        #expect(GrantDecision.revocation(of: grant, at: 8) == .revokes)
        #expect(GrantDecision.revocation(of: grant, at: 9) == .isOver)
        #expect(GrantDecision.revocation(of: revoked, at: 9) == .isRevoked)
        let many = [Grant](repeating: grant, count: GrantDecision.most)
        #expect(!GrantDecision.mayCreate(beside: many, at: 8) && GrantDecision.mayCreate(beside: many, at: 9))
        #expect(GrantDecision.mayCreate(beside: Array(many.dropFirst()), at: 8))
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `whatever order their events come in`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let place = #""bundle_id":"\#(StoreLife.bundleId)","environment":"Production""#
        var lines: [String] = []
        for _ in 0..<40 {
            let (grant, instant) = (Int.random(in: 0..<6, using: &random), Int.random(in: 1...9, using: &random))
            let actor = ["maria", "otto", "e\u{301}va", "\u{e9}va"].randomElement(using: &random) ?? ""
            let head =
                #"{"object":"grant_event",\#(place),"grant":"g\#(grant)","at":\#(instant),"reason":"r","actor":"\#(actor)""#
            if Bool.random(using: &random) {
                lines.append(head + #","kind":"revoke"}"#)
            } else {
                let until = Bool.random(using: &random) ? #","until":\#(instant + 3)"# : ""
                let customer = ["anna", "ben"].randomElement(using: &random) ?? ""
                lines.append(head + #","kind":"create","customer":"\#(customer)","entitlement":"premium"\#(until)}"#)
            }
        }
        let verifier = try await StoreLife.shared.value.verifier
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
                    let report = try await LedgerImport(ledger.storage, verifier: verifier, scopes: ledger.scopes)
                        .run(try FileHandle(forReadingFrom: file))
                    #expect(report.refusals == 0, "\(report.refused)")
                }
                digests.insert(try await ledger.storage.digest())
                var facts: [GrantFact] = []
                for customer in ["anna", "ben"] {
                    facts += try await ledger.storage.circumstances(of: customer, in: ledger.scope).grants
                }
                tables.insert(facts.sorted { $0.id < $1.id })
                #expect(try await LedgerRebuild(ledger.storage, verifier: verifier).run(replacing: false).isIdentical)
            }
            #expect(digests.count == 1 && tables.count == 1)
        }
    }

    @Test func `and not from lines that are none`() async throws {
        let verifier = try await StoreLife.shared.value.verifier
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let place = #""bundle_id":"\#(StoreLife.bundleId)","environment":"Production""#
            let whole =
                #"{"object":"grant_event",\#(place),"grant":"g","at":5,"reason":"r","actor":"a","kind":"create","customer":"c","entitlement":"e"}"#
            let wrong = [
                whole.replacing("create", with: "steal"), whole.replacing(#""customer":"c","#, with: ""),
                whole.replacing(#""at":5"#, with: #""at":9223372036854775807"#), whole.replacing(#""g""#, with: #""""#),
                whole.replacing(#""actor":"a","#, with: ""), whole.replacing(#","entitlement":"e""#, with: ""),
            ]
            let file = folder.appending(path: "grants.jsonl")
            try Data((wrong + [whole]).joined(separator: "\n").utf8).write(to: file)
            let report = try await LedgerImport(ledger.storage, verifier: verifier, scopes: ledger.scopes)
                .run(try FileHandle(forReadingFrom: file))
            #expect(report.refusals == wrong.count, "\(report.refused)")
            #expect(try await ledger.storage.grants(of: "c", in: ledger.scope.id).count == 1)
        }
    }
}
