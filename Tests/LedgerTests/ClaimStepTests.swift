import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Claim steps` {
    private static let token = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private static func claim(
        _ policy: RestorePolicy, of customer: String = "ben", overridesNamedAccount: Bool = false,
        skipsRefused: Bool = false
    ) -> Claim {
        Claim(
            customer: customer, scope: 1, originalTransactionIDs: ["o"], policy: policy,
            overridesNamedAccount: overridesNamedAccount,
            skipsRefused: skipsRefused, claimedAt: 9)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var claim: Claim
        /// The app account token that the App Store signed for the purchase.
        var token: UUID?
        var claims: [ClaimEvent] = []
        /// The claims of the purchase, in cases about an Apple account.
        var purchaseClaims: [ClaimEvent] = []
        var isKnown = true
        var givesAccess = true
        var originalGivesAccess = false
        var step: ClaimStep
    }

    static let purchases = [
        Case(testDescription: "no owner", claim: claim(.transfer), step: .moves([take(9, "ben")], from: [])),
        Case(
            testDescription: "the customer is the owner", claim: claim(.keepOriginal), claims: [take(5, "ben")],
            step: .isOwned),
        Case(
            testDescription: "another owner keeps it, and the whole claim fails", claim: claim(.keepOriginal),
            claims: [take(5, "anna")], step: .refusesClaim(.policy)),
        Case(
            testDescription: "another owner keeps it, and the claim skips it",
            claim: claim(.keepOriginal, skipsRefused: true),
            claims: [take(5, "anna")], step: .isSkipped(.policy)),
        Case(
            testDescription: "signed for another account token", claim: claim(.transfer),
            token: token, step: .refusesClaim(.signedForAnotherCustomer)),
        Case(
            testDescription: "signed for another account token, and the claim skips it",
            claim: claim(.share, skipsRefused: true), token: token, step: .isSkipped(.signedForAnotherCustomer)),
        Case(
            testDescription: "signed for another account token, which the claim overrides",
            claim: claim(.transfer, overridesNamedAccount: true), token: token,
            step: .moves([take(9, "ben")], from: [token.text])),
        Case(
            testDescription: "signed for another account token, but claimed by the customer since",
            claim: claim(.transfer),
            token: token, claims: [take(5, "ben")], step: .isOwned),
        Case(
            testDescription: "signed for the customer, but claimed by another since",
            claim: claim(.transfer, of: token.text), token: token, claims: [take(5, "anna")],
            step: .moves([take(9, token.text)], from: ["anna"])),
        Case(
            testDescription: "another owner without access", claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], givesAccess: false, step: .moves([take(9, "ben")], from: ["anna"])),
        Case(
            testDescription: "another owner with access", claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], step: .refusesClaim(.policy)),
        Case(
            testDescription: "another owner of an unknown purchase", claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], isKnown: false, step: .moves([take(9, "ben")], from: ["anna"])),
    ]

    @Test(arguments: purchases) func `The claim step for a purchase depends on owners, policy, signed token and access`(
        _ testCase: Case
    ) {
        let lineage = Lineage(originalTransactionID: "o", transactions: [], appAccountToken: testCase.token)
        let ownership = Ownership(
            claims: ClaimHistory(testCase.claims), named: testCase.token?.text, account: ClaimHistory([]))
        #expect(
            testCase.claim.step(purchase: testCase.isKnown ? lineage : nil, ownership) { _ in testCase.givesAccess }
                == testCase.step)
    }

    /// A transaction of the purchase, signed with an Apple account or before Apple added the account's identifier.
    private static func transaction(_ id: String, of account: String?) -> TransactionFact {
        TransactionFact(
            transactionID: id, originalTransactionID: "o", productID: "gold", type: .autoRenewableSubscription,
            purchaseDate: Date(milliseconds: 0), signedDate: Date(milliseconds: 0), appTransactionID: account)
    }

    /// The Apple accounts that the purchase's transactions name, the account of the session, and whether it may claim.
    static let sessions: [([String?]?, String?, Bool)] = [
        (["x"], "x", true), (["x"], "y", false), (["x"], nil, true), ([nil], "y", true), ([nil, "x"], "y", false),
        (["x", "y"], "x", true), (["x", "y"], "z", false), (nil, "y", true),
    ]

    @Test(arguments: sessions)
    func `A claim by a session of another Apple account than the purchase's is refused`(
        _ accounts: [String?]?, _ session: String?, _ mayClaim: Bool
    ) throws {
        var lineage: Lineage?
        if let accounts {
            var record = LineageRecord("o")
            for (number, account) in accounts.enumerated() {
                let source = LineageRecord.Source(id: Int64(number + 1), precedes: { _ in false })
                _ = try record.add(Self.transaction("\(number)", of: account), source)
            }
            lineage = record.lineage
        }
        for skipsRefused in [true, false] {
            var claim = Self.claim(.transfer, skipsRefused: skipsRefused)
            claim.sessionAccount = session
            func step(_ claims: [ClaimEvent]) -> ClaimStep {
                let ownership = Ownership(claims: ClaimHistory(claims), named: nil, account: ClaimHistory([]))
                return claim.step(purchase: lineage, ownership) { _ in false }
            }
            let refused =
                skipsRefused
                ? ClaimStep.isSkipped(.boughtByAnotherAccount) : .refusesClaim(.boughtByAnotherAccount)
            #expect(step([]) == (mayClaim ? .moves([take(9, "ben")], from: []) : refused))
            // A purchase that the customer has already stays theirs.
            #expect(step([take(5, "ben")]) == .isOwned)
        }
    }

    static let accounts = [
        Case(
            testDescription: "no owner", claim: claim(.keepOriginal),
            step: .moves([.init(at: 9, .link, "ben")], from: [])),
        Case(
            testDescription: "the customer is the owner", claim: claim(.share), claims: [take(5, "ben")], step: .isOwned
        ),
        Case(
            testDescription: "another owner, policy share", claim: claim(.share),
            claims: [take(5, "anna")], step: .isSkipped(.policy)),
        Case(
            testDescription: "another owner keeps it", claim: claim(.keepOriginal), claims: [take(5, "anna")],
            step: .refusesClaim(.policy)),
        Case(
            testDescription: "another owner keeps it, and the claim skips it",
            claim: claim(.keepOriginal, skipsRefused: true),
            claims: [take(5, "anna")], step: .isSkipped(.policy)),
        Case(
            testDescription: "another owner, and a purchase of the account gives access",
            claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], step: .refusesClaim(.policy)),
        Case(
            testDescription: "another owner, and no purchase of the account gives access",
            claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], givesAccess: false, step: .moves([take(9, "ben")], from: ["anna"])),
        Case(
            testDescription: "another owner, who has access by a claimed purchase of the account",
            claim: claim(.transferIfInactive), claims: [take(5, "anna")], purchaseClaims: [take(6, "anna")],
            step: .refusesClaim(.policy)),
        Case(
            testDescription: "another owner, who has access by a purchase signed for them",
            claim: claim(.transferIfInactive), token: token, claims: [take(5, token.text)],
            step: .refusesClaim(.policy)),
        Case(
            testDescription: "another owner, and a purchase of the account gives a third customer access",
            claim: claim(.transferIfInactive), claims: [take(5, "anna")], purchaseClaims: [take(6, "cleo")],
            step: .moves([take(9, "ben")], from: ["anna"])),
        Case(
            testDescription: "another owner, who has access by the original purchase",
            claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], givesAccess: false, originalGivesAccess: true, step: .refusesClaim(.policy)),
    ]

    @Test(arguments: accounts)
    func `The claim step for an Apple account depends on its owner, the policy and the access of its purchases`(
        _ testCase: Case
    ) {
        let account = ClaimHistory(testCase.claims)
        let purchase = OwnedPurchase(
            lineage: Lineage(originalTransactionID: "o", transactions: [], appAccountToken: testCase.token),
            ownership: Ownership(
                claims: ClaimHistory(testCase.purchaseClaims), named: testCase.token?.text, account: account))
        let step = testCase.claim.step(
            account: account, bought: { [purchase] }, givesAccess: { _ in testCase.givesAccess },
            originalGivesAccess: { testCase.originalGivesAccess })
        #expect(step == testCase.step)
    }

    /// The number of changes of owner, one a millisecond, the instant of the first, and whether another one follows.
    static let changes: [(Int, Milliseconds, Bool)] = [(99, 1, true), (100, 1, false), (100, 0, true)]

    @Test(arguments: changes)
    func `A purchase or account that changed its owner 100 times in a day stays there, unless the team moves it`(
        _ count: Int, _ first: Milliseconds, _ moves: Bool
    ) throws {
        let now: Milliseconds = 86_400_000
        let claims = ClaimHistory(
            (0..<count).map { take(first + Milliseconds($0), $0.isMultiple(of: 2) ? "anna" : "cleo") })
        let owner = try #require(claims.owners.first).customer
        func steps(of claim: Claim) -> [ClaimStep] {
            let ownership = Ownership(claims: claims, named: nil, account: ClaimHistory([]))
            return [
                claim.step(purchase: nil, ownership) { _ in true },
                claim.step(
                    account: claims, bought: { [] }, givesAccess: { _ in true }, originalGivesAccess: { false }),
            ]
        }
        let moved = ClaimStep.moves([take(now, "ben")], from: [owner])
        var claim = Self.claim(.transfer)
        claim.claimedAt = now
        let limited = ClaimStep.refusesClaim(.ownerChangeLimit)
        for policy in [RestorePolicy.transferIfInactive, .transfer] {
            claim.policy = policy
            #expect(steps(of: claim) == (moves ? [moved, moved] : [limited, limited]), "\(policy)")
        }
        claim.isByTeam = true
        #expect(steps(of: claim) == [moved, moved])
        (claim.isByTeam, claim.customer) = (false, owner)
        #expect(steps(of: claim) == [.isOwned, .isOwned])
        // With this policy an account never moves, and does not refuse the claim of the purchases.
        (claim.policy, claim.customer) = (.share, "ben")
        #expect(steps(of: claim).last == .isSkipped(.policy))
        // The policy refuses it on any day.
        claim.policy = .keepOriginal
        #expect(steps(of: claim) == [.refusesClaim(.policy), .refusesClaim(.policy)])
    }

    @Test func `A transfer by the team makes the customer the only owner, whatever the policy is`() {
        let erased = Erasure.standIn(for: "anna", in: "com.example")
        let cases: [([ClaimEvent], ClaimStep)] = [
            ([.init(at: 5, .join, "anna"), .init(at: 6, .join, "ben")], .moves([take(9, "ben")], from: ["anna"])),
            ([take(5, "anna")], .moves([take(9, "ben")], from: ["anna"])),
            ([take(5, erased)], .moves([take(9, "ben")], from: [])),
            ([], .moves([take(9, "ben")], from: [])), ([take(5, "ben")], .isOwned),
        ]
        var claim = Self.claim(.keepOriginal)
        claim.isByTeam = true
        for (claims, step) in cases {
            let ownership = Ownership(claims: ClaimHistory(claims), named: nil, account: ClaimHistory([]))
            #expect(claim.step(purchase: nil, ownership) { _ in true } == step)
        }
    }

    @Test(
        arguments: [
            (true, ["o"], [], true), (true, ["o", "p"], ["p"], false), (true, [], [], false), (false, ["o"], [], false),
        ] as [(Bool, [String], [String], Bool)])
    func `A claim that needs a purchase is refused if none of the named purchases is granted`(
        _ needsPurchase: Bool, _ named: [String], _ granted: [String], _ isRefused: Bool
    ) {
        let claim = Claim(
            customer: "ben", scope: 1, originalTransactionIDs: named, policy: .transfer, skipsRefused: true,
            needsPurchase: needsPurchase, claimedAt: 9)
        #expect(claim.refusal(granting: granted, skipping: .policy) == (isRefused ? ClaimRefusal.policy : nil))
    }

    @Test(arguments: [(nil, false), (5, false), (6, true)] as [(Milliseconds?, Bool)])
    func `A claim is overtaken by an erasure that is newer than those it knows`(
        _ erasure: Milliseconds?, _ isOvertaken: Bool
    ) {
        let claim = Claim(
            customer: "ben", scope: 1, originalTransactionIDs: ["o"], policy: .transfer, erasuresKnownUntil: 5,
            claimedAt: 9)
        #expect(claim.isOvertaken(by: erasure) == isOvertaken)
    }
}
