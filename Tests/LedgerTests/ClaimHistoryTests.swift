import TestSupport
import Testing

@testable import Ledger

@Suite struct `Claim history` {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var claims: [ClaimEvent] = []
        /// The customer of the signed app account token.
        var named: String?
        /// The claims of the purchase's Apple account.
        var account: [ClaimEvent] = []
        /// The expected owners by instant.
        var owners: [Milliseconds: [String]]
    }

    static let cases = [
        Case(testDescription: "no claim", owners: [5: []]),
        Case(
            testDescription: "before the first claim, its customer is the owner", claims: [take(5, "anna")],
            owners: [1: ["anna"], 5: ["anna"]]),
        Case(
            testDescription: "a take ends earlier ownership", claims: [take(5, "anna"), take(7, "ben")],
            owners: [6: ["anna"], 7: ["ben"]]),
        Case(
            testDescription: "a join keeps the other owners",
            claims: [take(5, "anna"), join(7, "ben")],
            owners: [6: ["anna"], 7: ["anna", "ben"]]),
        Case(
            testDescription: "a link counts only without an owner",
            claims: [ClaimEvent(at: 5, .link, "anna"), ClaimEvent(at: 7, .link, "ben")], owners: [7: ["anna"]]),
        Case(
            testDescription: "at one instant, takes come before joins",
            claims: [take(5, "ben"), join(5, "anna")], owners: [5: ["anna", "ben"]]),
        Case(
            testDescription: "a claim overrides the signed token, which overrides the Apple account",
            claims: [take(7, "ben")], named: "anna", account: [take(3, "carl")],
            owners: [1: ["anna"], 6: ["anna"], 7: ["ben"]]),
        Case(
            testDescription: "only the Apple account has an owner", account: [take(5, "carl")],
            owners: [1: ["carl"], 6: ["carl"]]),
    ]

    @Test(arguments: cases)
    func `The owners at an instant follow from the earlier claims, in any order of arrival`(_ testCase: Case) {
        for (claims, account) in [
            (testCase.claims, testCase.account),
            (Array(testCase.claims.reversed()), Array(testCase.account.reversed())),
        ] {
            let owned = ownership(claims, named: testCase.named, account: account)
            for (instant, owners) in testCase.owners {
                #expect(owned.owners(at: instant) == owners, "at \(instant)")
            }
        }
    }

    @Test(arguments: [
        (false, nil as String?, true), (true, nil, false), (false, "anna", false), (true, "anna", false),
    ])
    func `A purchase moves with its Apple account only without a claim and without an account token`(
        _ isClaimed: Bool, _ named: String?, _ follows: Bool
    ) {
        let ownership = Ownership(
            claims: ClaimHistory(isClaimed ? [take(5, "anna")] : []), named: named,
            account: ClaimHistory([take(3, "carl")]))
        #expect(ownership.followsAccount == follows)
    }

    @Test func `An Apple account has one customer, also if an import has added others`() {
        let history = ClaimHistory([take(5, "anna"), join(7, "ben")])
        #expect(history.owners.count == 2 && history.accountOwner?.customer == "anna")
        #expect(ClaimHistory([]).accountOwner == nil)
    }

    @Test func `A take by the only owner changes nothing`() {
        let history = [take(5, "anna"), take(6, "anna"), take(7, "ben")]
        #expect(ClaimHistory(history).owners(at: 6) == [ClaimHistory.Owner(customer: "anna", since: 5)])
        #expect(
            ownership(history).changes == [
                .init(instant: 5, from: [], to: ["anna"]), .init(instant: 7, from: ["anna"], to: ["ben"]),
            ])
    }

    @Test func `A new claim comes after all known claims`() {
        let history = ClaimHistory([take(5, "anna"), take(7, "ben")])
        #expect([3, 7, 9].map { history.next(after: $0) } == [8, 8, 9])
    }

    @Test func `An ownership returns the owners at any instant, the changes and the spans of each customer`() {
        let history = ownership(
            [take(9, "ben"), join(12, "cleo"), take(20, "anna")], named: "anna")
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
        let linked = ownership([take(9, "anna"), take(12, "ben")])
        #expect(linked.owners(at: 0) == ["anna"] && linked.spans(of: "anna") == [.min..<12])
        #expect(linked.changes.first == .init(instant: 9, from: [], to: ["anna"]))
        let ofAccount = ownership([take(9, "anna")], account: [take(5, "ben")])
        #expect(ofAccount.owners(at: 0) == ["ben"] && ofAccount.owners(at: 9) == ["anna"])
        #expect(ownership().owners(at: 5).isEmpty && ownership().changes.isEmpty)
    }

    @Test func `A purchase begins with the customer whom its Apple account had when it was made`() {
        let account = [take(5, "anna"), take(9, "ben"), take(20, "cleo")]
        var bought = ownership(account: account)
        bought.madeAt = 12
        #expect(bought.changes == [.init(instant: 20, from: ["ben"], to: ["cleo"])])
        #expect(bought.spans(of: "anna").isEmpty && bought.spans(of: "ben") == [.min..<20])
        #expect(bought.owners(at: 6) == ["ben"] && bought.owners(at: 19) == ["ben"] && bought.owners == ["cleo"])
        bought.claims = ClaimHistory([take(15, "dora")])
        #expect(bought.changes == [.init(instant: 15, from: ["ben"], to: ["dora"])])
        #expect(bought.owners(at: 14) == ["ben"])
        // The account was claimed after the purchase.
        var older = ownership(account: account)
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
            #expect(merged.events == whole.events)
            // Texts that differ only in their Unicode form are equal.
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
