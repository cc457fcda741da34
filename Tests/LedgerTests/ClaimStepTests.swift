import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `What a claim does to one of the things that it names` {
    private static let token = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private static func take(_ instant: Int64, _ customer: String) -> ClaimEvent { .init(at: instant, .take, customer) }

    private static func claim(
        _ policy: RestorePolicy, of customer: String = "ben", takesNamed: Bool = false, skipsRefused: Bool = false
    ) -> Claim {
        Claim(
            customer: customer, scope: 1, originalTransactionIDs: ["o"], policy: policy, takesNamed: takesNamed,
            skipsRefused: skipsRefused, claimedAt: 9)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var claim: Claim
        /// The account that the App Store signed for the purchase.
        var token: UUID?
        var claims: [ClaimEvent] = []
        /// Of the purchase of an Apple account.
        var purchaseClaims: [ClaimEvent] = []
        var isKnown = true
        var givesAccess = true
        var originalGivesAccess = false
        var step: ClaimStep
    }

    static let purchases = [
        Case(testDescription: "nobody has it", claim: claim(.transfer), step: .moves([take(9, "ben")], from: [])),
        Case(
            testDescription: "the customer has it", claim: claim(.keepOriginal), claims: [take(5, "ben")],
            step: .isOwned),
        Case(
            testDescription: "another keeps it, and nothing else is had either", claim: claim(.keepOriginal),
            claims: [take(5, "anna")], step: .refusesClaim),
        Case(
            testDescription: "another keeps it, and the rest is had", claim: claim(.keepOriginal, skipsRefused: true),
            claims: [take(5, "anna")], step: .isLeftOut),
        Case(
            testDescription: "it was signed for another account, whatever the policy", claim: claim(.transfer),
            token: token, step: .refusesClaim),
        Case(
            testDescription: "it was signed for another account, and the rest is had",
            claim: claim(.share, skipsRefused: true), token: token, step: .isLeftOut),
        Case(
            testDescription: "it was signed for another account, and that does not count",
            claim: claim(.transfer, takesNamed: true), token: token,
            step: .moves([take(9, "ben")], from: [token.text])),
        Case(
            testDescription: "it was signed for another account, and the customer has it since",
            claim: claim(.transfer),
            token: token, claims: [take(5, "ben")], step: .isOwned),
        Case(
            testDescription: "it was signed for the customer, who has it no more",
            claim: claim(.transfer, of: token.text), token: token, claims: [take(5, "anna")],
            step: .moves([take(9, token.text)], from: ["anna"])),
        Case(
            testDescription: "another has it, and it gives no access", claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], givesAccess: false, step: .moves([take(9, "ben")], from: ["anna"])),
        Case(
            testDescription: "another has it, and it gives access", claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], step: .refusesClaim),
        Case(
            testDescription: "another has it, and nothing is known of it", claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], isKnown: false, step: .moves([take(9, "ben")], from: ["anna"])),
    ]

    @Test(arguments: purchases) func `follows for a purchase`(_ it: Case) {
        let lineage = Lineage(originalTransactionID: "o", transactions: [], appAccountToken: it.token)
        let ownership = Ownership(
            claims: ClaimHistory(it.claims), named: it.token?.text, account: ClaimHistory([]))
        #expect(
            it.claim.step(purchase: it.isKnown ? lineage : nil, ownership) { _ in it.givesAccess } == it.step)
    }

    /// A transaction of the purchase, signed with an Apple account or before it was named.
    private static func transaction(_ id: String, of account: String?) -> TransactionFact {
        TransactionFact(
            transactionID: id, originalTransactionID: "o", productID: "gold", type: .autoRenewableSubscription,
            purchaseDate: Date(milliseconds: 0), signedDate: Date(milliseconds: 0), appTransactionID: account)
    }

    /// What is known of the purchase, by the accounts that its transactions name, and whether a session may have it.
    static let sessions: [([String?]?, String?, Bool)] = [
        (["x"], "x", true), (["x"], "y", false), (["x"], nil, true), ([nil], "y", true), ([nil, "x"], "y", false),
        (["x", "y"], "x", true), (["x", "y"], "z", false), (nil, "y", true),
    ]

    @Test(arguments: sessions)
    func `is nothing where a session is of another Apple account than bought it`(
        _ accounts: [String?]?, _ session: String?, _ mayHave: Bool
    ) throws {
        var lineage: Lineage?
        if let accounts {
            var record = LineageRecord("o")
            for (number, account) in accounts.enumerated() {
                let source = LineageRecord.Source(id: Int64(number + 1), isAhead: { _ in false })
                _ = try record.put(Self.transaction("\(number)", of: account), source)
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
            let refused = skipsRefused ? ClaimStep.isLeftOut : .refusesClaim
            #expect(step([]) == (mayHave ? .moves([Self.take(9, "ben")], from: []) : refused))
            // What somebody gave the customer stays theirs.
            #expect(step([Self.take(5, "ben")]) == .isOwned)
        }
    }

    static let accounts = [
        Case(
            testDescription: "nobody has it", claim: claim(.keepOriginal),
            step: .moves([.init(at: 9, .link, "ben")], from: [])),
        Case(testDescription: "the customer has it", claim: claim(.share), claims: [take(5, "ben")], step: .isOwned),
        Case(
            testDescription: "another has it, and purchases are shared", claim: claim(.share),
            claims: [take(5, "anna")], step: .isLeftOut),
        Case(
            testDescription: "another keeps it", claim: claim(.keepOriginal), claims: [take(5, "anna")],
            step: .refusesClaim),
        Case(
            testDescription: "another keeps it, and the rest is had", claim: claim(.keepOriginal, skipsRefused: true),
            claims: [take(5, "anna")], step: .isLeftOut),
        Case(
            testDescription: "another has it, and a purchase of it gives access", claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], step: .refusesClaim),
        Case(
            testDescription: "another has it, and nothing of it gives access", claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], givesAccess: false, step: .moves([take(9, "ben")], from: ["anna"])),
        Case(
            testDescription: "another has it, and a purchase of it that they claimed gives access",
            claim: claim(.transferIfInactive), claims: [take(5, "anna")], purchaseClaims: [take(6, "anna")],
            step: .refusesClaim),
        Case(
            testDescription: "another has it, and a purchase of it that was signed for them gives access",
            claim: claim(.transferIfInactive), token: token, claims: [take(5, token.text)], step: .refusesClaim),
        Case(
            testDescription: "another has it, and a purchase of it gives somebody else access",
            claim: claim(.transferIfInactive), claims: [take(5, "anna")], purchaseClaims: [take(6, "cleo")],
            step: .moves([take(9, "ben")], from: ["anna"])),
        Case(
            testDescription: "another has it, and got the app early enough", claim: claim(.transferIfInactive),
            claims: [take(5, "anna")], givesAccess: false, originalGivesAccess: true, step: .refusesClaim),
    ]

    @Test(arguments: accounts) func `follows for an Apple account`(_ it: Case) {
        let account = ClaimHistory(it.claims)
        let purchase = HeldPurchase(
            lineage: Lineage(originalTransactionID: "o", transactions: [], appAccountToken: it.token),
            ownership: Ownership(
                claims: ClaimHistory(it.purchaseClaims), named: it.token?.text, account: account))
        let step = it.claim.step(
            account: account, bought: { [purchase] }, givesAccess: { _ in it.givesAccess },
            originalGivesAccess: { it.originalGivesAccess })
        #expect(step == it.step)
    }

    @Test(
        arguments: [
            (true, ["o"], [], true), (true, ["o", "p"], ["p"], false), (true, [], [], false), (false, ["o"], [], false),
        ] as [(Bool, [String], Set<String>, Bool)])
    func `is nothing where none of the purchases is granted and one has to be`(
        _ needsPurchase: Bool, _ named: [String], _ granted: Set<String>, _ isRefused: Bool
    ) {
        let claim = Claim(
            customer: "ben", scope: 1, originalTransactionIDs: named, policy: .transfer, skipsRefused: true,
            needsPurchase: needsPurchase, claimedAt: 9)
        #expect(claim.isRefused(granting: granted) == isRefused)
    }

    @Test(arguments: [(nil, false), (5, false), (6, true)] as [(Milliseconds?, Bool)])
    func `is nothing after an erasure that the app did not know of`(_ erasure: Milliseconds?, _ isOvertaken: Bool) {
        let claim = Claim(
            customer: "ben", scope: 1, originalTransactionIDs: ["o"], policy: .transfer, erasuresKnownUntil: 5,
            claimedAt: 9)
        #expect(claim.isOvertaken(by: erasure) == isOvertaken)
    }
}
