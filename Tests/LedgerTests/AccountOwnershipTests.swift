import Ledger
import Testing

@Suite struct `The customer of an Apple account` {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The claims of the account.
        var claims: [ClaimEvent] = []
        /// The claims of each of its purchases.
        var purchases: [[ClaimEvent]] = []
        /// The expected customer by instant; nil for none.
        var customers: [Milliseconds: String?]
    }

    private static let standIn = Erasure.standIn(for: "anna", in: "app")

    static let cases = [
        Case(testDescription: "no claim and no purchase", customers: [5: nil]),
        Case(
            testDescription: "a claim of the account, also before it", claims: [take(5, "anna"), take(7, "ben")],
            customers: [1: "anna", 6: "anna", 7: "ben"]),
        Case(
            testDescription: "a claim of the account has priority over the owner of its purchases",
            claims: [take(5, "anna")], purchases: [[take(3, "ben")]], customers: [4: "anna", 6: "anna"]),
        Case(
            testDescription: "an account that an import gave to two customers has the first",
            claims: [take(5, "anna"), ClaimEvent(at: 6, .join, "ben")], customers: [7: "anna"]),
        Case(
            testDescription: "without a claim, the owner of all purchases",
            purchases: [[take(3, "ben")], [take(4, "ben")]], customers: [5: "ben"]),
        Case(
            testDescription: "purchases with several owners name nobody",
            purchases: [[take(3, "ben")], [take(3, "ben"), take(6, "cleo")]], customers: [5: "ben", 6: nil]),
        Case(testDescription: "an erased customer", claims: [take(5, standIn)], customers: [6: nil]),
        Case(
            testDescription: "a purchase of an erased customer does not count",
            purchases: [[take(3, standIn)], [take(4, "ben")]], customers: [5: "ben"]),
    ]

    @Test(arguments: cases) func `follows from its claims, or else from those of its purchases`(_ testCase: Case) {
        let ownership = AccountOwnership(
            claims: ClaimHistory(testCase.claims),
            purchases: testCase.purchases.map {
                Ownership(claims: ClaimHistory($0), named: nil, account: ClaimHistory(testCase.claims))
            })
        for (instant, customer) in testCase.customers {
            #expect(ownership.customer(at: instant) == customer, "at \(instant)")
        }
    }
}
