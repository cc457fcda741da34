import Ledger
import Testing

@Suite struct `Claim decisions` {
    private static func link(_ instant: Int64, _ customer: String) -> ClaimEvent { .init(at: instant, .link, customer) }

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
        let anna = ClaimHistory([take(5, "anna")])
        func decide(_ policy: RestorePolicy, mayTake: Bool = false) -> ClaimDecision {
            .account(anna, for: "ben", policy: policy, at: 9) { mayTake }
        }
        #expect(decide(.share) == .isRefused && decide(.keepOriginal) == .isRefused)
        #expect(decide(.transferIfInactive) == .isRefused)
        #expect(decide(.transferIfInactive, mayTake: true) == .moves([take(9, "ben")], from: ["anna"]))
        #expect(decide(.transfer) == .moves([take(9, "ben")], from: ["anna"]))
        for policy in RestorePolicy.allCases {
            let first = ClaimDecision.account(ClaimHistory([]), for: "ben", policy: policy, at: 9) { false }
            #expect(first == .moves([policy == .transfer ? take(9, "ben") : Self.link(9, "ben")], from: []))
            #expect(ClaimDecision.account(anna, for: "anna", policy: policy, at: 9) { false } == .isOwned)
            let erased = ClaimHistory([take(5, Self.erased)])
            let next = ClaimDecision.account(erased, for: "ben", policy: policy, at: 9) { false }
            #expect(next == .moves([take(9, "ben")], from: []))
        }
    }
}
