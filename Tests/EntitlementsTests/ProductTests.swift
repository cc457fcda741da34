import AppStoreModels
import Entitlements
import Foundation
import Testing

@Suite struct `Products and entitlements` {
    @Test func `A product that was never bought is new`() {
        let state = states([], on: day(0))
        #expect(state.product("pro.month").state == .new)
        #expect(state.entitlements.map(\.entitlement) == ["basic", "map", "pro"])
        #expect(state.entitlements.allSatisfy { $0.state == .new && !$0.isActive })
        #expect(state.entitlement("unheard of") == nil)
    }

    @Test(arguments: [(1990, "1.99"), (300_000, "300"), (nil, nil)] as [(Int64?, String?)])
    func `The price of a fact is converted exactly to units of its currency`(_ price: Int64?, _ amount: String?) throws
    {
        let amount = try amount.map { try #require(Decimal(string: $0)) }
        let fact = purchase("1", "map", .nonConsumable, on: 0) { $0.price = price }
        #expect(fact.decimalPrice == amount)
    }

    @Test func `Product identifiers of the catalogue are compared by bytes`() throws {
        let engine = EntitlementEngine(
            catalogue: ProductCatalogue(entitlements: ["map": ["Kiosk"]], consumables: ["Kiosk"]))
        let passes = ProductCatalogue(durations: ["Kiosk": .months(1)])
        for (product, isActive) in [("Kiosk", true), ("\u{212A}iosk", false)] {
            let facts = CustomerFacts(transactions: [purchase("1", product, .nonConsumable, on: 0)], renewals: [])
            #expect(engine.state(of: facts, asOf: day(1)).entitlement("map")?.isActive == isActive)
            let type = engine.catalogue.type(ofProductInReceipt: product, expires: false)
            #expect(type == (isActive ? .consumable : .nonConsumable))
            #expect(
                passes.type(ofProductInReceipt: product, expires: false)
                    == (isActive ? .nonRenewingSubscription : .nonConsumable))
        }
    }

    @Test func `An upgrade whose reason is unknown ends with the next upgrade, not with the purchase before it`() {
        let facts = [
            period("1", "basic.month", 0, 30) { $0.reason = .purchase },
            period("2", 10, 40) { $0.isUpgraded = true },
            period("3", "pro.year", 20, 385) { $0.reason = .purchase },
        ]
        let product = states(facts, on: day(25)).product("pro.month")
        #expect(product.details == [.upgraded] && product.endedDate == day(20))
    }

    @Test func `A migration replaces the running period, and not the products that the subscription had before`() {
        let facts = [
            period("1", 0, 30), period("2", "basic.month", 30, 60) { $0.reason = .renewal },
            period("5", of: "5", "generic", 40, 60) { $0.previousOriginalTransactionID = "1" },
        ]
        for date in [39.0, 41] {
            let product = states(facts, on: day(date)).product("pro.month")
            #expect(product.details == [.changedProduct] && product.endedDate == day(30), "day \(date)")
        }
        let migrated = states(facts, on: day(41))
        #expect(migrated.subscriptions.map(\.transactionID) == ["2", "5"])
        #expect(migrated.product("basic.month").details == [.upgraded])
        let known = CustomerFacts(transactions: facts).effective(asOf: day(41)).transactions
        #expect(known.map(\.isUpgraded) == [false, true, false])
    }

    @Test func `A product lasted until its migration, although another subscription of it ended earlier`() {
        let facts = [
            period("1", 0, 60),
            period("2", of: "2", 10, 40) { ($0.ownership, $0.revocationDate) = (.familyShared, day(20)) },
            period("5", of: "5", "generic", 30, 60) { $0.previousOriginalTransactionID = "1" },
        ]
        let product = states(facts, on: day(41)).product("pro.month")
        #expect(product.transactionID == "1" && product.details == [.upgraded] && product.endedDate == nil)
        #expect(states(Array(facts.prefix(2)), on: day(29)).product("pro.month").state == .active)
    }

