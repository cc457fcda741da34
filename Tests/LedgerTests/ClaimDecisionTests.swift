import Ledger
import TestSupport
import Testing

@Suite struct `Claim decisions` {

    private static func take(_ instant: Int64, _ customer: String) -> ClaimEvent { .init(at: instant, .take, customer) }
    private static func join(_ instant: Int64, _ customer: String) -> ClaimEvent { .init(at: instant, .join, customer) }
    private static func link(_ instant: Int64, _ customer: String) -> ClaimEvent { .init(at: instant, .link, customer) }

    private static func ownership(
        _ claims: [ClaimEvent] = [], named: String? = nil, account: [ClaimEvent] = []
    ) -> Ownership {
        Ownership(claims: ClaimHistory(claims), named: named, account: ClaimHistory(account))
    }

    /// The name that replaces that of an erased customer.
    private static let erased = Erasure.standIn(for: "anna", in: "com.example")

    /// A claim by ben at instant 9: the ownership before, the policy, whether the policy's condition allows a transfer,
    /// the expected decision and the owners afterwards.
    private struct Case: CustomStringConvertible, Sendable {
        var description: String
        var before: Ownership
        var policy: RestorePolicy
        var mayTake = false
        var decision: ClaimDecision
        var after: [String]
    }

    private static let cases: [Case] = [
        Case(
            description: "no owner, policy transfer", before: ownership(), policy: .transfer,
            decision: .moves([take(9, "ben")], from: []), after: ["ben"]),
        Case(
            description: "no owner, policy keepOriginal", before: ownership(),
            policy: .keepOriginal,
            decision: .moves([link(9, "ben")], from: []), after: ["ben"]),
        Case(
            description: "no owner, policy share", before: ownership(), policy: .share,
            decision: .moves([join(9, "ben")], from: []), after: ["ben"]),
        Case(
            description: "the customer is the owner", before: ownership([take(5, "ben")]), policy: .transfer,
            decision: .isOwned, after: ["ben"]),
        Case(
            description: "signed for the customer", before: ownership(named: "ben"), policy: .transfer,
            decision: .isOwned, after: ["ben"]),
        Case(
            description: "another owner, policy transfer", before: ownership([take(5, "anna")]), policy: .transfer,
            decision: .moves([take(9, "ben")], from: ["anna"]), after: ["ben"]),
        Case(
            description: "several owners, policy transfer",
            before: ownership([take(5, "anna"), join(6, "cleo")]), policy: .transfer,
            decision: .moves([take(9, "ben")], from: ["anna", "cleo"]), after: ["ben"]),
        Case(
            description: "signed for another customer, policy transfer", before: ownership(named: "anna"),
            policy: .transfer,
            decision: .moves([take(9, "ben")], from: ["anna"]), after: ["ben"]),
        Case(
            description: "another customer has the Apple account, policy transfer",
            before: ownership(account: [take(5, "anna")]), policy: .transfer,
            decision: .moves([take(9, "ben")], from: ["anna"]), after: ["ben"]),
        Case(
            description: "another owner, policy keepOriginal", before: ownership([take(5, "anna")]),
            policy: .keepOriginal,
            decision: .isRefused, after: ["anna"]),
        Case(
            description: "another owner with access, policy transferIfInactive", before: ownership([take(5, "anna")]),
            policy: .transferIfInactive, decision: .isRefused, after: ["anna"]),
        Case(
            description: "another owner without access, policy transferIfInactive",
            before: ownership([take(5, "anna")]),
            policy: .transferIfInactive, mayTake: true, decision: .moves([take(9, "ben")], from: ["anna"]),
            after: ["ben"]),
        Case(
            description: "another owner, policy share", before: ownership([take(5, "anna")]), policy: .share,
            decision: .moves([join(9, "ben")], from: []), after: ["anna", "ben"]),
        Case(
            description: "signed for another customer, policy share", before: ownership(named: "anna"), policy: .share,
            decision: .moves([join(9, "anna"), join(9, "ben")], from: []), after: ["anna", "ben"]),
        Case(
            description: "another claim in the same millisecond", before: ownership([take(9, "cleo")]),
            policy: .transfer, decision: .moves([take(10, "ben")], from: ["cleo"]), after: ["ben"]),
        Case(
            description: "another claim before the clock was set back", before: ownership([take(50, "anna")]),
            policy: .transfer, decision: .moves([take(51, "ben")], from: ["anna"]), after: ["ben"]),
        Case(
            description: "an erased owner, policy keepOriginal", before: ownership([take(5, erased)]),
            policy: .keepOriginal, decision: .moves([take(9, "ben")], from: []), after: ["ben"]),
        Case(
            description: "an owner with a decomposed name", before: ownership([take(5, "jose\u{301}")]),
            policy: .transfer, decision: .moves([take(9, "ben")], from: ["jose\u{301}"]), after: ["ben"]),
    ]

