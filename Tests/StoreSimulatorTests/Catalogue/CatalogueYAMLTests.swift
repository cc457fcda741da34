import AppStoreModels
import StoreSimulator
import Testing

@Suite("Catalogues in YAML")
struct CatalogueYAMLTests {
    static let text = """
        storefronts: [USA, {code: DEU, id: "143443", currency: EUR}, {code: ISL, id: 143558, currency: USD}]
        groups:
          - id: premium
            name: Premium
            subscriptions:
              - id: com.example.premium.monthly
                level: 2
                period: P1M
                price: 9.99
                prices: {DEU: 10.99}
                familyShareable: true
                introductoryOffer: {mode: free, period: P1W}
                offers:
                  - {id: save20, type: promotional, mode: payAsYouGo, period: P1M, periods: 3, price: 7.99}
                  - {id: WELCOME, type: offerCode, mode: free, period: P1M, eligibility: [new, expired]}
                  - {id: comeback, type: WIN_BACK, mode: PAY_UP_FRONT, period: P3M, price: 9.99, winBack: {paidMonths: 2}}
              - id: com.example.premium.yearly
                period: P1Y
                price: "99"
                onSale: false
                billingPlans: [{type: monthly, price: 8.99, commitment: 107.88}, {type: upfront, price: 99.99}]
        products:
          - {id: com.example.coins, type: consumable, price: 0.99, offers: [{id: FREE}]}
          - {id: com.example.unlock, type: Non-Consumable, name: 50% off, price: 4.990}
          - {id: com.example.pass, type: nonRenewing, price: 1000000000, advancedCommerce: ~}
        """

    @Test func `A YAML catalogue is parsed into its products, groups and storefronts`() throws {
        let catalogue = try Catalogue(yaml: Self.text)
        let expected = Catalogue(
            products: [
                Product(
                    id: "com.example.premium.monthly", type: .autoRenewableSubscription, price: 9990,
                    prices: ["DEU": 10_990], isFamilyShareable: true,
                    subscription: SubscriptionTerms(
                        group: "premium", level: 2, period: .month,
                        introductoryOffer: Offer(type: .introductory, discount: .freeTrial, period: .week),
                        offers: [
                            Offer(
                                identifier: "save20", type: .promotional, discount: .payAsYouGo, period: .month,
                                periodCount: 3, price: 7990),
                            Offer(
                                identifier: "WELCOME", type: .offerCode, discount: .freeTrial, period: .month,
                                eligibility: [.new, .expired]),
                            Offer(
                                identifier: "comeback", type: .winBack, discount: .payUpFront,
                                period: Period(3, .month), price: 9990, winBack: .init(minimumPaidMonths: 2)),
                        ])),
                Product(
                    id: "com.example.premium.yearly", type: .autoRenewableSubscription, price: 99_000, isOnSale: false,
                    subscription: SubscriptionTerms(
                        group: "premium", period: .year,
                        billingPlans: [
                            BillingPlan(type: .monthly, price: 8990, commitmentPrice: 107_880),
                            BillingPlan(type: .billedUpfront, price: 99_990, commitmentPrice: 99_990),
                        ])),
                Product(
                    id: "com.example.coins", type: .consumable, price: 990,
                    offers: [Offer(identifier: "FREE", type: .offerCode, discount: .oneTime)]),
                Product(id: "com.example.unlock", type: .nonConsumable, name: "50% off", price: 4990),
                Product(id: "com.example.pass", type: .nonRenewingSubscription, price: 1_000_000_000_000),
            ],
            groups: [SubscriptionGroup(id: "premium", name: "Premium")],
            storefronts: [
                .usa, Storefront(code: "DEU", id: "143443", currency: "EUR"),
                Storefront(code: "ISL", id: "143558", currency: "USD"),
            ])
        #expect(catalogue == expected)
        #expect(catalogue.product("com.example.premium.monthly")?.price(in: "DEU") == 10_990)
    }

    @Test(arguments: ["{}", "products: []", "groups:\nproducts: ~"])
    func `An empty YAML catalogue has the United States as its storefront`(_ text: String) throws {
        #expect(try Catalogue(yaml: text) == Catalogue(products: []))
    }

    /// Returns the problems of a YAML catalogue, one line each.
    static func problems(_ text: String) -> [String] {
        do throws(CatalogueError) {
            _ = try Catalogue(yaml: text)
            return []
        } catch {
            #expect(error.description == error.problems.map(\.description).joined(separator: "\n"))
            return error.problems.map(\.description)
        }
    }

