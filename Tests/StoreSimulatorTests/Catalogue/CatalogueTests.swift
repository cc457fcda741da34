import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Catalogues` {
    @Test func `The example catalogue has every kind of product and offer`() throws {
        let catalogue = Catalogue.example
        try catalogue.validate()
        #expect(
            Set(catalogue.products.map(\.type)) == [
                .autoRenewableSubscription, .consumable, .nonConsumable, .nonRenewingSubscription,
            ])
        let offers = catalogue.products.flatMap { product in
            (product.subscription?.offers ?? product.offers)
                + [product.subscription?.introductoryOffer].compactMap(\.self)
        }
        #expect(Set(offers.map(\.type)) == [.introductory, .promotional, .offerCode, .winBack])
        #expect(Set(offers.map(\.discount)) == [.freeTrial, .payAsYouGo, .payUpFront, .oneTime])
        #expect(catalogue.products.contains { $0.isAdvancedCommerce && $0.subscription != nil })
        #expect(catalogue.products.contains { $0.isAdvancedCommerce && $0.subscription == nil })
        #expect(catalogue.products.contains { $0.subscription?.billingPlans.contains { $0.type == .monthly } == true })
        let monthly = try #require(catalogue.product("com.example.premium.monthly"))
        #expect(monthly.offer("comeback")?.type == .winBack)
        #expect(monthly.offer("comeback", type: .promotional) == nil)
        #expect(catalogue.storefronts.map(\.code) == ["USA", "DEU", "FRA", "GBR", "JPN"])
    }

    @Test func `A catalogue is equal after JSON encoding and decoding`() throws {
        let data = try JSONEncoder().encode(Catalogue.example)
        #expect(try JSONDecoder().decode(Catalogue.self, from: data) == .example)
    }

    @Test func `The known storefronts have unique codes and identifiers`() throws {
        #expect(Storefront.known.count >= 40)
        #expect(Set(Storefront.known.map(\.code)).count == Storefront.known.count)
        #expect(Set(Storefront.known.map(\.id)).count == Storefront.known.count)
        #expect(Storefront.known("JPN") == Storefront(code: "JPN", id: "143462", currency: "JPY"))
        try Catalogue(products: [], storefronts: Storefront.known).validate()
    }

    /// A change that makes the example catalogue invalid, and the path of the resulting problem.
    struct Defect: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout Catalogue) -> Void

        init(_ path: String, _ change: @escaping @Sendable (inout Catalogue) -> Void) {
            (testDescription, self.change) = (path, change)
        }
    }

    static let defects = [
        Defect("products[0].id") { $0.products[0].id = "" },
        Defect("products[1].id") { $0.products[1].id = $0.products[0].id },
        Defect("products[0].price") { $0.products[0].price = -1 },
        Defect("products[0].price") { $0.products[0].price = .max },
        Defect("products[0].prices.JPN") { $0.products[0].prices["JPN"] = .min },
        Defect("products[0].prices.AUS") { $0.products[0].prices["AUS"] = 1 },
        Defect("products[0].group") { $0.products[0].subscription?.group = "none" },
        Defect("products[0].level") { $0.products[0].subscription?.level = 0 },
        Defect("products[0].period") { $0.products[0].subscription?.period = Period(10_000, .year) ?? .month },
        Defect("products[0]") { $0.products[0].subscription = nil },
        Defect("products[0].offers") {
            $0.products[0].offers = [Offer(identifier: "x", type: .offerCode, discount: .oneTime)]
        },
        Defect("products[0].introductoryOffer.id") { $0.products[0].subscription?.introductoryOffer?.identifier = "x" },
        Defect("products[0].introductoryOffer.type") {
            $0.products[0].subscription?.introductoryOffer?.type = .winBack
        },
        Defect("products[0].introductoryOffer.period") { $0.products[0].subscription?.introductoryOffer?.period = nil },
        Defect("products[0].introductoryOffer.mode") {
            $0.products[0].subscription?.introductoryOffer?.discount = .oneTime
        },
        Defect("products[0].offers[1].id") { $0.products[0].subscription?.offers[1].identifier = nil },
        Defect("products[0].offers[0].periods") { $0.products[0].subscription?.offers[0].periodCount = .max },
        Defect("products[0].offers[0].periods") { $0.products[0].subscription?.offers[0].periodCount = .min },
        Defect("products[0].offers[0].type") { $0.products[0].subscription?.offers[0].type = .init(rawValue: 9) },
        Defect("products[2].billingPlans[1].price") { $0.products[2].subscription?.billingPlans[1].price = -1 },
        Defect("products[2].billingPlans[1].type") {
            $0.products[2].subscription?.billingPlans[1].type = .billedUpfront
        },
        Defect("products[2].billingPlans[1].type") {
            $0.products[2].subscription?.billingPlans[1].type = .init(rawValue: "WEEKLY")
        },
        Defect("products[10].type") { $0.products[10].type = .init(rawValue: "Lease") },
        Defect("products[10].familyShareable") { $0.products[10].isFamilyShareable = true },
        Defect("products[10].offers[0].mode") { $0.products[10].offers[0].discount = .freeTrial },
        Defect("products[10].offers[0].period") { $0.products[10].offers[0].period = .month },
        Defect("groups[1].id") { $0.groups[1].id = "two words" },
        Defect("storefronts[0].currency") { $0.storefronts[0].currency = "usd" },
        Defect("storefronts[0].code") { $0.storefronts[0].code = "US" },
        Defect("storefronts") {
            $0.storefronts = []
            for index in $0.products.indices { $0.products[index].prices = [:] }
        },
    ]

    @Test(arguments: defects)
    func `An invalid catalogue is refused with the path of the problem`(_ defect: Defect) {
        var catalogue = Catalogue.example
        defect.change(&catalogue)
        do throws(CatalogueError) {
            try catalogue.validate()
            Issue.record("accepted")
        } catch {
            #expect(error.problems.contains { $0.path == defect.testDescription }, "\(error)")
        }
    }

    @Test func `The file extension selects the format of a catalogue`() async throws {
        try await Tool.inTemporaryFolder { folder in
            func write(_ name: String, _ text: String) throws -> String {
                let url = folder.appending(path: name)
                try Data(text.utf8).write(to: url)
                return url.path
            }
            let yaml = try Catalogue.read(path: write("a.yaml", CatalogueYAMLTests.text))
            #expect(yaml.catalogue.products.count == 5)
            #expect(yaml.warnings == [])
            let storeKit = try Catalogue.read(path: write("a.storekit", StoreKitConfigurationTests.text))
            #expect(storeKit.catalogue.products.count == 3)
            #expect(storeKit.warnings.count == 6 + 4)
            let settings = """
                {"subscriptionOffersKeyPair": {"id": "C0FFEE00", "privateKey": "secret"},
                 "settings": {"_timeRate": 13, "_billingGracePeriodEnabled": true, "_renewalBillingIssuesEnabled": true,
                              "_billingIssuesEnabled": true, "_askToBuyEnabled": true}}
                """
            let expected = #"""
                subscriptionOffersKeyPair: is ignored; offers are signed with the simulator's key
                settings._timeRate: is ignored; --clock accelerated:monthlyEvery5Minutes renews as fast
                settings._billingGracePeriodEnabled: is ignored; \#
                `counterfoil simulator settings '{"gracePeriod":"sixteenDays"}'` does it
                settings._renewalBillingIssuesEnabled: is ignored; \#
                `counterfoil simulator fail-billing anna` does it for anna
                settings._billingIssuesEnabled: is ignored; `counterfoil simulator do '{"setNextPurchaseResult":\#
                {"customer":"anna","device":"phone","result":"interrupted"}}'` does it once on anna's phone
                settings._askToBuyEnabled: is ignored; \#
                `counterfoil simulator do '{"askToBuy":{"customer":"anna"}}'` does it for anna
                """#
            let warnings = try Catalogue.read(path: write("b.storekit", settings)).warnings
            #expect(warnings.joined(separator: "\n") == expected)
            let defaults = settings.replacing("13", with: "0").replacing("true", with: "false")
            #expect(try Catalogue.read(path: write("c.storekit", defaults)).warnings.count == 1)
            for (name, message) in [
                ("a.json", "not .json"), ("missing.yaml", "cannot be read"), ("", "cannot be read"),
            ] {
                let path =
                    name == "a.json"
                    ? try write(name, "{}") : folder.appending(path: name).path + (name.isEmpty ? ".yaml" : "")
                let error = #expect(throws: CatalogueError.self) { try Catalogue.read(path: path) }
                #expect(error?.description.contains(message) == true)
            }
            let error = #expect(throws: CatalogueError.self) { try Catalogue.read(path: "/dev/zero.yaml") }
            #expect(error?.problems.count == 1)
        }
    }
}
