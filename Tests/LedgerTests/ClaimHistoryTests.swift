import Ledger
import Testing

@Suite struct `Whose a purchase was` {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var claims: [ClaimEvent] = []
        /// The customer of the account that the app named.
        var named: String?
        /// The claims of the Apple account.
        var account: [ClaimEvent] = []
        /// Whose it was, by instants.
        var owners: [Milliseconds: [String]]
    }

    private static func take(_ instant: Milliseconds, _ customer: String) -> ClaimEvent {
        ClaimEvent(at: instant, .take, customer)
    }

    static let cases = [
        Case(testDescription: "nobody claimed it", owners: [5: []]),
        Case(
            testDescription: "before the first claim that of who made it", claims: [take(5, "anna")],
            owners: [1: ["anna"], 5: ["anna"]]),
        Case(
            testDescription: "a take ends what others had", claims: [take(5, "anna"), take(7, "ben")],
            owners: [6: ["anna"], 7: ["ben"]]),
        Case(
            testDescription: "a join leaves it to others too",
            claims: [take(5, "anna"), ClaimEvent(at: 7, .join, "ben")],
            owners: [6: ["anna"], 7: ["anna", "ben"]]),
        Case(
            testDescription: "a link counts only where nobody has it",
            claims: [ClaimEvent(at: 5, .link, "anna"), ClaimEvent(at: 7, .link, "ben")], owners: [7: ["anna"]]),
        Case(
            testDescription: "at one instant a take goes before a join",
            claims: [take(5, "ben"), ClaimEvent(at: 5, .join, "anna")], owners: [5: ["anna", "ben"]]),
        Case(
            testDescription: "the signed account goes before the Apple account, and a claim before both",
            claims: [take(7, "ben")], named: "anna", account: [take(3, "carl")],
            owners: [1: ["anna"], 6: ["anna"], 7: ["ben"]]),
        Case(
            testDescription: "the Apple account decides where nothing else does", account: [take(5, "carl")],
            owners: [1: ["carl"], 6: ["carl"]]),
    ]

    @Test(arguments: cases)
    func `follows from the claims until then, in whatever order they came`(_ one: Case) {
        for (claims, account) in [
            (one.claims, one.account), (Array(one.claims.reversed()), Array(one.account.reversed())),
        ] {
            let ownership = Ownership(claims: ClaimHistory(claims), named: one.named, account: ClaimHistory(account))
            for (instant, owners) in one.owners {
                #expect(ownership.owners(at: instant) == owners, "at \(instant)")
            }
        }
    }

    @Test func `has an end where it changed hands, and a claim comes after all that it knew of`() {
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
