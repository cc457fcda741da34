internal import AppStoreModels
package import StoreSimulator

extension Catalogue {
    /// Three levels of service in one subscription group, a second and a third group, and one product of each other
    /// type.
    package static let shop = Catalogue(
        products: [
            subscription(
                "gold", level: 1, price: 19_990, shared: true, offers: [promotion("goldfish", 9990), code("NUGGET")]),
            subscription(
                "plus", level: 2, price: 9990, shared: true,
                introductory: Offer(type: .introductory, discount: .freeTrial, period: .week),
                offers: [
                    promotion("loyal", 4990), promotion("loyaler", 3990), code("PLUS"),
                    code("NEWCOMER", for: [.new]),
                    Offer(
                        identifier: "return", type: .winBack, discount: .payUpFront, period: .month, periodCount: 3,
                        price: 9990),
                    Offer(
                        identifier: "rare", type: .winBack, discount: .freeTrial, period: .month,
                        winBack: .init(minimumPaidMonths: 6, minimumMonthsSinceExpiry: 2)),
                ]),
            subscription("plus.other", level: 2, price: 8990),
            subscription(
                "plus.yearly", level: 2, period: .year, price: 99_990, shared: true,
                offers: [promotion("longer", 49_990)],
                plans: [
                    BillingPlan(type: .billedUpfront, price: 95_000, commitmentPrice: 95_000),
                    BillingPlan(type: .monthly, price: 8500, commitmentPrice: 102_000),
                ]),
            subscription("basic", level: 3, price: 4990, offers: [promotion("small", 990), code("BASIC")]),
            subscription(
                "news", group: "22", level: 1, price: 2990,
                introductory: Offer(
                    type: .introductory, discount: .payAsYouGo, period: .month, periodCount: 2, price: 990)),
            Product(
                id: "coins", type: .consumable, price: 990,
                offers: [
                    Offer(identifier: "GIFT", type: .offerCode, discount: .oneTime, price: 490, eligibility: [.new])
                ]),
            Product(id: "lamp", type: .nonConsumable, price: 2990, isFamilyShareable: true),
            Product(id: "season", type: .nonRenewingSubscription, price: 14_990),
            Product(
                id: "generic", type: .autoRenewableSubscription, price: 0,
                subscription: SubscriptionTerms(group: "23", period: .month), isAdvancedCommerce: true),
        ],
        groups: [.init(id: "21", name: "Plus"), .init(id: "22", name: "News"), .init(id: "23", name: "Generic")],
        storefronts: [.usa, Storefront(code: "DEU", id: "143443", currency: "EUR")])

    private static func subscription(
        _ id: String, group: String = "21", level: Int, period: Period = .month, price: Int64, shared: Bool = false,
        introductory: Offer? = nil, offers: [Offer] = [], plans: [BillingPlan] = []
    ) -> Product {
        Product(
            id: id, type: .autoRenewableSubscription, price: price, isFamilyShareable: shared,
            subscription: SubscriptionTerms(
                group: group, level: level, period: period, introductoryOffer: introductory, offers: offers,
                billingPlans: plans))
    }

    /// A promotional offer: the price for three months.
    private static func promotion(_ id: String, _ price: Int64) -> Offer {
        Offer(identifier: id, type: .promotional, discount: .payAsYouGo, period: .month, periodCount: 3, price: price)
    }

    private static func code(_ id: String, for audiences: [Offer.Audience]? = nil) -> Offer {
        Offer(identifier: id, type: .offerCode, discount: .freeTrial, period: .month, eligibility: audiences)
    }
}
