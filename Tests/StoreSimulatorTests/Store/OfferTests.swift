import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Introductory, promotional, win-back offers and offer codes.
@Suite struct OfferTests {
    @Test func `A code for new customers applies to the first period`() throws {
        var shop = Shop()
        let payload = try shop.boughtTransaction("plus", offer: "NEWCOMER")
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY"])
        #expect(payload.offerType == .offerCode)
        #expect(payload.offerIdentifier == "NEWCOMER")
        #expect(payload.price == 0)
        try shop.expectRefusal(.purchase(customer: "anna", product: "plus", offer: "NEWCOMER"), .notEligible)
        let unknown = StoreCommand.purchase(customer: "anna", product: "plus", offer: "NOBODY")
        try shop.expectRefusal(unknown, .unknownOffer)
        let thrown = #expect(throws: StoreError.self) { try shop.perform(unknown) }
        let message = try #require(thrown).message
        let offers = try #require(message.split(separator: "; it has ").dropFirst().first, "\(message)")
        #expect(offers.split(separator: ", ").contains("NEWCOMER"), "\(message)")
    }

    @Test(arguments: [("PLUS", OfferType.offerCode), ("loyal", .promotional)])
    func `An offer on the current product applies at the next renewal`(_ id: String, _ type: OfferType) throws {
        var shop = Shop()
        let first = try shop.buy("plus")
        let before = try shop.transaction(first)
        try shop.buy("plus", offer: id)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "OFFER_REDEEMED"])
        #expect(try shop.transaction(first) == before)
        let info = try #require(try shop.last().renewalInfo)
        #expect(info.offerType == type)
        #expect(info.offerIdentifier == id)
        #expect(info.renewalPrice == (type == .promotional ? 4990 : 0))
        shop.wait(.month)
        let payload = try shop.last().transaction
        #expect(payload.offerType == type)
        #expect(payload.offerIdentifier == id)
        #expect(payload.price == info.renewalPrice)
    }

    @Test func `A pay-as-you-go offer lasts for its periods, then the standard price applies`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.buy("plus", offer: "loyal")
        var prices: [Int64?] = []
        for _ in 0..<4 {
            shop.wait(.month)
            prices.append(try shop.last().transaction.price)
        }
        #expect(prices == [4990, 4990, 4990, 9990])
        #expect(try shop.last().transaction.offerType == nil)
    }

    @Test func `A second promotional offer replaces the first`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.buy("plus", offer: "loyal")
        try shop.buy("plus", offer: "loyaler")
        #expect(try shop.last().renewalInfo?.offerIdentifier == "loyaler")
        shop.wait(.month)
        #expect(try shop.last().transaction.price == 3990)
    }

    @Test(arguments: ["goldfish", "NUGGET"])
    func `An offer on a higher level upgrades at once`(_ id: String) throws {
        var shop = Shop()
        let old = try shop.buy("plus")
        let new = try shop.buy("gold", offer: id)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "OFFER_REDEEMED/UPGRADE"])
        #expect(try shop.transaction(old).isUpgraded == true)
        #expect(try shop.transaction(new).offerIdentifier == id)
        #expect(try shop.transaction(new).productId == "gold")
    }

    @Test func `A promotional offer can downgrade at the renewal, and an offer code cannot`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.expectRefusal(.purchase(customer: "anna", product: "basic", offer: "BASIC"), .notEligible)
        try shop.buy("basic", offer: "small")
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "OFFER_REDEEMED/DOWNGRADE"])
        #expect(try shop.last().renewalInfo?.autoRenewProductId == "basic")
        #expect(try shop.last().renewalInfo?.offerIdentifier == "small")
        shop.wait(.month)
        #expect(try shop.last().transaction.productId == "basic")
        #expect(try shop.last().transaction.price == 990)
    }

    @Test func `A promotional offer needs an earlier subscription, and applies at once if that has lapsed`() throws {
        var shop = Shop()
        try shop.expectRefusal(.purchase(customer: "anna", product: "plus", offer: "loyal", sign: true), .notEligible)
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        _ = shop.newNotifications()
        let payload = try shop.boughtTransaction("plus", offer: "loyal")
        #expect(shop.newNotifications() == ["SUBSCRIBED/RESUBSCRIBE"])
        #expect(payload.offerType == .promotional)
        #expect(payload.price == 4990)
    }

    @Test(arguments: [("plus", "loyal"), ("plus", "PLUS"), ("gold", "goldfish"), ("basic", "small")])
    func `Redeeming an offer in billing retry resubscribes`(
        _ product: String, _ offer: String
    ) throws {
        var shop = Shop()
        try shop.perform(.createCustomer(customer: "anna"))
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        let first = try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        shop.wait(days: 3)
        #expect(try shop.status() == .billingRetry)
        _ = shop.newNotifications()
        let payload = try shop.boughtTransaction(product, offer: offer)
        let isShared = product != "basic"
        #expect(
            shop.newNotifications() == [
                "SUBSCRIBED/RESUBSCRIBE", isShared ? "ben: SUBSCRIBED/RESUBSCRIBE" : "ben: REVOKE",
            ])
        #expect(payload.productId == product && payload.offerIdentifier == offer)
        #expect(payload.transactionReason == .purchase && payload.purchaseDate == shop.now)
        #expect(payload.originalTransactionId == first)
        let last = try shop.last()
        #expect(last.status == .active)
        #expect(last.renewalInfo?.expirationIntent == nil && last.renewalInfo?.isInBillingRetryPeriod == nil)
        #expect(try shop.transaction(first).isUpgraded == nil)
        try expectConsistent(shop.store, at: shop.now)
        shop.wait(.month)
        #expect(shop.newNotifications().first == "DID_RENEW")
    }

    @Test func `An introductory pay-as-you-go offer lasts for its periods and is granted once per group`() throws {
        var catalogue = Catalogue.shop
        var other = try #require(catalogue.products.first { $0.id == "news" })
        other.id = "news.other"
        catalogue.products.append(other)
        var shop = Shop(catalogue: catalogue)
        try shop.perform(.purchase(customer: "anna", product: "news"))
        #expect(try shop.last().renewalInfo?.offerType == .introductory)
        #expect(try shop.last().renewalInfo?.renewalPrice == 990)
        shop.wait(.month)
        #expect(try shop.last().transaction.price == 990)
        #expect(try shop.last().renewalInfo?.renewalPrice == 2990)
        shop.wait(.month)
        #expect(try shop.last().transaction.price == 2990)
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        try shop.perform(.purchase(customer: "anna", product: "news.other"))
        #expect(try shop.last().transaction.productId == "news.other")
        #expect(try shop.last().transaction.offerType == nil)
        #expect(try shop.last().transaction.price == 2990)
    }

    @Test func `A subscription that has not lapsed excludes the introductory offer`() throws {
        var shop = Shop()
        try shop.buy("basic")
        try shop.perform(.failBilling(customer: "anna", subscription: "basic"))
        shop.wait(.month)
        #expect(try shop.status() == .billingRetry)
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        #expect(try shop.last().transaction.productId == "plus")
        #expect(try shop.last().transaction.offerType == nil)

        // A member who shares a subscription, and a former one.
        try shop.buy("gold", by: "ben")
        try shop.perform(.shareWithFamily(customer: "ben", member: "carl"))
        try shop.perform(.shareWithFamily(customer: "ben", member: "dora"))
        try shop.perform(.stopSharing(customer: "ben", member: "dora"))
        let offers: [(String, OfferType?)] = [("carl", nil), ("dora", .introductory)]
        for (member, offer) in offers {
            try shop.perform(.purchase(customer: member, product: "plus"))
            #expect(try shop.last(member).transaction.productId == "plus")
            #expect(try shop.last(member).transaction.offerType == offer)
        }

        var sandbox = Shop(.sandbox)
        try sandbox.perform(.assignSeat(customer: "anna", product: "gold"))
        try sandbox.perform(.purchase(customer: "anna", product: "plus"))
        #expect(try sandbox.last().transaction.productId == "plus")
        #expect(try sandbox.last().transaction.offerType == nil)
    }

    @Test func `A code for a consumable is a one-time discount, which only the sandbox grants again`() throws {
        var shop = Shop()
        let payload = try shop.boughtTransaction("coins", offer: "GIFT")
        #expect(shop.newNotifications() == ["ONE_TIME_CHARGE"])
        #expect(payload.offerType == .offerCode)
        #expect(payload.offerDiscountType == .oneTime)
        #expect(payload.price == 490)
        try shop.expectRefusal(.purchase(customer: "anna", product: "coins", offer: "GIFT"), .notEligible)
        var sandbox = Shop(.sandbox)
        for _ in 0..<2 { try sandbox.buy("coins", offer: "GIFT") }
    }

    /// Returns a shop in which the offer PLUS is changed.
    private static func limited(_ change: (inout Offer) -> Void) -> Shop {
        Shop(catalogue: changed("PLUS", change))
    }

    /// Returns the catalogue in which offers of this identifier are changed.
    static func changed(_ identifier: String, _ change: (inout Offer) -> Void) -> Catalogue {
        var catalogue = Catalogue.shop
        for index in catalogue.products.indices {
            guard var terms = catalogue.products[index].subscription else { continue }
            for place in terms.offers.indices where terms.offers[place].identifier == identifier {
                change(&terms.offers[place])
            }
            catalogue.products[index].subscription = terms
        }
        return catalogue
    }

    @Test func `A code can be redeemed once per customer, up to its total, and until it expires`() throws {
        var shop = Self.limited {
            $0.codes = ["SUMMER26"]
            $0.maximumRedemptions = 2
            $0.expires = Shop.start + 40 * 86_400
        }
        #expect(try shop.boughtTransaction("plus", offer: "SUMMER26").offerIdentifier == "PLUS")
        try shop.expectRefusal(.purchase(customer: "anna", product: "plus", offer: "PLUS"), .offerAlreadyRedeemed)
        try shop.buy("plus", offer: "PLUS", by: "ben")
        try shop.expectRefusal(.purchase(customer: "carl", product: "plus", offer: "SUMMER26"), .offerExhausted)
        shop.wait(days: 40)
        try shop.expectRefusal(.purchase(customer: "carl", product: "plus", offer: "SUMMER26"), .offerExpired)
    }

    @Test func `A stackable code follows the introductory offer`() throws {
        var shop = Self.limited { $0.stacksWithIntroductoryOffer = true }
        let outcome = try shop.perform(.purchase(customer: "anna", product: "plus", offer: "PLUS"))
        #expect(try shop.transaction(try #require(outcome.transactionID)).offerType == .introductory)
        #expect(try shop.last().renewalInfo?.offerType == .offerCode)
        shop.wait(.week)
        #expect(try shop.last().transaction.offerIdentifier == "PLUS")
    }

    @Test(arguments: [true, false])
    func `A plan change that turns renewal on sends AUTO_RENEW_ENABLED only if the setting is on`(
        _ announcesSwitch: Bool
    ) throws {
        var shop = Shop { $0.sendsAutoRenewEnabledOnPlanChange = announcesSwitch }
        try shop.buy("plus")
        for (product, kind) in [("basic", "DOWNGRADE"), ("gold", "UPGRADE")] {
            try shop.perform(.cancel(customer: "anna"))
            _ = shop.newNotifications()
            try shop.buy(product)
            let expected = ["DID_CHANGE_RENEWAL_PREF/" + kind]
            #expect(
                shop.newNotifications()
                    == (announcesSwitch ? expected + ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"] : expected))
        }
        try shop.perform(.cancel(customer: "anna"))
        _ = shop.newNotifications()
        try shop.buy("gold")
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"])
    }
}
