import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// Price increases, extensions, and everything that is no purchase.
@Suite struct PriceAndExtensionTests {
    @Test func `A price that the customer agrees to holds from the next renewal`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: true))
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == .pending)
        #expect(try shop.last().renewalInfo?.renewalPrice == 11_990)
        try shop.perform(.acceptPrice(customer: "anna"))
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == .accepted)
        try shop.refuses(.acceptPrice(customer: "anna"), .impossibleTransition)
        shop.wait(.month)
        #expect(
            shop.news() == ["SUBSCRIBED/INITIAL_BUY", "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED", "DID_RENEW"])
        #expect(try shop.last().transaction.price == 11_990)
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == nil)
    }

    @Test func `Without an answer the subscription ends`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: true))
        shop.wait(.month)
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "PRICE_INCREASE/PENDING", "EXPIRED/PRICE_INCREASE"])
        let info = try #require(try shop.last().renewalInfo)
        #expect(info.expirationIntent == .priceIncreaseNotAccepted)
        #expect(info.priceIncreaseStatus == .pending)
        #expect(info.autoRenewStatus == .off)
    }

    @Test func `Who cancels after the notice leaves of their own will`() throws {
        for hasSubtype in [true, false] {
            var shop = Shop { $0.cancellationAfterPriceNoticeHasSubtype = hasSubtype }
            try shop.buy("plus")
            try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: true))
            try shop.perform(.cancel(customer: "anna"))
            shop.wait(.month)
            #expect(
                shop.news().suffix(2) == [
                    "DID_CHANGE_RENEWAL_STATUS" + (hasSubtype ? "/AUTO_RENEW_DISABLED" : ""), "EXPIRED/VOLUNTARY",
                ])
        }
    }

    @Test func `Where nobody has to be asked the notice is the consent`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.increasePrice(product: "plus", price: 10_990, consent: false))
        shop.wait(.month)
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "PRICE_INCREASE/ACCEPTED", "DID_RENEW"])
        #expect(try shop.last().transaction.price == 10_990)
        try shop.refuses(.increasePrice(product: "plus", price: 10_990, consent: false), .impossibleTransition)
        try shop.refuses(.increasePrice(product: "plus", price: -1, consent: false), .invalidArgument)
        try shop.refuses(.increasePrice(product: "coins", price: 1, consent: false), .invalidArgument)
    }

    @Test func `An increase is of its product: who leaves for another does not pay it`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: true))
        try shop.buy("basic")
        #expect(try shop.last().renewalInfo?.renewalPrice == 4990)
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == nil)
        shop.wait(.month)
        #expect(try shop.last().transaction.price == 4990)
    }

    @Test func `An increase of a yearly price does not reach who pays it by the month`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        try shop.buy("plus.yearly", by: "ben")
        try shop.refuses(
            .increasePrice(product: "plus.yearly", price: 109_990, consent: true, customer: "anna"),
            .impossibleTransition)
        try shop.perform(.increasePrice(product: "plus.yearly", price: 109_990, consent: true))
        #expect(
            shop.news() == ["SUBSCRIBED/INITIAL_BUY", "ben: SUBSCRIBED/INITIAL_BUY", "ben: PRICE_INCREASE/PENDING"])
        shop.wait(.month)
        #expect(shop.news() == ["DID_RENEW"])
        #expect(try shop.last().transaction.price == 8500)
        #expect(try shop.last().renewalInfo?.renewalPrice == 8500)
    }

    @Test func `One extension moves the end of the same transaction`() throws {
        var shop = Shop()
        let id = try shop.buy("plus")
        let end = try #require(try shop.transaction(id).expiresDate)
        try shop.perform(.extendRenewal(customer: "anna", days: 10))
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "RENEWAL_EXTENDED"])
        #expect(try shop.last().transaction.transactionId == id)
        #expect(try shop.last().transaction.expiresDate == end + 10 * 86_400)
        #expect(try shop.last().renewalInfo?.renewalDate == end + 10 * 86_400)
        shop.wait(.month)
        #expect(shop.news() == [])
        shop.wait(days: 10)
        #expect(shop.news() == ["DID_RENEW"])
        try shop.refuses(.extendRenewal(customer: "anna", days: 0), .invalidArgument)
        try shop.refuses(.extendRenewal(customer: "anna", days: 91), .invalidArgument)
        try shop.perform(.extendRenewal(customer: "anna", days: 90))
        try shop.refuses(.extendRenewal(customer: "anna", days: 1), .notEligible)
    }

    @Test func `Trials and those who have not paid cannot be extended`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        try shop.refuses(.extendRenewal(customer: "anna", days: 1), .notEligible)
        try shop.buy("plus", by: "ben")
        try shop.perform(.failBilling(customer: "ben"))
        shop.wait(.month)
        try shop.refuses(.extendRenewal(customer: "ben", days: 1), .notEligible)
        // What costs nothing was never paid for.
        for index in shop.store.catalogue.products.indices { shop.store.catalogue.products[index].price = 0 }
        try shop.buy("plus", by: "carl")
        try shop.refuses(.extendRenewal(customer: "carl", days: 1), .notEligible)
    }

    @Test func `An extension for all says how each one went, and then how all of them did`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.purchase(customer: "ben", product: "plus"))
        try shop.perform(.createCustomer(customer: "carl", storefront: "DEU"))
        try shop.buy("plus", by: "carl")
        _ = shop.news()
        let request = try #require(
            try shop.perform(.extendAllRenewals(product: "plus", days: 3, storefronts: ["USA"])).token)
        shop.wait(days: 0.5)
        #expect(
            shop.news() == ["RENEWAL_EXTENDED", "ben: RENEWAL_EXTENSION/FAILURE", "RENEWAL_EXTENSION/SUMMARY"])
        guard case .summary(let summary)? = shop.store.notifications.last?.content else {
            Issue.record("the last is no summary")
            return
        }
        #expect(summary.requestIdentifier == request)
        #expect(summary.succeededCount == 1)
        #expect(summary.failedCount == 1)
        #expect(summary.storefrontCountryCodes == ["USA"])
        #expect(shop.store.massExtensions[request]?.completed != nil)
    }

    @Test func `A token for purchases elsewhere is created, remembered monthly, and reported or not`() throws {
        var shop = Shop(.sandbox)
        let token = try #require(try shop.perform(.createExternalPurchaseToken(tokenType: .services)).token)
        #expect(token.hasPrefix("SANDBOX"))
        shop.wait(.month)
        shop.wait(.month)
        #expect(
            shop.news() == ["EXTERNAL_PURCHASE_TOKEN/CREATED"]
                + Array(repeating: "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER", count: 2))
        try shop.perform(.reportExternalPurchaseToken(token: token))
        try shop.refuses(.reportExternalPurchaseToken(token: token), .impossibleTransition)
        shop.wait(.year)
        #expect(shop.news() == [])
        try shop.perform(.createExternalPurchaseToken())
        shop.wait(.year)
        #expect(shop.news() == ["EXTERNAL_PURCHASE_TOKEN/UNREPORTED"])
    }

    @Test func `Consent can be withdrawn, and a test be asked for`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.rescindConsent(customer: "anna"))
        let token = try #require(try shop.perform(.requestTestNotification).token)
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "RESCIND_CONSENT", "TEST"])
        #expect(shop.store.tests[token] == 2)
        #expect(try shop.status() == .active)
        shop.store.settings.notificationURL = nil
        try shop.refuses(.requestTestNotification, .impossibleTransition)
    }
}
