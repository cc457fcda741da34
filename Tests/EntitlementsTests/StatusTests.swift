import AppStoreModels
import Entitlements
import Foundation
import Testing

@Suite struct `The status of a subscription` {
    @Test func `A subscription is revoked if its latest period was refunded`() {
        let facts = [period("1", 0, 30) { $0.refund(on: 5, type: .refundFull) }]
        let state = states(facts, on: day(10))
        #expect(state.status == .revoked)
        #expect(state.subscriptions.first?.revocationDate == day(5))
        #expect(state.subscriptions.first?.details == [.refunded])
        #expect(state.subscriptions.first?.accessUntil == nil)
        #expect(state.isPro == false)
        #expect(states(facts, on: day(31)).status == .revoked)
    }

    @Test func `A subscription is active until the millisecond at which its period ends`() {
        let facts = [period("1", 0, 30)]
        #expect(states(facts, [renewal(on: 0)], on: day(30) - moment).status == .active)
        #expect(states(facts, [renewal(on: 0)], on: day(30)).status == .expired)
    }

    @Test func `A subscription is active during its period even if a renewal info reports a failed payment`() {
        #expect(states([period("1", 0, 30)], [failure(on: 1, grace: 40)], on: day(2)).status == .active)
    }

    @Test(arguments: [
        (ExpirationIntent.customerCancelled, [StateDetail.expired, .cancelled]),
        (.billingError, [.expired, .billingError]),
        (.priceIncreaseNotAccepted, [.expired, .priceIncreaseNotAccepted]),
        (.productNotAvailable, [.expired, .productNotAvailable]),
        (.other, [.expired]), (ExpirationIntent(rawValue: 9), [.expired]),
    ])
    func `A subscription that is expired has the reason among its details`(
        _ intent: ExpirationIntent, _ details: [StateDetail]
    ) {
        let info = renewal(on: 30, renews: false) { $0.expirationIntent = intent }
        let state = states([period("1", 0, 30)], [info], on: day(31))
        #expect(state.status == .expired)
        #expect(state.subscriptions.first?.details == details)
        #expect(state.subscriptions.first?.expirationIntent == intent)
        #expect(state.product("pro.month").state == .inactive)
        #expect(state.product("pro.month").endedDate == day(30))
        // Apple does not document whether renewal is off then.
        let on = states([period("1", 0, 30)], [renewal(on: 30) { $0.expirationIntent = intent }], on: day(31))
        #expect(on.subscriptions.first?.willRenew == (intent == .billingError))
        #expect(on.product("pro.month").willRenew == (intent == .billingError))
    }

    @Test func `No offer is made if a subscription ended that was to renew and the renewal is not known`() {
        func step(_ change: (inout RenewalFact) -> Void = { _ in }, renews: Bool = true) -> NextStep {
            states([period("1", 0, 30)], [renewal(on: 5, renews: renews, change: change)], on: day(31)).group("g")
                .nextStep
        }
        #expect(step() == .noAction)
        #expect(step(renews: false) == .promotionalOffer)
        #expect(step { $0.expirationIntent = .billingError } == .promotionalOffer)
        #expect(step { $0.eligibleWinBackOfferIDs = ["back"] } == .winBackOffer)
        #expect(states([period("1", 0, 30)], on: day(31)).group("g").nextStep == .promotionalOffer)
    }

    @Test func `A subscription period without an expiry date is expired`() {
        let facts = [period("1", 0, 30) { $0.expiresDate = nil }]
        #expect(states(facts, on: day(1)).status == .expired)
    }

    @Test func `The status ignores earlier periods that were upgraded, refunded or have expired`() {
        let facts = [
            period("1", 0, 30) { $0.refund(on: 35) }, period("2", 30, 60) { $0.isUpgraded = true },
            period("3", "pro.year", 40, 400),
        ]
        let state = states(facts, on: day(50))
        #expect(state.status == .active)
        #expect(state.subscriptions.first?.transactionID == "3")
        #expect(state.subscriptions.first?.revocationDate == nil)
    }

    @Test func `The status is that of an upgrade, even if the old period was never marked as upgraded`() {
        let facts = [period("1", "basic.month", 0, 365), period("2", "pro.month", 10, 40)]
        let state = states(facts, on: day(50))
        #expect(state.status == .expired)
        #expect(state.product("basic.month").details == [.upgraded])
    }

    @Test func `A subscription is expired if all its known periods were upgraded`() {
        let state = states([period("1", 0, 30) { $0.isUpgraded = true }], on: day(10))
        #expect(state.status == .expired)
        #expect(state.subscriptions.first?.details == [.upgraded])
        #expect(state.subscriptions.first?.nextStep == .noAction)
    }

    @Test func `A period that is refunded at its beginning revokes the subscription`() {
        let facts = [period("1", 0, 31), period("2", 30, 60) { $0.refund(on: 30, type: .refundFull) }]
        #expect(states(facts, on: day(30)).status == .revoked)
        // Refunded before its beginning, the period does not affect the current one.
        let earlier = [period("1", 0, 31), period("2", 30, 60) { $0.refund(on: 30 - 1 / 86_400, type: .refundFull) }]
        #expect(states(earlier, on: day(30)).status == .active)
    }