    @Test func `An upgrade to a subscription that is not known has no date`() {
        let product = states([period("1", 0, 30) { $0.isUpgraded = true }], on: day(40)).product("pro.month")
        #expect(product.state == .inactive && product.details == [.upgraded] && product.endedDate == nil)
    }

    @Test func `What happens to a subscription after its migration did not end the access by its former product`() {
        let facts = [
            period("1", 0, 60), period("5", of: "5", "generic", 30, 60) { $0.previousOriginalTransactionID = "1" },
        ]
        let refund = period("1", 0, 60, signed: 50) { ($0.revocationDate, $0.isUpgraded) = (day(50), true) }
        let purchase = period("6", "basic.month", 45, 75) { $0.reason = .purchase }
        for (later, detail) in [(refund, StateDetail.refunded), (purchase, .upgraded)] {
            let product = states(facts + [later], on: day(80)).product("pro.month")
            #expect(product.state == .inactive && product.details == [detail] && product.endedDate == nil)
        }
        // It had ended before.
        let ended = [
            period("1", 0, 30), period("2", "basic.month", 32, 62) { $0.reason = .purchase },
            period("5", of: "5", "generic", 40, 62) { $0.previousOriginalTransactionID = "1" },
        ]
        #expect(states(ended, on: day(80)).product("pro.month").endedDate == day(30))
    }

    @Test func `A non-consumable is owned without an end unless it is refunded`() {
        let map = purchase("1", "map", .nonConsumable, on: 0)
        var refunded = map
        refunded.refund(on: 9)
        let owned = states([map, refunded], on: day(8))
        #expect(owned.entitlement("map")?.isActive == true)
        #expect(owned.entitlement("map")?.until == nil)
        #expect(owned.entitlement("map")?.transactionID == "1")
        let after = states([map, refunded], on: day(9))
        #expect(after.product("map").details == [.refunded])
        #expect(after.product("map").endedDate == day(9))
        #expect(after.purchases.first?.revocationDate == day(9))
        #expect(after.groups.isEmpty)
    }

    /// A transaction that restores a non-consumable, or buys it again, under the original's identifier.
    private func copy(on date: Double, signed: Double, refunded: Double? = nil) -> TransactionFact {
        purchase("9", "map", .nonConsumable, on: date, signed: signed) {
            $0.originalTransactionID = "1"
            $0.revocationDate = refunded.map { day($0) }
        }
    }

    @Test func `A refund of a non-consumable also revokes the transactions that restored it`() {
        let original = purchase("1", "map", .nonConsumable, on: 0) { $0.refund(on: 5, type: .refundFull) }
        // No refund of the copy was signed, and the copy's version is newer than the refund.
        let facts = [copy(on: 3, signed: 20), original]
        let before = states(facts, on: day(4))
        #expect(before.entitlement("map")?.isActive == true && before.purchases.allSatisfy(\.hasAccess))
        let after = states(facts, on: day(21))
        #expect(after.entitlement("map")?.isActive == false)
        #expect(after.purchases.map(\.transactionID) == ["1", "9"])
        #expect(after.purchases.map(\.revocationDate) == [day(5), day(5)])
        #expect(after.product("map").details == [.refunded] && after.product("map").endedDate == day(5))
    }

    @Test func `A non-consumable that was bought again after a refund stays active`() {
        let original = purchase("1", "map", .nonConsumable, on: 0) { $0.refund(on: 5) }
        for date in [5.0, 6] {
            let state = states([original, copy(on: date, signed: date)], on: day(7))
            #expect(state.entitlement("map")?.transactionID == "9" && state.entitlement("map")?.isActive == true)
        }
    }