    @Test func `All problems of a YAML catalogue are reported at once, with path and line`() {
        let text = """
            storefronts: [USA, GER]
            groups:
              - id: premium
                subscriptions:
                  - id: a
                    periode: P1M
                    price: 9,99
                    prices: {DEU: 1}
                  - id: a
                    period: P1Q
                    price: -1
                    level: 0
                    offers:
                      - {id: x, mode: gratis, period: P1M}
            products:
              - {id: b, type: consumable, familyShareable: true}
              - just text
            """
        #expect(
            Self.problems(text).sorted()
                == [
                    #"groups[0].subscriptions[0].period: is missing, line 5"#,
                    #"groups[0].subscriptions[0].periode: is not a key of this format; did you mean "period"?, line 6"#,
                    #"groups[0].subscriptions[0].price: "9,99" is not a price such as 9.99, line 7"#,
                    #"groups[0].subscriptions[0].prices.DEU: is a price for a storefront that is not listed, line 8"#,
                    #"groups[0].subscriptions[1].id: "a" is there twice, line 9"#,
                    #"groups[0].subscriptions[1].level: 0 is not from 1 to 1000, line 12"#,
                    #"groups[0].subscriptions[1].offers[0].mode: "gratis" is none of free, payAsYouGo, payUpFront, line 14"#,
                    #"groups[0].subscriptions[1].offers[0].type: is missing, line 14"#,
                    #"groups[0].subscriptions[1].period: "P1Q" is not a period such as P3D, P1W, P1M or P1Y, line 10"#,
                    #"groups[0].subscriptions[1].price: a price cannot be negative, line 11"#,
                    #"products[0].familyShareable: only auto-renewable subscriptions and non-consumables can be shared with the family, line 16"#,
                    #"products[0].price: is missing, line 16"#,
                    #"products[1]: is text and should be a mapping, line 17"#,
                    #"storefronts[1]: "GER" is not a storefront with a known number; write {code: …, id: …, currency: …}; did you mean "GBR"?, line 1"#,
                ].sorted())
    }

    @Test(arguments: [
        ("[]", "is a list and should be a mapping, line 1"),
        ("products: 5", "products: is text and should be a list, line 1"),
        ("product: []", #"product: is not a key of this format; did you mean "products"?, line 1"#),
        ("storefronts: []", "storefronts: at least one is needed, line 1"),
        ("storefronts: [USA, USA]", "storefronts[1]: USA is there twice, line 1"),
        ("storefronts: [{code: ABC}]", #"storefronts[0].id: "" is not a number such as 143441, line 1"#),
        (
            "groups: [{id: 'a b'}]",
            #"groups[0].id: "a b" has spaces or control characters or is longer than 255 bytes, line 1"#
        ),
        ("groups: [{id: a}, {id: a}]", #"groups[1].id: "a" is there twice, line 1"#),
        ("groups: [{}]", "groups[0].id: is missing, line 1"),
        ("groups: [{id: [a]}]", "groups[0].id: is a list and should be text, line 1"),
        (
            "products: [{id: a, type: subscription, price: 1}]",
            #"products[0].type: "subscription" is none of consumable, nonConsumable, nonRenewing, line 1"#
        ),
        (
            "products: [{id: a, type: consumable, price: 1, onSale: yes}]",
            #"products[0].onSale: "yes" is neither true nor false, line 1"#
        ),
        (
            "products: [{id: a, type: consumable, price: 1, offers: [{id: x, type: winBack}]}]",
            "products[0].offers[0].type: only subscriptions have offers other than codes, line 1"
        ),
        ("a: 1\na: 2", #"repeated keys: "a", line 1"#),
    ])
    func `An invalid value is reported with its path, the expected value and its line`(
        _ text: String, _ message: String
    ) {
        #expect(Self.problems(text).first == message)
    }

    @Test(arguments: [
        ("{id: x, type: promotional, mode: free, period: P1M, price: 1}", ".price: a free offer has none"),
        ("{id: x, type: promotional, mode: payUpFront, period: P1M}", ".price: is missing"),
        ("{id: x, type: promotional, mode: free, period: P1M, periods: 0}", ".periods: 0 is less than 1"),
        (
            "{id: x, type: promotional, mode: free, period: P1Y, periods: 11}",
            ".periods: make the offer longer than ten years"
        ),
        (
            "{id: x, type: promotional, mode: free, period: P1Y, periods: 9223372036854775807}",
            ".periods: make the offer longer than ten years"
        ),
        (
            "{id: x, type: promotional, mode: free, period: P1M, eligibility: [new]}",
            ".eligibility: only offer codes have one"
        ),
        (
            "{id: x, type: offerCode, mode: free, period: P1M, eligibility: [old]}",
            ".eligibility[0]: is none of new, existing, expired"
        ),
        (
            "{id: x, type: offerCode, mode: free, period: P1M, winBack: {}}",
            ".winBack: only win-back offers have one"
        ),
        (
            "{id: x, type: winBack, mode: free, period: P1M, winBack: {paidMonths: -1}}",
            ".winBack.paidMonths: is not from 0 to 1200"
        ),
        (
            "{id: x, type: winBack, mode: free, period: P1M, winBack: {monthsBetweenOffers: 10001}}",
            ".winBack.monthsBetweenOffers: is not from 1 to 1200"
        ),
        (
            "{id: x, type: offerCode, mode: free, period: P1M, redemptions: 0}",
            ".redemptions: is not from 1 to 1000000"
        ),
        ("{type: winBack, mode: free, period: P1M}", ".id: is missing"),
        ("{id: '', type: winBack, mode: free, period: P1M}", ".id: is empty"),
    ])
    func `An invalid offer is reported with its path and line`(_ offer: String, _ message: String) {
        let text = "groups: [{id: g, subscriptions: [{id: a, period: P1M, price: 1, offers: [\(offer)]}]}]"
        #expect(Self.problems(text) == ["groups[0].subscriptions[0].offers[0]\(message), line 1"])
    }

    @Test func `Two offers may share an identifier only if their types differ`() {
        func text(_ type: String) -> String {
            """
            groups: [{id: g, subscriptions: [{id: a, period: P1M, price: 1, offers: [
              {id: x, type: promotional, mode: free, period: P1M}, {id: x, type: \(type), mode: free, period: P1M}]}]}]
            """
        }
        #expect(Self.problems(text("winBack")) == [])
        #expect(
            Self.problems(text("promotional")) == [
                #"groups[0].subscriptions[0].offers[1].id: "x" is there twice, line 2"#
            ])
    }
}