    @Test(arguments: cases) private func `A claim decision depends on the present owners and the restore policy`(
        _ testCase: Case
    ) {
        let decision = ClaimDecision.purchase(testCase.before, for: "ben", policy: testCase.policy, at: 9) {
            testCase.mayTake
        }
        #expect(decision == testCase.decision)
        var after = testCase.before
        if case .moves(let events, _) = decision { after.claims = ClaimHistory(after.claims.events + events) }
        #expect(after.owners == testCase.after)
    }

    @Test func `An Apple account has at most one customer`() {
        let anna = ClaimHistory([Self.take(5, "anna")])
        func decide(_ policy: RestorePolicy, mayTake: Bool = false) -> ClaimDecision {
            .account(anna, for: "ben", policy: policy, at: 9) { mayTake }
        }
        #expect(decide(.share) == .isRefused && decide(.keepOriginal) == .isRefused)
        #expect(decide(.transferIfInactive) == .isRefused)
        #expect(decide(.transferIfInactive, mayTake: true) == .moves([Self.take(9, "ben")], from: ["anna"]))
        #expect(decide(.transfer) == .moves([Self.take(9, "ben")], from: ["anna"]))
        for policy in RestorePolicy.allCases {
            let first = ClaimDecision.account(ClaimHistory([]), for: "ben", policy: policy, at: 9) { false }
            #expect(first == .moves([policy == .transfer ? Self.take(9, "ben") : Self.link(9, "ben")], from: []))
            #expect(ClaimDecision.account(anna, for: "anna", policy: policy, at: 9) { false } == .isOwned)
            let erased = ClaimHistory([Self.take(5, Self.erased)])
            let next = ClaimDecision.account(erased, for: "ben", policy: policy, at: 9) { false }
            #expect(next == .moves([Self.take(9, "ben")], from: []))
        }
    }

