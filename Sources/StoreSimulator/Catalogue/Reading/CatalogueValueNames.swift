internal import AppStoreModels
internal import ConfigurationReading

/// The values of enumerations in both catalogue formats.
enum CatalogueValueNames {
    static let productTypes = Vocabulary<ProductType>([
        ("consumable", [], .consumable),
        ("nonConsumable", [], .nonConsumable),
        ("nonRenewing", ["nonRenewingSubscription"], .nonRenewingSubscription),
    ])
    static let discounts = Vocabulary<OfferDiscountType>([
        ("free", ["freeTrial"], .freeTrial),
        ("payAsYouGo", [], .payAsYouGo),
        ("payUpFront", [], .payUpFront),
    ])
    static let offerTypes = Vocabulary<OfferType>([
        ("promotional", [], .promotional),
        ("offerCode", ["code"], .offerCode),
        ("winBack", [], .winBack),
    ])
    static let billingPlans = Vocabulary<BillingPlanType>([
        ("upfront", ["billedUpfront"], .billedUpfront),
        ("monthly", [], .monthly),
    ])
    static let audiences = Vocabulary<Offer.Audience>([
        ("new", [], .new), ("existing", [], .existing), ("expired", [], .expired),
    ])
}
