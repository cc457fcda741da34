import AppStoreModels
import Entitlements
import Foundation
import Testing

// Grace periods and billing retry.
extension `The status of a subscription` {
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
}