    @Test func `A refund revokes all of many restored copies of a non-consumable`() {
        let copies = (2..<52).map { number in
            var fact = copy(on: 3, signed: 3)
            fact.transactionID = "\(number)"
            return fact
        }
        var original = purchase("1", "map", .nonConsumable, on: 0)
        let owned = states(copies + [original], on: day(4)).purchases
        #expect(owned.count == 51 && owned.allSatisfy(\.hasAccess))
        original.refund(on: 5)
        let refunded = states(copies + [original], on: day(6)).purchases
        #expect(refunded.count == 51 && refunded.allSatisfy { $0.revocationDate == day(5) })
    }

    @Test func `A refund signed only for a copy counts until the original is signed again`() {
        let refunded = copy(on: 3, signed: 5, refunded: 5)
        func isActive(_ signed: Double) -> Bool? {
            let original = purchase("1", "map", .nonConsumable, on: 0, signed: signed)
            return states([original, refunded], on: day(10)).entitlement("map")?.isActive
        }
        #expect(isActive(0) == false && isActive(5) == false)
        // The refund was reversed.
        #expect(isActive(9) == true)
    }

    @Test func `A refund of other product types concerns one transaction only`() {
        for (product, type) in [("pro.season", ProductType.nonRenewingSubscription), ("coins", .consumable)] {
            let facts = [
                purchase("1", product, type, on: 0) { $0.refund(on: 5) },
                purchase("9", product, type, on: 3) { $0.originalTransactionID = "1" },
            ]
            #expect(states(facts, on: day(6)).purchases.map(\.revocationDate) == [day(5), nil])
        }
    }

    @Test func `A shared non-consumable keeps the product active after the own one is refunded`() {
        let facts = [
            purchase("1", "map", .nonConsumable, on: 0) { $0.refund(on: 5) },
            purchase("2", "map", .nonConsumable, on: 3) { $0.ownership = .familyShared },
        ]
        #expect(states(facts, on: day(6)).product("map").details == [.familyShared])
    }

    @Test func `Each purchase of a non-renewing subscription lasts for the catalogue's duration`() {
        let facts = [
            purchase("1", "coins.week", .nonRenewingSubscription, on: 0),
            purchase("2", "coins.week", .nonRenewingSubscription, on: 3),
        ]
        let both = states(facts, on: day(4))
        #expect(both.product("coins.week").until == day(10))
        #expect(both.purchases.map(\.endDate) == [day(7), day(10)])
        let one = states(facts, on: day(7))
        #expect(one.purchases.map(\.hasAccess) == [false, true])
        let none = states(facts, on: day(10))
        #expect(none.product("coins.week").details == [.durationOver])
        #expect(none.product("coins.week").endedDate == day(10))
        #expect(states(facts, on: day(10) - moment).product("coins.week").state == .active)
    }

    @Test func `A non-renewing subscription without a duration never ends unless it is refunded`() {
        let facts = [purchase("1", "other", .nonRenewingSubscription, on: 0)]
        #expect(states(facts, on: .distantFuture).product("other").state == .active)
        let refunded = [purchase("1", "other", .nonRenewingSubscription, on: 0) { $0.refund(on: 1) }]
        #expect(states(refunded, on: day(2)).product("other").state == .inactive)
    }

    @Test func `Consumables are counted and give no entitlement`() {
        let facts = [
            purchase("1", "coins", .consumable, on: 0) { $0.quantity = 10 },
            purchase("2", "coins", .consumable, on: 1) {
                $0.quantity = 3
                $0.refund(on: 2)
            }, purchase("3", "gems", .consumable, on: 1),
        ]
        let state = states(facts, on: day(5))
        #expect(state.consumables.map(\.productID) == ["coins", "gems"])
        #expect(state.consumables.first?.purchases == 2)
        #expect(state.consumables.first?.quantity == 13)
        #expect(state.consumables.first?.revokedQuantity == 3)
        #expect(state.products.isEmpty)
        #expect(state.purchases.allSatisfy { !$0.hasAccess })
    }

    @Test func `An unknown product type gives no access`() {
        let state = states([purchase("1", "map", ProductType(rawValue: "Rental"), on: 0)], on: day(1))
        #expect(state.entitlement("map")?.isActive == false)
        #expect(state.purchases.count == 1)
    }

