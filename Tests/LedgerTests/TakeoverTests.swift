import Ledger
import Testing

@Suite struct `What a report takes over` {
    struct Case: CustomTestStringConvertible, Sendable {
        /// The member `restore` of the report.
        var restore: Bool?
        var takeover: Takeover
        var overridesNamedAccount: Bool
        /// Whether the claim continues without refused purchases: of a report with purchases, and of one without.
        var skipsRefused: (Bool, Bool)
        var needsPurchase: Bool
        var ofUnreported: Takeover

        var testDescription: String { "\(takeover)" }
    }

    static let cases = [
        Case(
            restore: true, takeover: .everything, overridesNamedAccount: true, skipsRefused: (true, false),
            needsPurchase: true, ofUnreported: .everything),
        Case(
            restore: nil, takeover: .reportedPurchases, overridesNamedAccount: false, skipsRefused: (true, false),
            needsPurchase: true, ofUnreported: .nothing),
        Case(
            restore: false, takeover: .nothing, overridesNamedAccount: false, skipsRefused: (true, true),
            needsPurchase: false, ofUnreported: .nothing),
    ]

    @Test(arguments: cases) func `The request of a customer decides what the claims may take`(_ testCase: Case) {
        let takeover = Takeover(restore: testCase.restore)
        #expect(takeover == testCase.takeover)
        #expect(takeover.overridesNamedAccount == testCase.overridesNamedAccount)
        #expect(takeover.skipsRefused(reportsPurchases: true) == testCase.skipsRefused.0)
        #expect(takeover.skipsRefused(reportsPurchases: false) == testCase.skipsRefused.1)
        #expect(takeover.needsPurchase == testCase.needsPurchase)
        #expect(takeover.ofUnreported == testCase.ofUnreported)
    }

    @Test(arguments: Takeover.allCases, RestorePolicy.allCases)
    func `A report that takes nothing over leaves purchases with their owners, whatever the app's policy is`(
        _ takeover: Takeover, _ policy: RestorePolicy
    ) {
        #expect(takeover.policy(policy) == (takeover == .nothing ? .keepOriginal : policy))
    }
}