    @Test func `Of two periods signed at the same millisecond, the one in the renewal info counts`() {
        let facts = [
            period("1", 0, 30), period("2", "pro.year", 29.5, 394.5) { $0.reason = .purchase },
            period("3", 30, 60, signed: 29.6),
        ]
        func product(signed: Double) -> String? {
            let named = renewal("pro.year", on: signed) { $0.renewalDate = day(394.5) }
            return states(facts, [named], on: day(31)).subscriptions.first?.productID
        }
        #expect(product(signed: 29.6) == "pro.year")
        #expect(product(signed: 29.5) == "pro.month")
    }

    @Test func `A renewal info from before a new purchase is ignored`() {
        let lapsed = renewal(on: 30, renews: false) { $0.expirationIntent = .customerCancelled }
        let facts = [period("1", 0, 30), period("2", 50, 80)]
        let state = states(facts, [lapsed], on: day(60))
        #expect(state.status == .active)
        #expect(state.subscriptions.first?.willRenew == nil)
        #expect(state.subscriptions.first?.expirationIntent == nil)
        #expect(state.subscriptions.first?.nextStep == .noAction)
    }

    @Test func `A renewal info about the previous period is ignored after a late payment`() {
        // Paid in the grace period: the next period begins before the payment failed.
        let facts = [period("1", 0, 30), period("2", 30, 60, signed: 35)]
        func failed(_ date: Double) -> RenewalFact {
            var info = failure(on: date, grace: date + 16)
            info.renewalDate = day(date)
            return info
        }
        let paid = states(facts, [failed(30)], on: day(36))
        #expect(paid.status == .active)
        #expect(paid.subscriptions.first?.isInBillingRetry == false)
        #expect(paid.subscriptions.first?.willRenew == nil && paid.subscriptions.first?.expirationIntent == nil)
        let over = states(facts, [failed(30)], on: day(61))
        #expect(over.status == .expired && over.group("g").nextStep == .promotionalOffer)
        // A renewal info about this period counts.
        #expect(states(facts, [failed(60)], on: day(61)).status == .billingGracePeriod)
    }

    @Test func `A family member who is added again during grace has the status of the new period`() {
        let shared: (inout TransactionFact) -> Void = { $0.ownership = .familyShared }
        let facts = [
            period("8", of: "8", 5, 30) {
                shared(&$0)
                $0.refund(on: 31)
            }, period("9", of: "8", 0, 30, signed: 32, change: shared),
        ]
        var info = failure(on: 32, grace: 46)
        info.originalTransactionID = "8"
        let state = states(facts, [info], on: day(33))
        #expect(state.status == .billingGracePeriod)
        #expect(state.subscriptions.first?.transactionID == "9")
    }

    @Test func `A migration to another identifier ends a subscription`() {
        let facts = [
            period("1", 0, 30), period("5", of: "5", "generic", 10, 30) { $0.previousOriginalTransactionID = "1" },
        ]
        let state = states(facts, [renewal(on: 0)], on: day(12))
        #expect(state.subscriptions.map(\.status) == [.expired, .active])
        #expect(state.subscriptions.first?.willRenew == false)
        #expect(state.product("pro.month").details == [.upgraded])
        // It did not end at the end of its period, which is still to come.
        #expect(state.product("pro.month").endedDate == nil)
        #expect(states(facts, [renewal(on: 0)], on: day(9)).status == .active)
    }

    @Test func `A purchase of the old product after a migration counts, also once the new subscription has renewed`() {
        let migrated: (inout TransactionFact) -> Void = { $0.previousOriginalTransactionID = "1" }
        let facts = [
            period("1", 0, 30), period("5", of: "5", "generic", 10, 30, change: migrated), period("6", 20, 50),
            period("7", of: "5", "generic", 30, 60, change: migrated),
        ]
        for date in [21.0, 31] {
            let state = states(facts, on: day(date))
            #expect(state.subscriptions.map(\.status) == [.active, .active], "day \(date)")
            #expect(state.product("pro.month").transactionID == "6" && state.product("pro.month").until == day(50))
        }
        #expect(states(facts, on: day(19)).subscriptions.map(\.status) == [.expired, .active])
    }

    @Test(arguments: [(0, false), (1, true), (2, true)] as [(Int32, Bool)])
    func `Only the renewal status 0 says that a subscription will not renew`(_ status: Int32, _ willRenew: Bool) {
        let payload = JWSRenewalInfoDecodedPayload(
            originalTransactionId: "1", productId: "pro.month", autoRenewProductId: "pro.month",
            autoRenewStatus: AutoRenewStatus(rawValue: status), environment: .production, signedDate: day(1))
        let state = states([period("1", 0, 30)], [RenewalFact(payload)], on: day(2))
        #expect(state.subscriptions.map(\.willRenew) == [willRenew])
    }
}
