import AppStoreModels
import Foundation
import StoreSimulator
import Testing

@Suite("StoreKit configuration files")
struct StoreKitConfigurationTests {
    static let text = """
        {"version": {"major": 5, "minor": 1}, "identifier": "00000000",
         "subscriptionOffersKeyPair": {"id": "C0FFEE00", "privateKey": "secret"},
         "settings": {"_timeRate": 13, "_storefront": "ESP", "_billingGracePeriodEnabled": true,
                      "_renewalBillingIssuesEnabled": true, "_compatibilityTimeRate": {"3": 6}, "_new": 1},
         "products": [{"productID": "coins", "type": "Consumable", "displayPrice": "0.99", "surprise": [],
                       "codeOffers": [{"referenceName": "Free coins", "eligibility": ["new", "other"]}]}],
         "subscriptionGroups": [{"id": "G", "name": "Group", "subscriptions": [
            {"productID": "monthly", "displayPrice": 9.99, "recurringSubscriptionPeriod": "P1M", "groupNumber": 2,
             "introductoryOffers": [{"paymentMode": "free", "subscriptionPeriod": "P3D", "displayPrice": "1.99"}],
             "codeOffers": [{"referenceName": "Save 20", "paymentMode": "payUpFront", "subscriptionPeriod": "P1Y",
                             "numberOfPeriods": 1, "displayPrice": "79.9", "eligibility": ["expired"], "isStackable": true}],
             "winbackOffers": [{"offerID": "back", "paymentMode": "payAsYouGo", "subscriptionPeriod": "P1M",
                                "numberOfPeriods": 2, "displayPrice": "4", "isEligible": true}]},
            {"productID": "yearly", "displayPrice": "99.99", "recurringSubscriptionPeriod": "P1Y",
             "adHocOffers": [{"internalID": "ABCD", "paymentMode": "payUpFront", "subscriptionPeriod": "P1M"}]}]}]}
        """

    @Test func `A StoreKit configuration is parsed into products, offers and storefront`() throws {
        let configuration = try StoreKitConfiguration(Data(Self.text.utf8))
        var code = Offer(
            identifier: "Save 20", type: .offerCode, discount: .payUpFront, period: .year, price: 79_900,
            eligibility: [.expired])
        code.stacksWithIntroductoryOffer = true
        let expected = Catalogue(
            products: [
                Product(
                    id: "coins", type: .consumable, price: 990,
                    offers: [
                        Offer(identifier: "Free coins", type: .offerCode, discount: .oneTime, eligibility: [.new])
                    ]),
                Product(
                    id: "monthly", type: .autoRenewableSubscription, price: 9990,
                    subscription: SubscriptionTerms(
                        group: "G", level: 2, period: .month,
                        introductoryOffer: Offer(type: .introductory, discount: .freeTrial, period: Period(3, .day)),
                        offers: [
                            code,
                            Offer(
                                identifier: "back", type: .winBack, discount: .payAsYouGo, period: .month,
                                periodCount: 2, price: 4000),
                        ])),
                Product(
                    id: "yearly", type: .autoRenewableSubscription, price: 99_990,
                    subscription: SubscriptionTerms(
                        group: "G", level: 1, period: .year,
                        offers: [
                            Offer(identifier: "ABCD", type: .promotional, discount: .payUpFront, period: .month)
                        ])),
            ],
            groups: [SubscriptionGroup(id: "G", name: "Group")],
            storefronts: [Storefront(code: "ESP", id: "143454", currency: "EUR")])
        #expect(configuration.catalogue == expected)
        #expect(try Catalogue(storeKitConfiguration: Data(Self.text.utf8)) == expected)
    }

    @Test func `A StoreKit configuration has settings, and its description omits the private key`() throws {
        let configuration = try StoreKitConfiguration(Data(Self.text.utf8))
        #expect(configuration.settings.renewalRate == .monthlyEvery5Minutes)
        #expect(configuration.settings.storefront == "ESP")
        #expect(configuration.settings.isBillingGracePeriodEnabled)
        #expect(configuration.settings.areRenewalBillingIssuesEnabled)
        #expect(!configuration.settings.areBillingIssuesEnabled)
        #expect(!configuration.settings.isAskToBuyEnabled)
        #expect(configuration.hasOfferKey)
        #expect(!String(reflecting: configuration).contains("secret"))
    }

    @Test func `Unknown members of a StoreKit configuration are listed in its warnings`() throws {
        #expect(
            try StoreKitConfiguration(Data(Self.text.utf8)).warnings == [
                "settings._new: not understood",
                "products[0].codeOffers[0].eligibility[1]: not understood",
                "products[0].surprise: not understood",
                "subscriptionGroups[0].subscriptions[0].winbackOffers[0].isEligible: not understood",
                #"subscriptionGroups[0].subscriptions[1].adHocOffers[0]: has no name; its identifier is "ABCD""#,
                "subscriptionGroups[0].subscriptions[1].adHocOffers[0].displayPrice: is missing, so the offer costs nothing",
            ])
    }

    @Test(arguments: [
        "{}", #"{"products": [], "settings": {}, "subscriptionGroups": [], "version": {"major": 1, "minor": 0}}"#,
    ])
    func `A StoreKit configuration that is empty or of format 1 is accepted`(_ text: String) throws {
        let configuration = try StoreKitConfiguration(Data(text.utf8))
        #expect(configuration.catalogue == Catalogue(products: []))
        #expect(configuration.warnings == [])
        #expect(configuration.settings == StoreKitConfiguration.Settings())
    }

    @Test func `A byte order mark before a StoreKit configuration is ignored`() throws {
        let (text, mark) = (Data(Self.text.utf8), Data([0xEF, 0xBB, 0xBF]))
        #expect(try StoreKitConfiguration(mark + text) == StoreKitConfiguration(text))
        #expect(throws: CatalogueError.self) { try StoreKitConfiguration(mark + mark + text) }
    }

    @Test func `StoreKit errors that a configuration enables are listed in its warnings`() throws {
        let text = """
            {"settings": {"_storeKitErrors": [
                {"name": "Load Products", "enabled": false, "current": null},
                {"name": "Purchase", "enabled": true, "current": {"index": 1, "type": "generic"}}]}}
            """
        #expect(
            try StoreKitConfiguration(Data(text.utf8)).warnings == [
                #"settings._storeKitErrors[1]: the error "Purchase" is not simulated"#
            ])
    }

    @Test func `A StoreKit configuration of a future format is accepted with warnings`() throws {
        let configuration = try StoreKitConfiguration(
            Data(#"{"version": {"major": 7}, "settings": {"_timeRate": 99, "_storefront": "XYZ"}}"#.utf8))
        #expect(configuration.warnings.count == 3)
        #expect(configuration.catalogue.storefronts == [.usa])
        #expect(configuration.settings.renewalRate == nil)
    }
}
