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

    @Test func `A subscription is in grace until the millisecond at which grace ends, then in billing retry`() {
        let facts = [period("1", 0, 30)]
        let before = states(facts, [failure(on: 30, grace: 46)], on: day(46) - moment)
        #expect(before.status == .billingGracePeriod)
        #expect(before.subscriptions.first?.accessUntil == day(46))
        #expect(before.subscriptions.first?.details == [.inGracePeriod])
        #expect(before.entitlement("pro")?.until == day(46))
        let after = states(facts, [failure(on: 30, grace: 46)], on: day(46))
        #expect(after.status == .billingRetry)
        #expect(after.isPro == false)
        #expect(after.subscriptions.first?.gracePeriodExpiresDate == day(46))
        // Access ended with the grace period, not with the paid period.
        #expect(after.product("pro.month").endedDate == day(46))
        #expect(states(facts, [failure(on: 30)], on: day(46)).product("pro.month").endedDate == day(30))
        // Also once the App Store no longer tries to charge. A cancellation ended the grace period early.
        for (intent, end) in [(ExpirationIntent.billingError, 46), (.customerCancelled, 30)] {
            let over = renewal(on: 90, renews: false) {
                ($0.expirationIntent, $0.gracePeriodExpiresDate) = (intent, day(46))
            }
            let state = states(facts, [over], on: day(90))
            #expect(state.status == .expired)
            #expect(state.product("pro.month").endedDate == day(Double(end)))
        }
    }

    /// A failed payment for the period after day 30, whose end the renewal info names.
    private static func failed(on date: Double, grace: Double? = nil) -> RenewalFact {
        var info = failure(on: date, grace: grace)
        info.renewalDate = day(30)
        return info
    }

    @Test func `Access ended with the grace period, even if the last renewal info no longer names it`() {
        let expired = renewal(on: 90, renews: false) {
            ($0.expirationIntent, $0.renewalDate) = (.billingError, day(30))
        }
        let infos = [renewal(on: 0), Self.failed(on: 30, grace: 46), Self.failed(on: 46), expired]
        for (date, status, last) in [(47.0, SubscriptionStatus.billingRetry, infos[2]), (91, .expired, expired)] {
            let all = CustomerFacts(transactions: [period("1", 0, 30)], renewals: infos)
            // A ledger keeps the last renewal info and the grace period.
            var kept = CustomerFacts(transactions: all.transactions, renewals: [last])
            kept.gracePeriods = infos.compactMap(\.gracePeriod)
            for facts in [all, kept] {
                let state = engine.state(of: facts, asOf: day(date))
                #expect(state.status == status)
                #expect(state.product("pro.month").endedDate == day(46))
                #expect(state.subscriptions.first?.gracePeriodExpiresDate == nil)
            }
        }
    }

    @Test func `A grace period counts only for its period, and until a renewal info no longer names it`() {
        let grace = Self.failed(on: 30, grace: 46)
        let early = states([period("1", 0, 30)], [grace, Self.failed(on: 40)], on: day(50))
        #expect(early.product("pro.month").endedDate == day(40))
        var second = failure(on: 76)
        second.renewalDate = day(76)
        let later = states([period("1", 0, 30), period("2", 46, 76)], [grace, second], on: day(80))
        #expect(later.status == .billingRetry && later.product("pro.month").endedDate == day(76))
        let other = states(
            [period("9", of: "9", 0, 30)],
            [
                grace,
                renewal(of: "9", on: 46) {
                    ($0.isInBillingRetry, $0.renewalDate) = (true, day(30))
                },
            ], on: day(50))
        #expect(other.status == .billingRetry && other.product("pro.month").endedDate == day(30))
    }

    @Test func `The current state includes a signed grace period even if the server's clock is behind`() {
        let facts = CustomerFacts(transactions: [period("1", 0, 30)], renewals: [failure(on: 30.001, grace: 46)])
        // The clock is a minute and a half behind, and past the end of the period.
        let slow = day(30)
        #expect(engine.state(of: facts, asOf: slow).status == .expired)
        let states = engine.currentState(of: facts, now: slow)
        #expect(states.status == .billingGracePeriod)
        #expect(states.isPro == true)
        #expect(states.asOf == day(30.001))
        #expect(engine.currentState(of: facts, now: day(31)).asOf == day(31))
        #expect(engine.currentState(of: CustomerFacts(), now: slow).asOf == slow)
    }

    @Test func `A subscription with a grace date is in grace if it still renews, even without billing retry`() {
        let odd = renewal(on: 30) { $0.gracePeriodExpiresDate = day(46) }
        #expect(states([period("1", 0, 30)], [odd], on: day(31)).status == .billingGracePeriod)
    }

    @Test func `A subscription with a grace date is expired if the customer cancelled or billing retry ended`() {
        let cancelled = renewal(on: 31, renews: false) {
            $0.expirationIntent = .customerCancelled
            $0.gracePeriodExpiresDate = day(46)
        }
        #expect(states([period("1", 0, 30)], [failure(on: 30, grace: 46), cancelled], on: day(32)).status == .expired)
        let exhausted = renewal(on: 31, renews: false) {
            $0.expirationIntent = .billingError
            $0.gracePeriodExpiresDate = day(46)
        }
        #expect(states([period("1", 0, 30)], [exhausted], on: day(32)).status == .expired)
    }

    @Test func `A subscription in billing retry without a grace period has no access`() {
        let state = states([period("1", 0, 30)], [failure(on: 30)], on: day(40))
        #expect(state.status == .billingRetry)
        #expect(state.subscriptions.first?.isInBillingRetry == true)
        #expect(state.subscriptions.first?.details == [.billingRetry])
        #expect(state.isPro == false)
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

    @Test func `A period paid ahead counts from its purchase date`() {
        let facts = [period("1", "pro.month", 0, 30), period("2", "basic.month", 30, 60, signed: 29.5)]
        let before = states(facts, on: day(29.7))
        #expect(before.subscriptions.first?.transactionID == "1")
        #expect(before.product("basic.month").state == .new)
        #expect(states(facts, on: day(29)).subscriptions.first?.transactionID == "1")
        let after = states(facts, on: day(30))
        #expect(after.subscriptions.first?.transactionID == "2")
        #expect(after.product("pro.month").details == [.changedProduct])
    }

    @Test func `Access lasts until the end of the period that is paid ahead`() {
        let facts = [period("1", 0, 30), period("2", 30, 60, signed: 29.5)]
        // The customer cancelled after the charge.
        let cancelled = renewal(on: 29.6, renews: false) { $0.renewalDate = day(60) }
        let before = states(facts, [cancelled], on: day(29))
        #expect(before.subscriptions.first?.accessUntil == day(30))
        let state = states(facts, [cancelled], on: day(29.7))
        #expect(state.subscriptions.first?.transactionID == "1" && state.subscriptions.first?.expiresDate == day(30))
        #expect(state.subscriptions.first?.accessUntil == day(60) && state.subscriptions.first?.willRenew == false)
        #expect(state.group("g").until == day(60) && state.product("pro.month").until == day(60))
        #expect(state.entitlement("pro")?.until == day(60))
        // It was refunded before it began.
        var refunded = facts
        refunded[1].refund(on: 29.7)
        #expect(states(refunded, on: day(29.8)).entitlement("pro")?.until == day(30))
    }

    @Test func `A product ends with its period if the period that is paid ahead is another product's`() {
        let facts = [period("1", "pro.month", 0, 30), period("2", "basic.month", 30, 60, signed: 29.5)]
        let state = states(facts, on: day(29.7))
        #expect(state.subscriptions.first?.accessUntil == day(60) && state.group("g").until == day(60))
        #expect(state.product("pro.month").until == day(30) && state.product("basic.month").until == nil)
        #expect(state.entitlement("pro")?.until == day(30))
        // Both products give it.
        #expect(state.entitlement("basic")?.until == day(60) && state.entitlement("basic")?.transactionID == "1")
        // Until then another subscription gives the product.
        func shared(until end: Double) -> TransactionFact {
            period("8", of: "8", "basic.month", 5, end) { $0.ownership = .familyShared }
        }
        for (end, until) in [(40.0, 60.0), (29.9, 29.9), (70, 70)] {
            let product = states(facts + [shared(until: end)], on: day(29.7)).product("basic.month")
            #expect(product.state == .active && product.until == day(until))
        }
    }

    @Test func `A period that is paid ahead continues access that a family member or a grant gives until it begins`() {
        let own = [period("1", "pro.month", 0, 30), period("2", "basic.month", 30, 60, signed: 29.5)]
        let shared = period("8", of: "8", "basic.month", 10, 40) { $0.ownership = .familyShared }
        let state = states(own + [shared], on: day(29.7))
        #expect(state.product("basic.month").until == day(60) && state.entitlement("basic")?.until == day(60))
        let map = CustomerFacts(
            transactions: [own[0], period("2", "map", 30, 60, signed: 29.5)],
            grants: [GrantFact(id: "g", entitlement: "map", from: day(0), until: day(35))])
        #expect(engine.state(of: map, asOf: day(29)).entitlement("map")?.until == day(35))
        #expect(engine.state(of: map, asOf: day(29.7)).entitlement("map")?.until == day(60))
        #expect(engine.state(of: map, asOf: day(36)).entitlement("map")?.until == day(60))
        let why = engine.explanation(of: "map", facts: map, asOf: day(29.7))
        #expect(why.rule == .granted && why.until == day(60))
        #expect(why.sentence == "The team granted it until 2023-12-19T22:13:20Z.")
        // The grant ends before that period begins.
        var short = map
        short.grants[0].until = day(29.9)
        #expect(engine.state(of: short, asOf: day(29.7)).entitlement("map")?.until == day(29.9))
    }

    @Test func `A product ended with its last period, not with a refund of a period that had not begun`() {
        let facts = [
            period("1", 0, 30), period("2", 30, 60, signed: 29.6) { $0.revocationDate = day(29.6) },
            period("3", "basic.month", 35, 65),
        ]
        for date in [30.0, 34, 36] {
            let product = states(facts, on: day(date)).product("pro.month")
            #expect(product.endedDate == day(30))
            #expect(product.transactionID == "1")
        }
    }

    @Test func `An upgrade replaces a period of the former product that was paid ahead`() {
        let paid = period("2", "basic.month", 30, 60, signed: 29.5) { $0.reason = .renewal }
        let upgrade = period("3", "pro.month", 29.7, 59.7) { $0.reason = .purchase }
        let info = renewal("pro.month", on: 29.7) { $0.renewalDate = day(59.7) }
        let facts = [period("1", "basic.month", 0, 30), paid, upgrade]
        for date in [29.8, 31] {
            let state = states(facts, [info], on: day(date))
            #expect(state.subscriptions.first?.transactionID == "3")
            #expect(state.product("basic.month").state == .inactive)
        }
        // The renewal of the new product is paid ahead too.
        let next = period("4", "pro.month", 59.7, 89.7, signed: 59.2) { $0.reason = .renewal }
        let last = renewal("pro.month", on: 59.2) { $0.renewalDate = day(89.7) }
        let state = states(facts + [next], [last], on: day(59.3))
        #expect(state.subscriptions.first?.transactionID == "3" && state.product("pro.month").until == day(89.7))
        // It is a renewal of another product.
        let downgrade = period("4", "basic.year", 59.7, 424.7, signed: 59.2) { $0.reason = .renewal }
        let ended = states(facts + [downgrade], on: day(60))
        #expect(ended.product("pro.month").endedDate == day(59.7))
        #expect(ended.product("basic.month").endedDate == day(29.7))
        // Another upgrade follows. The replaced renewal comes between the two.
        let second = period("4", "pro.year", 40, 405) { $0.reason = .purchase }
        for date in [41.0, 61] {
            let former = states(facts + [second], on: day(date)).product("pro.month")
            #expect(former.details == [.upgraded] && former.endedDate == day(40), "day \(date)")
        }
        // Before the upgrade, the paid period would have followed.
        let charged = renewal("basic.month", on: 29.5) { $0.renewalDate = day(60) }
        #expect(states([facts[0], paid], [charged], on: day(31)).subscriptions.first?.transactionID == "2")
    }

    @Test func `A replaced period does not return if the upgrade is refunded after its renewal was paid ahead`() {
        let facts = [
            period("1", "basic.month", 0, 365) { $0.reason = .purchase },
            period("2", 10, 40) {
                $0.reason = .purchase
                $0.refund(on: 39.5)
            },
            period("3", 40, 70, signed: 39.2) { $0.reason = .renewal },
        ]
        for date in [39.6, 40] {
            let state = states(facts, on: day(date))
            #expect(state.subscriptions.map(\.transactionID) == ["3"] && state.isPro == true)
            #expect(state.product("basic.month").endedDate == day(10))
        }
    }

    @Test func `A refund of a period paid ahead leaves the current period unchanged`() {
        let facts = [
            period("1", 0, 30),
            period("2", 30, 60, signed: 29.7) { $0.refund(on: 29.7) },
        ]
        for (date, status) in [(29.8, SubscriptionStatus.active), (31, .expired)] {
            let state = states(facts, on: day(date))
            #expect(state.status == status)
            #expect(state.subscriptions.first?.transactionID == "1")
        }
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
