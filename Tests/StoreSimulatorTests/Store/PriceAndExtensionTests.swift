import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// Price increases, extensions, and notifications without a purchase.
@Suite struct PriceAndExtensionTests {
    @Test func `A price increase that the customer accepts applies from the next renewal`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: true))
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == .pending)
        #expect(try shop.last().renewalInfo?.renewalPrice == 11_990)
        try shop.perform(.acceptPrice(customer: "anna"))
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == .accepted)
        try shop.expectRefusal(.acceptPrice(customer: "anna"), .impossibleTransition)
        shop.wait(.month)
        #expect(
            shop.newNotifications() == [
                "SUBSCRIBED/INITIAL_BUY", "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED", "DID_RENEW",
            ])
        #expect(try shop.last().transaction.price == 11_990)
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == nil)
    }

    @Test func `Without consent to a price increase, the subscription expires`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: true))
        shop.wait(.month)
        #expect(
            shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "PRICE_INCREASE/PENDING", "EXPIRED/PRICE_INCREASE"])
        let info = try #require(try shop.last().renewalInfo)
        #expect(info.expirationIntent == .priceIncreaseNotAccepted)
        #expect(info.priceIncreaseStatus == .pending)
        #expect(info.autoRenewStatus == .off)
    }

    @Test func `A subscription that is cancelled after the price notice expires as voluntary`() throws {
        for hasSubtype in [true, false] {
            var shop = Shop { $0.cancellationAfterPriceNoticeHasSubtype = hasSubtype }
            try shop.buy("plus")
            try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: true))
            try shop.perform(.cancel(customer: "anna"))
            shop.wait(.month)
            #expect(
                shop.newNotifications().suffix(2) == [
                    "DID_CHANGE_RENEWAL_STATUS" + (hasSubtype ? "/AUTO_RENEW_DISABLED" : ""), "EXPIRED/VOLUNTARY",
                ])
        }
    }

    @Test func `A price increase that needs no consent is accepted with the notice`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.increasePrice(product: "plus", price: 10_990, consent: false))
        shop.wait(.month)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "PRICE_INCREASE/ACCEPTED", "DID_RENEW"])
        #expect(try shop.last().transaction.price == 10_990)
        try shop.expectRefusal(.increasePrice(product: "plus", price: 10_990, consent: false), .impossibleTransition)
        try shop.expectRefusal(.increasePrice(product: "plus", price: -1, consent: false), .invalidArgument)
        try shop.expectRefusal(.increasePrice(product: "coins", price: 1, consent: false), .invalidArgument)
    }

    @Test(arguments: [false, true])
    func `A price increase reaches a customer who withdraws a cancellation or a downgrade in time for the notice`(
        isDowngrade: Bool
    ) throws {
        // A monthly subscription needs 27 days' notice, which begin on the 5th of January.
        for (withdrawn, prices) in [(3.0, [11_990, 11_990]), (6, [9990, 11_990])] as [(Double, [Int64])] {
            var shop = Shop()
            try shop.buy("plus")
            try shop.perform(
                isDowngrade ? .purchase(customer: "anna", product: "basic") : .cancel(customer: "anna"))
            try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: false))
            #expect(
                shop.newNotifications().last
                    == (isDowngrade
                        ? "DID_CHANGE_RENEWAL_PREF/DOWNGRADE" : "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"))
            shop.wait(days: withdrawn)
            try shop.perform(
                isDowngrade ? .purchase(customer: "anna", product: "plus") : .resume(customer: "anna"))
            shop.wait(days: 60 - withdrawn)
            let notices = shop.newNotifications().filter { $0.hasPrefix("PRICE_INCREASE") }
            #expect(notices == ["PRICE_INCREASE/ACCEPTED"])
            let payloads = try shop.store.customer("anna").transactions.map { try shop.transaction($0) }
            #expect(payloads.compactMap(\.price) == [9990] + prices)
        }
    }

    @Test func `A customer who changes to another product does not pay the price increase`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: true))
        try shop.buy("basic")
        #expect(try shop.last().renewalInfo?.renewalPrice == 4990)
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == nil)
        shop.wait(.month)
        #expect(try shop.last().transaction.price == 4990)
    }

    @Test func `An increase of a yearly price does not affect customers with monthly billing`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        try shop.buy("plus.yearly", by: "ben")
        try shop.expectRefusal(
            .increasePrice(product: "plus.yearly", price: 109_990, consent: true, customer: "anna"),
            .impossibleTransition)
        try shop.perform(.increasePrice(product: "plus.yearly", price: 109_990, consent: true))
        #expect(
            shop.newNotifications() == [
                "SUBSCRIBED/INITIAL_BUY", "ben: SUBSCRIBED/INITIAL_BUY", "ben: PRICE_INCREASE/PENDING",
            ])
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_RENEW"])
        #expect(try shop.last().transaction.price == 8500)
        #expect(try shop.last().renewalInfo?.renewalPrice == 8500)
    }

    @Test func `An extension moves the expiration date of the same transaction`() throws {
        var shop = Shop()
        let id = try shop.buy("plus")
        let end = try #require(try shop.transaction(id).expiresDate)
        try shop.perform(.extendRenewal(customer: "anna", days: 10))
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "RENEWAL_EXTENDED"])
        #expect(try shop.last().transaction.transactionId == id)
        #expect(try shop.last().transaction.expiresDate == end + 10 * 86_400)
        #expect(try shop.last().renewalInfo?.renewalDate == end + 10 * 86_400)
        shop.wait(.month)
        #expect(shop.newNotifications() == [])
        shop.wait(days: 10)
        #expect(shop.newNotifications() == ["DID_RENEW"])
        try shop.expectRefusal(.extendRenewal(customer: "anna", days: 0), .invalidArgument)
        try shop.expectRefusal(.extendRenewal(customer: "anna", days: 91), .invalidArgument)
        try shop.perform(.extendRenewal(customer: "anna", days: 90))
        try shop.expectRefusal(.extendRenewal(customer: "anna", days: 1), .notEligible)
    }

    @Test func `A refused extension says why in words`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        let error = #expect(throws: StoreError.self) { try shop.perform(.extendRenewal(customer: "anna", days: 1)) }
        #expect(error?.message.hasSuffix("is not active, is in a free offer, or has never been paid for") == true)
    }

    @Test func `Trials, unpaid and free subscriptions cannot be extended`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        try shop.expectRefusal(.extendRenewal(customer: "anna", days: 1), .notEligible)
        try shop.buy("plus", by: "ben")
        try shop.perform(.failBilling(customer: "ben"))
        shop.wait(.month)
        try shop.expectRefusal(.extendRenewal(customer: "ben", days: 1), .notEligible)
        // A free subscription was never paid for.
        for index in shop.store.catalogue.products.indices { shop.store.catalogue.products[index].price = 0 }
        try shop.buy("plus", by: "carl")
        try shop.expectRefusal(.extendRenewal(customer: "carl", days: 1), .notEligible)
    }

    @Test func `A mass extension sends a notification for each subscription, then a summary`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.purchase(customer: "ben", product: "plus"))
        try shop.perform(.createCustomer(customer: "carl", storefront: "DEU"))
        try shop.buy("plus", by: "carl")
        _ = shop.newNotifications()
        let request = try #require(
            try shop.perform(.extendAllRenewals(product: "plus", days: 3, storefronts: ["USA"])).token)
        shop.wait(days: 0.5)
        #expect(
            shop.newNotifications() == [
                "RENEWAL_EXTENDED", "ben: RENEWAL_EXTENSION/FAILURE", "RENEWAL_EXTENSION/SUMMARY",
            ])
        guard case .summary(let summary)? = shop.store.notifications.last?.content else {
            Issue.record("the last notification is no summary")
            return
        }
        #expect(summary.requestIdentifier == request)
        #expect(summary.succeededCount == 1)
        #expect(summary.failedCount == 1)
        #expect(summary.storefrontCountryCodes == ["USA"])
        #expect(shop.store.massExtensions[request]?.completed != nil)
        // Its summary would name the storefront.
        try shop.expectRefusal(
            .extendAllRenewals(product: "plus", days: 3, storefronts: ["usa"]), .unknownStorefront)
        try shop.expectRefusal(.extendAllRenewals(product: "plus", days: 3, storefronts: []), .invalidArgument)
    }

    @Test func `An external purchase token has monthly reminders, and is notified if it stays unreported`() throws {
        var shop = Shop(.sandbox)
        let token = try #require(try shop.perform(.createExternalPurchaseToken(tokenType: .services)).token)
        #expect(token.hasPrefix("SANDBOX"))
        shop.wait(.month)
        shop.wait(.month)
        #expect(
            shop.newNotifications() == ["EXTERNAL_PURCHASE_TOKEN/CREATED"]
                + Array(repeating: "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER", count: 2))
        try shop.perform(.reportExternalPurchaseToken(token: token))
        try shop.expectRefusal(.reportExternalPurchaseToken(token: token), .impossibleTransition)
        // The token is active until the end of its year.
        shop.wait(.year)
        #expect(
            shop.newNotifications() == Array(repeating: "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER", count: 9))
        let plain = try #require(try shop.perform(.createExternalPurchaseToken()).token)
        try shop.perform(.reportExternalPurchaseToken(token: plain))
        shop.wait(.year)
        #expect(shop.newNotifications() == [])
        try shop.perform(.createExternalPurchaseToken())
        shop.wait(.year)
        #expect(shop.newNotifications() == ["EXTERNAL_PURCHASE_TOKEN/UNREPORTED"])
    }

    @Test func `A token that is reported as a duplicate has no further reminders`() throws {
        var shop = Shop()
        let token = try #require(try shop.perform(.createExternalPurchaseToken(tokenType: .services)).token)
        shop.wait(.month)
        #expect(
            shop.newNotifications() == [
                "EXTERNAL_PURCHASE_TOKEN/CREATED", "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER",
            ])
        #expect(shop.store.upcoming?.event.hasPrefix("an external purchase token is due") == true)
        try shop.perform(.reportExternalPurchaseToken(token: token, duplicate: true))
        #expect(shop.store.upcoming?.event == nil)
        shop.wait(.year)
        #expect(shop.newNotifications() == [])
    }

    @Test func `Rescinding consent and requesting a test send a notification each`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.rescindConsent(customer: "anna"))
        let token = try #require(try shop.perform(.requestTestNotification).token)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "RESCIND_CONSENT", "TEST"])
        #expect(shop.store.tests[token] == 2)
        #expect(try shop.status() == .active)
        shop.store.settings.notificationURL = nil
        try shop.expectRefusal(.requestTestNotification, .impossibleTransition)
    }

    @Test func `A renewal date is extended at most twice in 365 days`() throws {
        var shop = Shop()
        try shop.buy("plus.yearly")
        for _ in 0..<2 { try shop.perform(.extendRenewal(customer: "anna", days: 90)) }
        shop.wait(days: 364)
        try shop.expectRefusal(.extendRenewal(customer: "anna", days: 1), .notEligible)
        shop.wait(days: 1)
        try shop.perform(.extendRenewal(customer: "anna", days: 1))
    }
}
