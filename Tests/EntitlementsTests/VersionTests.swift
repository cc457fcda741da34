import AppStoreModels
import Entitlements
import Foundation
import Testing

@Suite struct `The version of a fact that counts` {
    @Test func `is the one signed last before the instant or at it`() {
        let facts = [period("1", 0, 30), period("1", 0, 40, signed: 10), period("1", 0, 50, signed: 20)]
        #expect(states(facts, on: day(9)).entitlement("pro")?.until == day(30))
        #expect(states(facts, on: day(10)).entitlement("pro")?.until == day(40))
        #expect(states(facts, on: day(25)).entitlement("pro")?.until == day(50))
    }

    @Test func `is the first signed afterwards where none was, without the refund that came later`() {
        let history = [period("1", 0, 30, signed: 100) { $0.revocationDate = day(10) }]
        #expect(states(history, on: day(-1)).subscriptions.isEmpty)
        #expect(states(history, on: day(0)).status == .active)
        #expect(states(history, on: day(0)).subscriptions.first?.revocationDate == nil)
        #expect(states(history, on: day(10) - moment).status == .active)
        #expect(states(history, on: day(10)).status == .revoked)
    }

    @Test func `knows of a refund from the date it was granted only if it was signed by then, or nothing else was`() {
        let facts = [
            period("1", 0, 30),
            period("1", 0, 30) {
                $0.refund(on: 10)
                $0.signAgain(on: 11)
            },
        ]
        #expect(states(facts, on: day(10.5)).status == .active)
        #expect(states(facts, on: day(11)).status == .revoked)
    }

    @Test func `leaves out an upgrade that came later: what took its place tells when`() {
        let history = [
            period("1", "basic.month", 0, 30, signed: 100) { $0.isUpgraded = true },
            period("2", "pro.month", 10, 40, signed: 100),
        ]
        #expect(states(history, on: day(9)).product("basic.month").state == .active)
        #expect(states(history, on: day(10)).product("basic.month").state == .inactive)
        let other = [
            period("1", "basic.month", 0, 30, signed: 100) { $0.isUpgraded = true },
            period("2", of: "2", "pro.month", 10, 40, signed: 100),
        ]
        #expect(states(other, on: day(9)).product("basic.month").state == .active)
        #expect(states(other, on: day(10)).product("basic.month").state == .inactive)
        #expect(states(Array(other.prefix(1)), on: day(9)).product("basic.month").state == .inactive)
    }

    @Test func `of a renewal info is none from after the instant`() {
        let state = states([period("1", 0, 30)], [failure(on: 30, grace: 46)], on: day(10))
        #expect(state.subscriptions.first?.willRenew == nil)
        #expect(state.subscriptions.first?.expirationIntent == nil)
    }

    @Test func `of the period before a failed payment counts in grace, though it was signed again since`() {
        // As when the app reports it in the grace period, and whoever keeps facts keeps the newest version.
        let paid = period("1", 0, 30, signed: 40)
        let late = period("2", 30, 60, signed: 41)
        for end in [day(30), nil] {
            var info = failure(on: 30, grace: 46)
            info.renewalDate = end
            #expect(states([paid], [info], on: day(35)).status == .billingGracePeriod)
            #expect(states([paid], [info], on: day(35)).isPro == true)
            // What was owed then still does not count, and does from when it was signed.
            let owed = states([paid, late], [info], on: day(35))
            #expect(owed.status == .billingGracePeriod && owed.subscriptions.first?.transactionID == "1")
            #expect(states([paid, late], [info], on: day(41)).subscriptions.first?.transactionID == "2")
        }
    }

    @Test func `of a purchase that is later than the instant is none, unless it was signed by then`() {
        #expect(states([purchase("1", "map", .nonConsumable, on: 1)], on: day(0)).purchases.isEmpty)
        let ahead = purchase("1", "map", .nonConsumable, on: 1, signed: 0)
        #expect(states([ahead], on: day(0)).entitlement("map")?.isActive == true)
    }

    @Test func `does not depend on the order where two were signed at the same time`() {
        let kept = period("1", 0, 30)
        let refunded = period("1", 0, 30) { $0.revocationDate = day(0) }
        #expect(states([kept, refunded], on: day(1)).status == .revoked)
        #expect(states([refunded, kept], on: day(1)).status == .revoked)
        #expect(states([refunded, kept], on: day(0)) == states([kept, refunded], on: day(0)))
        let none = period("1", 0, 30)
        let empty = period("1", 0, 30) { $0.offerIdentifier = "" }
        #expect(states([none, empty], on: day(1)) == states([empty, none], on: day(1)))
        let infos = [renewal(on: 0), renewal(on: 0, renews: false)]
        #expect(states([kept], infos, on: day(1)) == states([kept], infos.reversed(), on: day(1)))
    }

    @Test func `is the end, where a cancellation and the end it brings about were signed at the same time`() {
        let cancelled = renewal(on: 31, renews: false) {
            $0.isInBillingRetry = true
            $0.expirationIntent = .billingError
        }
        let ended = renewal(on: 31, renews: false) { $0.expirationIntent = .customerCancelled }
        for infos in [[cancelled, ended], [ended, cancelled]] {
            #expect(states([period("1", 0, 30)], infos, on: day(32)).status == .expired)
        }
    }

    @Test func `of two periods bought at the same time is that of the higher identifier`() {
        let facts = [period("9", "pro.year", 0, 365), period("10", "pro.month", 0, 30)]
        #expect(states(facts, on: day(1)).subscriptions.first?.transactionID == "10")
    }
}