    @Test func `An ownership returns the owners at any instant, the changes and the spans of each customer`() {
        let history = Self.ownership(
            [Self.take(9, "ben"), Self.join(12, "cleo"), Self.take(20, "anna")], named: "anna")
        #expect(history.owners(at: 8) == ["anna"] && history.owners(at: 9) == ["ben"])
        #expect(history.owners(at: 12) == ["ben", "cleo"] && history.owners(at: 20) == ["anna"])
        #expect(
            history.changes == [
                .init(instant: 9, from: ["anna"], to: ["ben"]), .init(instant: 12, from: [], to: ["cleo"]),
                .init(instant: 20, from: ["ben", "cleo"], to: ["anna"]),
            ])
        #expect(history.spans(of: "anna") == [.min..<9, 20..<Int64.max])
        #expect(history.spans(of: "ben") == [9..<20] && history.spans(of: "cleo") == [12..<20])
        #expect(history.spans(of: "dora").isEmpty)
    }

    @Test func `A purchase without earlier owners belongs to the first claimant from the beginning`() {
        let linked = Self.ownership([Self.take(9, "anna"), Self.take(12, "ben")])
        #expect(linked.owners(at: 0) == ["anna"] && linked.spans(of: "anna") == [.min..<12])
        #expect(linked.changes.first == .init(instant: 9, from: [], to: ["anna"]))
        let ofAccount = Self.ownership([Self.take(9, "anna")], account: [Self.take(5, "ben")])
        #expect(ofAccount.owners(at: 0) == ["ben"] && ofAccount.owners(at: 9) == ["anna"])
        #expect(Self.ownership().owners(at: 5).isEmpty && Self.ownership().changes.isEmpty)
    }

    @Test func `A purchase begins with the customer whom its Apple account had when it was made`() {
        let account = [Self.take(5, "anna"), Self.take(9, "ben"), Self.take(20, "cleo")]
        var bought = Self.ownership(account: account)
        bought.madeAt = 12
        #expect(bought.changes == [.init(instant: 20, from: ["ben"], to: ["cleo"])])
        #expect(bought.spans(of: "anna").isEmpty && bought.spans(of: "ben") == [.min..<20])
        #expect(bought.owners(at: 6) == ["ben"] && bought.owners(at: 19) == ["ben"] && bought.owners == ["cleo"])
        bought.claims = ClaimHistory([Self.take(15, "dora")])
        #expect(bought.changes == [.init(instant: 15, from: ["ben"], to: ["dora"])])
        #expect(bought.owners(at: 14) == ["ben"])
        // The account was claimed after the purchase.
        var older = Self.ownership(account: account)
        older.madeAt = 3
        #expect(older.changes.first == .init(instant: 5, from: [], to: ["anna"]) && older.changes.count == 3)
        #expect(older.spans(of: "anna") == [.min..<9])
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `A claim history is the same for any order and any merge of partial histories`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let names = ["anna", "ben", "cleo", "jos\u{e9}", "jose\u{301}"]
        let events = (0..<Int.random(in: 1..<12, using: &random)).map { _ in
            ClaimEvent(
                at: Int64.random(in: 0..<5, using: &random),
                ClaimEvent.Kind.allCases.randomElement(using: &random) ?? .take,
                names.randomElement(using: &random) ?? "anna")
        }
        let whole = ClaimHistory(events)
        for _ in 0..<10 {
            // Overlapping parts, merged one after the other like imports.
            var merged = ClaimHistory([])
            var parts =
                (0..<4).map { _ in events.filter { _ in Bool.random(using: &random) } } + [
                    events.shuffled(using: &random)
                ]
            parts.shuffle(using: &random)
            for part in parts { merged = ClaimHistory(part.shuffled(using: &random) + merged.events) }
            #expect(merged.events.map { Array($0.customer.utf8) } == whole.events.map { Array($0.customer.utf8) })
            for instant in 0..<6 as Range<Int64> {
                #expect(
                    merged.owners(at: instant).map { Array($0.customer.utf8) }
                        == whole.owners(at: instant).map { Array($0.customer.utf8) })
            }
        }
    }

    private struct Former: CustomStringConvertible, Sendable {
        var description: String
        var owners: [ClaimHistory.Owner]
        var former: [FormerClaim] = []
        var events: [ClaimEvent]
    }

    private static let formers: [Former] = [
        Former(
            description: "one claim", owners: [.init(customer: "anna", since: 5)], events: [take(5, "anna")]),
        Former(
            description: "a shared purchase",
            owners: [.init(customer: "anna", since: 7), .init(customer: "ben", since: 5)],
            events: [take(5, "ben"), join(7, "anna")]),
        Former(
            description: "a transfer with an event", owners: [.init(customer: "ben", since: 9)],
            former: [.init(at: 5, "anna", isTransfer: false), .init(at: 9, "ben", isTransfer: true)],
            events: [take(5, "anna"), take(9, "ben")]),
        Former(
            description: "a transfer within a millisecond", owners: [.init(customer: "anna", since: 5)],
            former: [.init(at: 5, "ben", isTransfer: false), .init(at: 5, "anna", isTransfer: true)],
            events: [take(5, "ben"), take(6, "anna")]),
        Former(
            description: "a former owner restored by an older import",
            owners: [.init(customer: "anna", since: 5), .init(customer: "ben", since: 9)],
            former: [.init(at: 5, "anna", isTransfer: false), .init(at: 9, "ben", isTransfer: true)],
            events: [take(5, "anna"), take(9, "ben")]),
        Former(
            description: "shared with the customer whom the app had named",
            owners: [.init(customer: "named", since: 9), .init(customer: "ben", since: 9)],
            former: [.init(at: 9, "ben", isTransfer: false)], events: [take(9, "ben"), join(9, "named")]),
        Former(
            description: "events about other customers only", owners: [.init(customer: "anna", since: 5)],
            former: [.init(at: 9, "ben", isTransfer: true)], events: [take(5, "anna")]),
    ]

    @Test(arguments: formers)
    private func `A claim history is reconstructed from the owners and claim events of older exports`(
        _ testCase: Former
    ) {
        #expect(ClaimHistory(former: testCase.owners, events: testCase.former).events == testCase.events)
    }
}