    @Test func `The product of the highest level represents an entitlement, which ends with the last product`() {
        let facts = [
            period("1", "basic.month", 0, 365, group: "a"), period("2", of: "2", "pro.month", 0, 30, group: "b"),
        ]
        let state = states(facts, on: day(1))
        #expect(state.entitlement("basic")?.productID == "pro.month")
        #expect(state.entitlement("basic")?.until == day(365))
        #expect(state.groups.map(\.subscriptionGroupIdentifier) == ["a", "b"])
    }

    @Test func `An owned non-consumable removes the end of an entitlement that a subscription represents`() {
        let facts = [period("1", 0, 30), purchase("2", "pro.lifetime", .nonConsumable, on: 0)]
        let state = states(facts, on: day(1))
        #expect(state.entitlement("pro")?.productID == "pro.month")
        #expect(state.entitlement("pro")?.until == nil)
        #expect(state.entitlement("pro")?.isActive == true)
        #expect(states(facts, on: day(31)).entitlement("pro")?.productID == "pro.lifetime")
    }

    @Test func `A group is represented by the highest level, then the latest end, then the newest subscription`() {
        func representative(_ facts: TransactionFact...) -> String? {
            states(facts, on: day(1)).group("g").originalTransactionID
        }
        let basic = period("1", of: "1", "basic.month", 0, 60)
        let pro = period("2", of: "2", "pro.month", 0, 30)
        #expect(representative(basic, pro) == "2")
        #expect(representative(pro, period("3", of: "3", "pro.year", 0, 31)) == "3")
        #expect(representative(pro, period("10", of: "10", "pro.month", 0, 30)) == "10")
    }

    @Test func `A subscription without a group gives access to its product`() {
        let state = states([period("1", 0, 30, group: nil)], on: day(1))
        #expect(state.groups.isEmpty)
        #expect(state.isPro == true)
        let known = states([period("1", 0, 30), period("2", 30, 60, group: nil)], on: day(31))
        #expect(known.groups.map(\.subscriptionGroupIdentifier) == ["g"])
    }

    @Test func `A subscription from a receipt is in the catalogue's group for its product`() {
        let engine = EntitlementEngine(catalogue: ProductCatalogue(groups: ["pro.month": "g", "pro.year": "g"]))
        let trial = period("1", 0, 7, group: nil) { ($0.offerType, $0.offerDiscountType) = (.introductory, .freeTrial) }
        for (date, state) in [(1.0, AccessState.active), (8, .inactive)] {
            let states = engine.state(of: CustomerFacts(transactions: [trial]), asOf: day(date))
            #expect(states.subscriptions.first?.subscriptionGroupIdentifier == "g")
            #expect(states.groups.map(\.subscriptionGroupIdentifier) == ["g"])
            #expect(states.group("g").state == state && !states.group("g").isEligibleForIntroductoryOffer)
        }
        // A signed group identifier overrides the catalogue.
        let named = engine.state(of: CustomerFacts(transactions: [period("1", 0, 30, group: "h")]), asOf: day(1))
        #expect(named.subscriptions.first?.subscriptionGroupIdentifier == "h")
    }

    @Test func `A customer is eligible for an introductory offer that only the sharing purchaser used`() {
        func isEligible(_ change: @escaping (inout TransactionFact) -> Void) -> Bool {
            states([period("1", 0, 30, change: change)], on: day(31)).group("g").isEligibleForIntroductoryOffer
        }
        #expect(isEligible { _ in })
        #expect(isEligible { $0.offerType = .promotional })
        #expect(!isEligible { $0.offerType = .introductory })
        #expect(
            isEligible {
                $0.offerType = .introductory
                $0.ownership = .familyShared
            })
        #expect(!states([period("1", 0, 30)], on: day(1)).group("g").isEligibleForIntroductoryOffer)
    }
}
