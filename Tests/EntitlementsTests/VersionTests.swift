import AppStoreModels
import Entitlements
import Foundation
import Testing

@Suite struct `Selection of the newest version of a fact` {
    @Test func `The last version signed at or before the instant counts`() {
        let facts = [period("1", 0, 30), period("1", 0, 40, signed: 10), period("1", 0, 50, signed: 20)]
        #expect(states(facts, on: day(9)).entitlement("pro")?.until == day(30))
        #expect(states(facts, on: day(10)).entitlement("pro")?.until == day(40))
        #expect(states(facts, on: day(25)).entitlement("pro")?.until == day(50))
    }

    @Test func `Identifiers that are equal only as Unicode belong to different transactions and purchases`() {
        let (composed, decomposed) = ("jos\u{E9}", "jose\u{301}")
        let state = states(
            [period(composed, of: composed, 0, 30), period(decomposed, of: decomposed, 1, 40)],
            [renewal(of: composed, on: 2, renews: false), renewal(of: decomposed, on: 3)], on: day(10))
        #expect(state.subscriptions.map(\.willRenew) == [true, false])
        #expect(
            state.subscriptions.map { Array($0.originalTransactionID.utf8) }
                == [decomposed, composed].map { Array($0.utf8) })
        let coins = [
            purchase(composed, "coins", .consumable, on: 0), purchase(decomposed, "coins", .consumable, on: 1),
        ]
        #expect(states(coins, on: day(2)).purchases.count == 2)
        let products = [
            purchase("1", composed, .nonConsumable, on: 0), purchase("2", decomposed, .nonConsumable, on: 0),
        ]
        #expect(states(products, on: day(2)).products.count == 2)
    }

    @Test func `Subscription groups that are equal only as Unicode are different groups`() {
        let (composed, decomposed) = ("jos\u{E9}", "jose\u{301}")
        let state = states(
            [
                period("1", of: "1", 0, 30, group: composed) { $0.offerType = .introductory },
                period("2", of: "2", -60, -30, group: decomposed),
            ], on: day(2))
        #expect(
            state.groups.map { Array($0.subscriptionGroupIdentifier.utf8) }
                == [decomposed, composed].map { Array($0.utf8) })
        #expect(state.groups.map(\.isEligibleForIntroductoryOffer) == [true, false])
        #expect(state.group(composed).state == .active && state.group(decomposed).state == .inactive)
    }

    @Test func `An explanation keeps transactions apart whose identifiers are equal only as Unicode`() {
        let (composed, decomposed) = ("jos\u{E9}", "jose\u{301}")
        let facts = CustomerFacts(transactions: [
            purchase(composed, "map", .nonConsumable, on: 0), purchase(decomposed, "map", .nonConsumable, on: 1),
        ])
        let explained = engine.explanation(of: "map", facts: facts, asOf: day(2)).facts
        #expect(explained.map { Array($0.identifier.utf8) } == [decomposed, composed].map { Array($0.utf8) })
        #expect(explained.map(\.role) == [.decides, .lowerPriority])
    }

    @Test func `Without an earlier version the first later one counts, without its later refund`() {
        let history = [period("1", 0, 30, signed: 100) { $0.revocationDate = day(10) }]
        #expect(states(history, on: day(-1)).subscriptions.isEmpty)
        #expect(states(history, on: day(0)).status == .active)
        #expect(states(history, on: day(0)).subscriptions.first?.revocationDate == nil)
        #expect(states(history, on: day(10) - moment).status == .active)
        #expect(states(history, on: day(10)).status == .revoked)
    }

    @Test func `A refund counts from its signing date if an earlier version exists`() {
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

    @Test func `A renewal that an upgrade replaced before it began does not wait for the next upgrade`() {
        let facts = [
            period("1", "basic.month", 0, 30) { $0.reason = .purchase },
            period("2", "basic.month", 30, 60, signed: 41) { ($0.reason, $0.isUpgraded) = (.renewal, true) },
            period("3", 29.7, 59.7) { $0.reason = .purchase },
            period("4", "pro.year", 40, 405) { $0.reason = .purchase },
        ]
        let known = CustomerFacts(transactions: facts).effective(asOf: day(35)).transactions
        #expect(known.map(\.transactionID) == ["1", "3", "2"])
        #expect(known.map(\.isUpgraded) == [true, false, true])
    }

    @Test func `A purchase after a refund upgraded nothing, even if the refund is reversed later`() {
        // The version of the yearly period that was signed after the reversal.
        var year = period("1", "pro.year", 0, 365, signed: 20) { $0.reason = .purchase }
        let month = period("2", 10, 40) { $0.reason = .purchase }
        let isUpgraded = { (facts: [TransactionFact]) in
            CustomerFacts(transactions: facts).effective(asOf: day(35)).transactions.map(\.isUpgraded)
        }
        #expect(isUpgraded([year, month]) == [false, false])
        // The App Store signs both again, for a history.
        let monthAgain = period("2", 10, 40, signed: 30) { $0.reason = .purchase }
        #expect(isUpgraded([year, monthAgain]) == [false, false])
        // A receipt does not say whether the period was upgraded.
        year.reason = nil
        #expect(isUpgraded([year, month]) == [true, false])
        (year.reason, year.signedDate) = (.purchase, day(0))
        #expect(isUpgraded([year, month]) == [true, false])
        // Signed before the purchase, while the simulator's clock stood still.
        year.signedDate = day(10) + moment
        let monthNow = period("2", 10, 40) { ($0.reason, $0.signedDate) = (.purchase, day(10) + 2 * moment) }
        #expect(isUpgraded([year, monthNow]) == [true, false])
    }

    @Test func `An upgraded flag signed later is ignored until the replacing period begins`() {
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

    @Test func `An upgraded flag signed after a migration is ignored until the new subscription begins`() {
        // Advanced Commerce has a subscription group of its own.
        let history = [
            period("1", 0, 30, signed: 100) { $0.isUpgraded = true },
            period("5", of: "5", "generic", 10, 30, signed: 100, group: "other") {
                $0.previousOriginalTransactionID = "1"
            },
        ]
        #expect(states(history, on: day(9)).product("pro.month").state == .active)
        #expect(states(history, on: day(10)).product("pro.month").state == .inactive)
        #expect(states(history, on: day(10)).product("generic").state == .active)
    }

    @Test func `Each of many upgrades that were signed later counts from the next period`() {
        let count = 400
        let history = (0..<count).map { number in
            period(
                "\(1000 + number)", number.isMultiple(of: 2) ? "basic.month" : "pro.month", Double(number),
                Double(number + 30), signed: 1000
            ) { $0.isUpgraded = number < count - 1 }
        }
        for number in [0, 1, 200, count - 1] {
            let state = states(history, on: day(Double(number) + 0.5))
            #expect(state.subscriptions.map(\.transactionID) == ["\(1000 + number)"])
        }
        let others = [
            period("1", 0, 30, signed: 100) { $0.isUpgraded = true },
            period("2", of: "2", 5, 35, signed: 100, group: "other"), period("3", of: "3", 10, 40, signed: 100),
        ]
        for (date, status) in [(7, .active), (10, .expired)] as [(Double, SubscriptionStatus)] {
            let first = states(others, on: day(date)).subscriptions.first { $0.originalTransactionID == "1" }
            #expect(first?.status == status)
        }
    }

    @Test func `A renewal info signed after the instant is ignored`() {
        let state = states([period("1", 0, 30)], [failure(on: 30, grace: 46)], on: day(10))
        #expect(state.subscriptions.first?.willRenew == nil)
        #expect(state.subscriptions.first?.expirationIntent == nil)
    }

    @Test func `A period signed again since counts at a failed payment before`() {
        // For example, the app reports the period during the grace period, and only the newest version is stored.
        let paid = period("1", 0, 30, signed: 40)
        let late = period("2", 30, 60, signed: 41)
        for end in [day(30), nil] {
            var info = failure(on: 30, grace: 46)
            info.renewalDate = end
            #expect(states([paid], [info], on: day(35)).status == .billingGracePeriod)
            #expect(states([paid], [info], on: day(35)).isPro == true)
            // The period paid late does not count then, but from its signing date on.
            let withLatePayment = states([paid, late], [info], on: day(35))
            #expect(
                withLatePayment.status == .billingGracePeriod
                    && withLatePayment.subscriptions.first?.transactionID == "1")
            #expect(states([paid, late], [info], on: day(41)).subscriptions.first?.transactionID == "2")
        }
    }

    @Test func `A purchase after the instant is ignored unless it was signed by then`() {
        #expect(states([purchase("1", "map", .nonConsumable, on: 1)], on: day(0)).purchases.isEmpty)
        let ahead = purchase("1", "map", .nonConsumable, on: 1, signed: 0)
        #expect(states([ahead], on: day(0)).entitlement("map")?.isActive == true)
    }

    @Test func `Versions signed at the same time count in any order`() {
        let active = period("1", 0, 30)
        let refunded = period("1", 0, 30) { $0.revocationDate = day(0) }
        #expect(states([active, refunded], on: day(1)).status == .revoked)
        #expect(states([refunded, active], on: day(1)).status == .revoked)
        #expect(states([refunded, active], on: day(0)) == states([active, refunded], on: day(0)))
        let none = period("1", 0, 30)
        let empty = period("1", 0, 30) { $0.offerIdentifier = "" }
        #expect(states([none, empty], on: day(1)) == states([empty, none], on: day(1)))
        let infos = [renewal(on: 0), renewal(on: 0, renews: false)]
        #expect(states([active], infos, on: day(1)) == states([active], infos.reversed(), on: day(1)))
    }

    @Test func `Of renewal infos signed at the same time, the one that ends the subscription counts`() {
        let cancelled = renewal(on: 31, renews: false) {
            $0.isInBillingRetry = true
            $0.expirationIntent = .billingError
        }
        let ended = renewal(on: 31, renews: false) { $0.expirationIntent = .customerCancelled }
        for infos in [[cancelled, ended], [ended, cancelled]] {
            #expect(states([period("1", 0, 30)], infos, on: day(32)).status == .expired)
        }
    }

    @Test func `Of two periods bought at the same time, the higher identifier counts`() {
        let facts = [period("9", "pro.year", 0, 365), period("10", "pro.month", 0, 30)]
        #expect(states(facts, on: day(1)).subscriptions.first?.transactionID == "10")
    }
}
