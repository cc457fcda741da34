import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite(
    .enabled(
        if: FileManager.default.fileExists(atPath: Fixtures.folder.appending(path: "storekit").path),
        Comment(rawValue: Fixtures.absence)))
struct `Genuine StoreKit configuration files` {
    static func read(_ version: Int) throws -> StoreKitConfiguration {
        try StoreKitConfiguration(
            Data(contentsOf: Fixtures.folder.appending(path: "storekit/version-\(version).storekit")))
    }

    @Test(arguments: zip([3, 4, 5], [(3, 5, 10), (2, 1, 3), (3, 2, 4)]))
    func `Xcode's configuration files of versions 3 to 5 are read without warnings`(
        _ version: Int, _ counts: (oneTime: Int, groups: Int, subscriptions: Int)
    ) throws {
        let configuration = try Self.read(version)
        #expect(configuration.warnings == [])
        #expect(configuration.formatVersion == version)
        let catalogue = configuration.catalogue
        #expect(catalogue.groups.count == counts.groups)
        #expect(catalogue.products.count { $0.subscription != nil } == counts.subscriptions)
        #expect(catalogue.products.count { $0.subscription == nil } == counts.oneTime)
        #expect(catalogue.storefronts == [.usa])
        try catalogue.validate()
    }

    @Test func `Prices, periods and offers of Xcode's configuration file match what Xcode shows`() throws {
        let catalogue = try Self.read(5).catalogue
        let monthly = try #require(catalogue.product("com.revenuecat.monthly_4.99.1_week_intro"))
        #expect(monthly.type == .autoRenewableSubscription)
        #expect(monthly.price == 4990)
        #expect(monthly.isFamilyShareable)
        let terms = try #require(monthly.subscription)
        #expect(terms.group == "7096FF06")
        #expect(terms.level == 1)
        #expect(terms.period == .month)
        #expect(
            terms.introductoryOffer == Offer(type: .introductory, discount: .freeTrial, period: Period(3, .month)))
        #expect(
            terms.offers == [
                Offer(
                    identifier: "com.revenuecat.monthly_4.99.1_week_intro.year_discount", type: .promotional,
                    discount: .payUpFront, period: .year, price: 40_990),
                Offer(
                    identifier: "com.revenuecat.monthly_4.99.1_week_intro.pay_as_you_go", type: .promotional,
                    discount: .payAsYouGo, period: .month, periodCount: 2, price: 20_150),
            ])
        let plans = catalogue.product("com.revenuecat.annual_with_commitment")?.subscription?.billingPlans
        #expect(
            plans == [
                BillingPlan(type: .billedUpfront, price: 990, commitmentPrice: 990),
                BillingPlan(type: .monthly, price: 500, commitmentPrice: 6000),
            ])
        #expect(catalogue.product("com.revenuecat.consumable")?.type == .consumable)
        #expect(catalogue.product("lifetime")?.type == .nonConsumable)
        #expect(catalogue.product("com.revenuecat.non_renewable")?.type == .nonRenewingSubscription)
    }

    @Test func `Xcode's configuration files have the expected settings`() throws {
        let (third, fifth) = (try Self.read(3), try Self.read(5))
        #expect(third.settings.renewalRate == .dayEverySecond)
        #expect(third.hasOfferKey)
        #expect(fifth.settings.renewalRate == .realTime)
        #expect(fifth.settings.storefront == "USA")
        #expect(!fifth.hasOfferKey)
        #expect(try Self.read(4).settings.renewalRate == nil)
    }
}
