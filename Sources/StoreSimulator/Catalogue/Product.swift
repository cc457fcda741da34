public import AppStoreModels

/// A product that customers can purchase.
public struct Product: Sendable, Hashable, Codable, Identifiable {
    /// The product identifier.
    public var id: String

    /// The product type.
    public var type: ProductType

    /// The reference name.
    public var name: String

    /// The price in storefronts that are not in ``prices``, in thousandths of the storefront's currency.
    public var price: Int64

    /// Prices by storefront code, in thousandths of the storefront's currency.
    public var prices: [String: Int64]

    /// Whether Family Sharing is enabled. Only auto-renewable subscriptions and non-consumables can be shared.
    public var isFamilyShareable: Bool

    /// Whether the product can be purchased and renewed.
    public var isOnSale: Bool

    /// The terms of an auto-renewable subscription; nil for other types.
    public var subscription: SubscriptionTerms?

    /// The offer codes of a product that is not an auto-renewable subscription. Those of subscriptions are in
    /// ``SubscriptionTerms/offers``.
    public var offers: [Offer]

    /// Whether this is a generic product of Advanced Commerce. Each request contains its content and price.
    public var isAdvancedCommerce: Bool

    /// Creates a product.
    public init(
        id: String, type: ProductType, name: String = "", price: Int64, prices: [String: Int64] = [:],
        isFamilyShareable: Bool = false, isOnSale: Bool = true, subscription: SubscriptionTerms? = nil,
        offers: [Offer] = [], isAdvancedCommerce: Bool = false
    ) {
        self.id = id
        self.type = type
        self.name = name
        self.price = price
        self.prices = prices
        self.isFamilyShareable = isFamilyShareable
        self.isOnSale = isOnSale
        self.subscription = subscription
        self.offers = offers
        self.isAdvancedCommerce = isAdvancedCommerce
    }

    /// Returns the price in a storefront, in thousandths of its currency.
    public func price(in storefront: String) -> Int64 { prices[storefront] ?? price }

    /// Returns the first offer with an identifier or, if there is none, with a code. Introductory offers are not
    /// included.
    public func offer(_ identifier: String) -> Offer? {
        let all = subscription?.offers ?? offers
        return all.first { $0.identifier == identifier } ?? all.first { $0.codes?.contains(identifier) ?? false }
    }

    /// Returns the offer with an identifier and type. Identifiers are unique only within a type.
    public func offer(_ identifier: String, type: OfferType) -> Offer? {
        (subscription?.offers ?? offers).first { $0.identifier == identifier && $0.type == type }
    }
}

/// The terms of an auto-renewable subscription.
public struct SubscriptionTerms: Sendable, Hashable, Codable {
    /// The identifier of the subscription group.
    public var group: String

    /// The level of service within the group; 1 is the highest. Changing between products of the same level is a
    /// crossgrade.
    public var level: Int

    /// The length of a subscription period.
    public var period: Period

    /// The offer for customers who have not used an introductory offer in the group.
    public var introductoryOffer: Offer?

    /// Promotional offers, offer codes and win-back offers.
    public var offers: [Offer]

    /// The billing plans; empty if there is no choice.
    public var billingPlans: [BillingPlan]

    /// Creates terms.
    public init(
        group: String, level: Int = 1, period: Period, introductoryOffer: Offer? = nil, offers: [Offer] = [],
        billingPlans: [BillingPlan] = []
    ) {
        self.group = group
        self.level = level
        self.period = period
        self.introductoryOffer = introductoryOffer
        self.offers = offers
        self.billingPlans = billingPlans
    }
}

/// A billing plan of a subscription.
public struct BillingPlan: Sendable, Hashable, Codable {
    /// The type: up front or monthly.
    public var type: BillingPlanType
    /// The price of one billing period, in thousandths of the currency.
    public var price: Int64
    /// The price of the whole commitment, in thousandths of the currency.
    public var commitmentPrice: Int64
    /// Whether customers can choose the plan.
    public var isEnabled: Bool

    /// Creates a billing plan.
    public init(type: BillingPlanType, price: Int64, commitmentPrice: Int64, isEnabled: Bool = true) {
        self.type = type
        self.price = price
        self.commitmentPrice = commitmentPrice
        self.isEnabled = isEnabled
    }
}
