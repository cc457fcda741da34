import AppStoreModels
import Entitlements
import Foundation
import Testing

/// A customer whose subscription had ended buys another product of its group, which does not give the entitlement.
@Suite struct `A resubscription with another product` {
    private let bought = renewal("other", on: 45) { $0.renewalDate = day(75) }
    private let left = renewal("other", on: 75, renews: false) {
        ($0.expirationIntent, $0.renewalDate) = (.customerCancelled, day(75))
    }

    private func periods(_ reason: TransactionReason) -> [TransactionFact] {
        [period("1", 0, 30) { $0.reason = .purchase }, period("2", "other", 45, 75) { $0.reason = reason }]
    }

    private func why(
        _ infos: [RenewalFact], on date: Double, next reason: TransactionReason = .purchase
    ) -> Explanation {
        let facts = CustomerFacts(transactions: periods(reason), renewals: infos)
        return engine.explanation(of: "pro", facts: facts, asOf: day(date))
    }

    private func end(_ intent: ExpirationIntent, on date: Double) -> RenewalFact {
        renewal(on: date, renews: false) { ($0.expirationIntent, $0.renewalDate) = (intent, day(30)) }
    }

    private func failure(grace: Double? = nil) -> RenewalFact {
        var info = EntitlementsTests.failure(on: 30, grace: grace)
        info.renewalDate = day(30)
        return info
    }

    @Test func `The former product expired, and a later renewal info does not say why`() {
        for (infos, date) in [([bought], 46.0), ([bought, left], 80)] {
            let explanation = why(infos, on: date)
            #expect(explanation.rule == .expired && explanation.transactionID == "1")
            #expect(explanation.sentence == "The subscription to pro.month ended on 2023-12-14T22:13:20Z.")
        }
        let product = states(periods(.purchase), [bought], on: day(46)).product("pro.month")
        #expect(product.details == [.expired] && product.endedDate == day(30))
        // A renewal with another product continues the subscription, also if it was paid late.
        #expect(why([bought], on: 46, next: .renewal).rule == .changedProduct)
    }

    @Test func `An earlier renewal info says why the former product expired`() {
        let ended = "The subscription to pro.month ended on 2023-12-14T22:13:20Z"
        let cancelled = why([end(.customerCancelled, on: 30), bought], on: 46)
        #expect(cancelled.sentence == ended + ": the customer had cancelled.")
        for infos in [[failure(), bought], [failure(), end(.billingError, on: 40), bought, left]] {
            #expect(why(infos, on: 80).sentence == ended + ": the payment failed.")
        }
        #expect(
            why([failure(), end(.customerCancelled, on: 40), bought], on: 46).sentence
                == "The payment for pro.month failed; the period ended on 2023-12-14T22:13:20Z, and the customer "
                + "cancelled while the App Store tried again.")
    }

    @Test func `A purchase in the billing grace period continues the subscription`() {
        #expect(why([failure(grace: 46), bought], on: 47).rule == .changedProduct)
        #expect(why([failure(grace: 45), bought], on: 47).rule == .expired)
    }
}
