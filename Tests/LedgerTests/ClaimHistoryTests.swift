import Ledger
import Testing

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

    private static func take(_ instant: Milliseconds, _ customer: String) -> ClaimEvent {
        ClaimEvent(at: instant, .take, customer)
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
            claims: [take(5, "anna"), ClaimEvent(at: 7, .join, "ben")],
            owners: [6: ["anna"], 7: ["anna", "ben"]]),
        Case(
            testDescription: "a link counts only without an owner",
            claims: [ClaimEvent(at: 5, .link, "anna"), ClaimEvent(at: 7, .link, "ben")], owners: [7: ["anna"]]),
        Case(
            testDescription: "at one instant, takes come before joins",
            claims: [take(5, "ben"), ClaimEvent(at: 5, .join, "anna")], owners: [5: ["anna", "ben"]]),
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
            let ownership = Ownership(
                claims: ClaimHistory(claims), named: testCase.named, account: ClaimHistory(account))
            for (instant, owners) in testCase.owners {
                #expect(ownership.owners(at: instant) == owners, "at \(instant)")
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
            claims: ClaimHistory(isClaimed ? [Self.take(5, "anna")] : []), named: named,
            account: ClaimHistory([Self.take(3, "carl")]))
        #expect(ownership.followsAccount == follows)
    }

    @Test func `An Apple account has one customer, also if an import has added others`() {
        let history = ClaimHistory([Self.take(5, "anna"), ClaimEvent(at: 7, .join, "ben")])
        #expect(history.owners.count == 2 && history.accountOwner?.customer == "anna")
        #expect(ClaimHistory([]).accountOwner == nil)
    }

    @Test func `An ownership span ends at the next transfer, and a new claim comes after all known claims`() {
        let history = ClaimHistory([Self.take(5, "anna"), Self.take(6, "anna"), Self.take(7, "ben")])
        #expect(history.owners(at: 6) == [ClaimHistory.Owner(customer: "anna", since: 5)])
        let ownership = Ownership(claims: history, named: nil, account: ClaimHistory([]))
        #expect(
            ownership.changes == [
                Ownership.Change(instant: 5, from: [], to: ["anna"]),
                Ownership.Change(instant: 7, from: ["anna"], to: ["ben"]),
            ])
        #expect(ownership.spans(of: "anna") == [Milliseconds.min..<7])
        #expect(ownership.spans(of: "ben") == [7..<Milliseconds.max])
        #expect([3, 7, 9].map { history.next(after: $0) } == [8, 8, 9])
    }
}
