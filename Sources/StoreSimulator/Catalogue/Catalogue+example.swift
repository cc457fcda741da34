internal import AppStoreModels

extension Catalogue {
    /// A catalogue with a product of every type. The simulator uses it by default.
    ///
    /// - `com.example.premium.monthly`, a month for 9.99, family-shareable: a free week for new customers, the
    ///   promotional offer `save20`, the offer code `WELCOME`, the win-back offer `comeback`.
    /// - `com.example.premium.yearly`, of the same level: changing to it is a crossgrade with a different period.
    /// - `com.example.premium.commitment`, a year that can be paid monthly.
    /// - `com.example.premium.weekly`, also of the same level.
    /// - `com.example.plus.monthly`, of the same level and period: a crossgrade that takes effect at once.
    /// - `com.example.basic.monthly`, of the level below.
    /// - `com.example.news.weekly` and `com.example.news.monthly`, of another group; the offer `AUTUMN` of the latter
    ///   has two codes, `FALL-1` and `FALL-2`, and can be redeemed twice.
    /// - `com.example.coins.100`, consumable, with the offer code `COINS`; `com.example.unlock`, non-consumable and
    ///   family-shareable; `com.example.season.pass`, non-renewing.
    /// - `com.example.advanced.subscription` and `com.example.advanced.onetime`, generic products of Advanced Commerce.
    public static let example = Catalogue(
        products: premium + news + advancedCommerce + [
            Product(
                id: "com.example.coins.100", type: .consumable, name: "100 Coins", price: 990,
                prices: ["DEU": 1190, "FRA": 1190, "GBR": 990, "JPN": 160_000],
                offers: [Offer(identifier: "COINS", type: .offerCode, discount: .oneTime)]),
            Product(
                id: "com.example.unlock", type: .nonConsumable, name: "Unlock", price: 4990, prices: ["JPN": 800_000],
                isFamilyShareable: true),
            Product(
                id: "com.example.season.pass", type: .nonRenewingSubscription, name: "Season Pass", price: 19_990,
                prices: ["JPN": 3_000_000]),
        ],
        groups: [
            SubscriptionGroup(id: "20000001", name: "Premium"), SubscriptionGroup(id: "20000002", name: "News"),
            SubscriptionGroup(id: "20000003", name: "Advanced Commerce"),
        ],
        storefronts: ["USA", "DEU", "FRA", "GBR", "JPN"].compactMap(Storefront.known))

    private static let premium: [Product] = [
        subscription(
            "premium.monthly", "Premium, monthly", group: "20000001", .month, 9990, yen: 1_500_000, shared: true,
            introductoryOffer: Offer(type: .introductory, discount: .freeTrial, period: .week),
            offers: [
                Offer(
                    identifier: "save20", type: .promotional, discount: .payAsYouGo, period: .month, periodCount: 3,
                    price: 7990),
                Offer(
                    identifier: "WELCOME", type: .offerCode, discount: .freeTrial, period: .month,
                    eligibility: [.new, .expired]),
                Offer(
                    identifier: "comeback", type: .winBack, discount: .payUpFront, period: .month, periodCount: 3,
                    price: 9990,
                    winBack: .init(minimumPaidMonths: 1, minimumMonthsSinceExpiry: 0, minimumMonthsBetweenOffers: 6)),
            ]),
        subscription(
            "premium.yearly", "Premium, yearly", group: "20000001", .year, 99_990, yen: 15_000_000, shared: true,
            introductoryOffer: Offer(type: .introductory, discount: .payUpFront, period: .month, price: 1990),
            offers: [
                Offer(
                    identifier: "firstyear", type: .promotional, discount: .payUpFront, period: .year, price: 49_990)
            ]),
        subscription(
            "premium.commitment", "Premium, a year by the month", group: "20000001", .year, 99_990, yen: 15_000_000,
            billingPlans: [
                BillingPlan(type: .billedUpfront, price: 99_990, commitmentPrice: 99_990),
                BillingPlan(type: .monthly, price: 8990, commitmentPrice: 107_880),
            ]),
        subscription("premium.weekly", "Premium, weekly", group: "20000001", .week, 2990, yen: 450_000),
        subscription(
            "plus.monthly", "Plus, monthly", group: "20000001", .month, 9990, yen: 1_500_000, shared: true,
            introductoryOffer: Offer(
                type: .introductory, discount: .payAsYouGo, period: .month, periodCount: 2, price: 4990)),
        subscription("basic.monthly", "Basic, monthly", group: "20000001", level: 2, .month, 4990, yen: 750_000),
    ]

    private static let news: [Product] = [
        subscription("news.weekly", "News, weekly", group: "20000002", .week, 990, yen: 150_000),
        subscription(
            "news.monthly", "News, monthly", group: "20000002", .month, 2990, yen: 450_000,
            introductoryOffer: Offer(type: .introductory, discount: .freeTrial, period: .week, periodCount: 2),
            offers: [autumn]),
    ]

    /// An offer with two codes for two customers. It follows the introductory offer.
    private static let autumn: Offer = {
        var offer = Offer(
            identifier: "AUTUMN", type: .offerCode, discount: .payAsYouGo, period: .month, periodCount: 2, price: 990)
        offer.codes = ["FALL-1", "FALL-2"]
        offer.maximumRedemptions = 2
        offer.stacksWithIntroductoryOffer = true
        return offer
    }()

    private static let advancedCommerce: [Product] = [
        generic(
            subscription(
                "advanced.subscription", "Generic subscription", group: "20000003", .month, 0, yen: 0)),
        generic(
            Product(
                id: "com.example.advanced.onetime", type: .consumable, name: "Generic one-time charge", price: 0)),
    ]

    private static func generic(_ product: Product) -> Product {
        var product = product
        product.isAdvancedCommerce = true
        return product
    }

    private static func subscription(
        _ id: String, _ name: String, group: String, level: Int = 1, _ period: Period, _ price: Int64, yen: Int64,
        shared: Bool = false, introductoryOffer: Offer? = nil, offers: [Offer] = [], billingPlans: [BillingPlan] = []
    ) -> Product {
        Product(
            id: "com.example." + id, type: .autoRenewableSubscription, name: name, price: price, prices: ["JPN": yen],
            isFamilyShareable: shared,
            subscription: SubscriptionTerms(
                group: group, level: level, period: period, introductoryOffer: introductoryOffer, offers: offers,
                billingPlans: billingPlans))
    }
}
