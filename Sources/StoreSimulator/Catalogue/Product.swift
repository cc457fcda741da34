public import AppStoreModels

/// Something that customers buy.
public struct Product: Sendable, Hashable, Codable, Identifiable {
    /// The product identifier.
    public var id: String

    /// Which of the four kinds it is.
    public var type: ProductType

    /// The reference name.
    public var name: String

    /// The price where ``prices`` says nothing else, in thousandths of the storefront's currency.
    public var price: Int64

    /// Prices by storefront code, in thousandths of the storefront's currency.
    public var prices: [String: Int64]

    /// Whether the purchaser's family may use it. Only auto-renewable subscriptions and non-consumables can be shared.
    public var isFamilyShareable: Bool

    /// Whether it can be bought and renewed at all.
    public var isOnSale: Bool

    /// What an auto-renewable subscription has beyond a price; nil for the other kinds.
    public var subscription: SubscriptionTerms?

    /// Offer codes for products that are not auto-renewable. Those of subscriptions are among ``SubscriptionTerms/offers``.
    public var offers: [Offer]

    /// Whether it is a generic product of Advanced Commerce, whose content and price come with each request.
    public var isAdvancedCommerce: Bool

    /// A product.
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

    /// The price in a storefront, in thousandths of its currency.
    public func price(in storefront: String) -> Int64 { prices[storefront] ?? price }

    /// The offer of this identifier, or with this code, of whatever kind but introductory. If two kinds share it, the first.
    public func offer(_ identifier: String) -> Offer? {
        let all = subscription?.offers ?? offers
        return all.first { $0.identifier == identifier } ?? all.first { $0.codes?.contains(identifier) ?? false }
    }

    /// The offer of this identifier and type. Identifiers are unique within a type only.
    public func offer(_ identifier: String, type: OfferType) -> Offer? {
        (subscription?.offers ?? offers).first { $0.identifier == identifier && $0.type == type }
    }
}

/// What an auto-renewable subscription has beyond a price.
public struct SubscriptionTerms: Sendable, Hashable, Codable {
    /// The identifier of its group.
    public var group: String

    /// The level of service within the group; 1 is the highest. Products of one level are cross-grades of each other.
    public var level: Int

    /// How long a period lasts.
    public var period: Period

    /// The offer for those who never had one in the group.
    public var introductoryOffer: Offer?

    /// Promotional offers, offer codes and win-back offers.
    public var offers: [Offer]

    /// How it can be paid, if there is a choice.
    public var billingPlans: [BillingPlan]

    /// The terms of a subscription.
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

/// One way to pay for a subscription.
public struct BillingPlan: Sendable, Hashable, Codable {
    /// Upfront or by the month.
    public var type: BillingPlanType
    /// The price of one billing, in thousandths of the currency.
    public var price: Int64
    /// The price of the whole commitment, in thousandths of the currency.
    public var commitmentPrice: Int64
    /// Whether customers can choose it.
    public var isEnabled: Bool

    /// A billing plan.
    public init(type: BillingPlanType, price: Int64, commitmentPrice: Int64, isEnabled: Bool = true) {
        self.type = type
        self.price = price
        self.commitmentPrice = commitmentPrice
        self.isEnabled = isEnabled
    }
}
