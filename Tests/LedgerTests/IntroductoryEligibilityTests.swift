import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Eligibility for an introductory offer` {
    /// Purchases taught the groups A and B. The configuration calls the group of `yearly` C, too.
    private static let groups = SubscriptionGroups(
        learned: ["monthly": "A", "yearly": "A", "news": "B"], configured: ["yearly": "C", "weekly": "C"])

    private static func fact(
        _ product: String, in group: String? = nil, type: ProductType = .autoRenewableSubscription
    ) -> TransactionFact {
        TransactionFact(
            transactionID: "1", originalTransactionID: "1", productID: product, type: type,
            purchaseDate: Date(timeIntervalSince1970: 0), subscriptionGroupIdentifier: group,
            signedDate: Date(timeIntervalSince1970: 0))
    }

    /// An account with one subscription that used the offer of its group, or with none.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var bought: TransactionFact?
        var isUsed = true
        var product: String
        var expected: IntroductoryEligibility
        /// The decision for a request with a key shipped in an app.
        var expectedForApp: IntroductoryEligibility?
    }

    static let cases = [
        Case(testDescription: "the account bought nothing", product: "monthly", expected: .eligible),
        Case(
            testDescription: "the account bought nothing, and the group is unknown", product: "daily",
            expected: .eligible, expectedForApp: .unknownGroup),
        Case(
            testDescription: "another product of the group", bought: fact("monthly", in: "A"), product: "yearly",
            expected: .used),
        Case(
            testDescription: "the subscription leaves the account eligible", bought: fact("monthly", in: "A"),
            isUsed: false, product: "yearly", expected: .eligible),
        Case(testDescription: "another group", bought: fact("news", in: "B"), product: "yearly", expected: .eligible),
        Case(
            testDescription: "the group of the product is unknown", bought: fact("news", in: "B"), product: "daily",
            expected: .unknownGroup),
        Case(
            testDescription: "the group of the subscription is unknown", bought: fact("daily"), product: "news",
            expected: .used),
        Case(
            testDescription: "a receipt does not name the group", bought: fact("news"), product: "monthly",
            expected: .eligible),
        Case(
            testDescription: "the configuration gives the group another name", bought: fact("weekly", in: "D"),
            product: "yearly", expected: .used),
    ]

    @Test(arguments: cases) func `It depends on the product's group and those of the account`(_ testCase: Case) {
        var lineages = (testCase.bought.map { [$0] } ?? []).map {
            Lineage(originalTransactionID: $0.originalTransactionID, transactions: [$0])
        }
        let names = Self.groups.fillIn(&lineages)
        let states = lineages.flatMap(\.transactions).map { fact in
            GroupState(
                subscriptionGroupIdentifier: fact.subscriptionGroupIdentifier ?? "none", state: .inactive,
                isEligibleForIntroductoryOffer: !testCase.isUsed, nextStep: .noAction)
        }
        for (isApp, expected) in [(false, testCase.expected), (true, testCase.expectedForApp ?? testCase.expected)] {
            let decision = Self.groups.eligibility(
                for: testCase.product, states, named: names, requiresGroup: isApp)
            #expect(decision == expected, "requested by an app: \(isApp)")
        }
    }

    @Test func `A subscription gets the first known name of its group, and other purchases none`() {
        let facts = [
            Self.fact("yearly"), Self.fact("daily"), Self.fact("monthly", in: "B"),
            Self.fact("yearly", type: .nonConsumable),
        ]
        var lineages = [Lineage(originalTransactionID: "1", transactions: facts)]
        let names = Self.groups.fillIn(&lineages)
        #expect(lineages[0].transactions.map(\.subscriptionGroupIdentifier) == ["A", "", "B", nil])
        #expect(names == ["A": ["A", "C"], "": [""], "B": ["A", "B"]])
    }
}
