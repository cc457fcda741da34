import AppStoreModels
import Entitlements
import Foundation
import Testing

// Periods that are paid before they begin.
extension `The status of a subscription` {
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

    @Test func `A renewal that is charged later and begins earlier replaces the period that is paid ahead`() {
        let facts = [
            period("1", 0, 30) { $0.reason = .purchase }, period("2", 30, 60, signed: 29.3) { $0.reason = .renewal },
            period("3", 29.6, 59.6) { $0.reason = .renewal },
        ]
        for (date, id) in [(29.5, "1"), (29.7, "3"), (31, "3"), (59, "3")] {
            let state = states(facts, on: day(date)).subscriptions.first
            #expect(state?.transactionID == id && state?.accessUntil == day(id == "1" ? 60 : 59.6), "day \(date)")
        }
        // The next renewal replaces nothing.
        let next = period("4", 59.6, 89.6, signed: 59) { $0.reason = .renewal }
        #expect(states(facts + [next], on: day(60)).subscriptions.first?.transactionID == "4")
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
}
