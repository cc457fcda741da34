public import AppStoreModels
public import Foundation

/// What a customer has at an instant.
public struct CustomerStates: Sendable, Hashable, Encodable {
    /// The instant.
    public var asOf: Date
    /// Every entitlement of the catalogue, sorted by name.
    public var entitlements: [EntitlementState]
    /// Every auto-renewable subscription, sorted by original transaction.
    public var subscriptions: [SubscriptionState]
    /// Every known subscription group, sorted by identifier, including those without a subscription.
    public var groups: [GroupState]
    /// Every product that was bought and can give access, sorted by identifier.
    public var products: [ProductState]
    /// Every purchase other than auto-renewable subscriptions, the oldest first.
    public var purchases: [PurchaseState]
    /// The consumables that were bought, sorted by product.
    public var consumables: [ConsumableTotals]
    /// When the customer first got the app, by the earliest of several Apple accounts; nil if that is unknown.
    public var originalPurchase: OriginalPurchaseFact?

    /// Creates a state with these values, for tests. ``EntitlementEngine`` creates all others.
    public init(
        asOf: Date, entitlements: [EntitlementState] = [], subscriptions: [SubscriptionState] = [],
        groups: [GroupState] = [], products: [ProductState] = [], purchases: [PurchaseState] = [],
        consumables: [ConsumableTotals] = [], originalPurchase: OriginalPurchaseFact? = nil
    ) {
        self.asOf = asOf
        self.entitlements = entitlements
        self.subscriptions = subscriptions
        self.groups = groups
        self.products = products
        self.purchases = purchases
        self.consumables = consumables
        self.originalPurchase = originalPurchase
    }

    /// Returns the state of an entitlement; nil if the catalogue does not contain it.
    public func entitlement(_ name: String) -> EntitlementState? { entitlements.first { $0.entitlement == name } }

    /// Returns the state of a product. A product that was never bought is new.
    public func product(_ productID: String) -> ProductState {
        products.first { $0.productID.isExactly(productID) } ?? ProductState(new: productID)
    }

    /// Returns the state of a subscription group. A group in which the customer never had a subscription is new.
    public func group(_ identifier: String) -> GroupState {
        groups.first { $0.subscriptionGroupIdentifier.isExactly(identifier) } ?? GroupState(new: identifier)
    }
}

/// The state of a product for a customer.
public struct ProductState: Sendable, Hashable, Encodable {
    /// The identifier of the product.
    public var productID: String
    /// The type of the product; nil if it was never bought.
    public var type: ProductType?
    /// New, active or inactive.
    public var state: AccessState
    /// The reasons for the state.
    public var details: [StateDetail]
    /// When access ends unless a new fact arrives. Nil if access does not end, or if there is no access.
    public var until: Date?
    /// When access ended: after a failed payment the end of the grace period, or the end of the period if no known
    /// renewal info names a grace period, or if the customer cancelled. A later refund does not change it. After an
    /// upgrade within the subscription, the beginning of the new product. Nil if there is access or never was, and if
    /// another subscription replaced it, or one that is not known.
    public var endedDate: Date?
    /// When the last period began, if it was replaced at an unknown instant: access ended later than that.
    var replacedAfter: Date?
    /// Whether it will renew; nil if that is unknown, or if it is not an auto-renewable subscription.
    public var willRenew: Bool?
    /// The transaction that determines the state.
    public var transactionID: String?
    /// The original transaction of that purchase.
    public var originalTransactionID: String?

    /// Creates a state with these values, for tests. ``EntitlementEngine`` creates all others.
    public init(
        productID: String, type: ProductType? = nil, state: AccessState, details: [StateDetail] = [],
        until: Date? = nil,
        endedDate: Date? = nil, willRenew: Bool? = nil, transactionID: String? = nil,
        originalTransactionID: String? = nil
    ) {
        self.productID = productID
        self.type = type
        self.state = state
        self.details = details
        self.until = until
        self.endedDate = endedDate
        self.willRenew = willRenew
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
    }

    private enum CodingKeys: String, CodingKey {
        case type, state, details, until, endedDate, willRenew
        case productID = "productId"
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
    }
}

/// The state of a subscription group for a customer.
///
/// If a group has several subscriptions, for example the customer's own and a shared one, one of them determines the
/// state: one with access before one in billing retry before the others; among those with access the highest level,
/// then the latest end.
public struct GroupState: Sendable, Hashable, Encodable {
    /// The identifier of the group.
    public var subscriptionGroupIdentifier: String
    /// New, active or inactive.
    public var state: AccessState
    /// The reasons for the state.
    public var details: [StateDetail]
    /// When access ends unless a new fact arrives. Nil if there is no access.
    public var until: Date?
    /// The product of the subscription that determines the state. Without access, a subscription that the customer bought
    /// comes before one that others shared.
    public var productID: String?
    /// The original transaction of that subscription.
    public var originalTransactionID: String?
    /// Whether the customer is eligible for an introductory offer, as far as the facts show: the customer's own
    /// purchases in the group never used one, and no subscription in the group is running or in billing retry.
    public var isEligibleForIntroductoryOffer: Bool
    /// What to ask or offer the customer.
    public var nextStep: NextStep

    /// Creates a state with these values, for tests. ``EntitlementEngine`` creates all others.
    public init(
        subscriptionGroupIdentifier: String, state: AccessState, details: [StateDetail] = [], until: Date? = nil,
        productID: String? = nil, originalTransactionID: String? = nil, isEligibleForIntroductoryOffer: Bool,
        nextStep: NextStep
    ) {
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.state = state
        self.details = details
        self.until = until
        self.productID = productID
        self.originalTransactionID = originalTransactionID
        self.isEligibleForIntroductoryOffer = isEligibleForIntroductoryOffer
        self.nextStep = nextStep
    }

    private enum CodingKeys: String, CodingKey {
        case subscriptionGroupIdentifier, state, details, until, isEligibleForIntroductoryOffer, nextStep
        case productID = "productId"
        case originalTransactionID = "originalTransactionId"
    }
}

/// Whether a customer has an entitlement of the catalogue.
///
/// Among several active products, the one with the highest level determines the state, then the one with the latest
/// end. Grants and the rules for customers who got the app early count too; ``details`` lists them.
public struct EntitlementState: Sendable, Hashable, Encodable {
    /// The name of the entitlement in the catalogue.
    public var entitlement: String
    /// Whether the app should give access.
    public var isActive: Bool
    /// New, active or inactive.
    public var state: AccessState
    /// The reasons for the state.
    public var details: [StateDetail]
    /// When the last of the products and grants that give the entitlement ends, unless a new fact arrives. Nil if one
    /// of them has no end, or if there is no access.
    public var until: Date?
    /// Whether the product that determines the state will renew; nil if that is unknown, or if it is not an
    /// auto-renewable subscription.
    public var willRenew: Bool?
    /// The product that gives the entitlement, or gave it last.
    public var productID: String?
    /// The transaction of that product.
    public var transactionID: String?
    /// The original transaction of that purchase.
    public var originalTransactionID: String?

    /// Creates a state with these values, for tests. ``EntitlementEngine`` creates all others.
    public init(
        entitlement: String, isActive: Bool, state: AccessState, details: [StateDetail] = [], until: Date? = nil,
        willRenew: Bool? = nil, productID: String? = nil, transactionID: String? = nil,
        originalTransactionID: String? = nil
    ) {
        self.entitlement = entitlement
        self.isActive = isActive
        self.state = state
        self.details = details
        self.until = until
        self.willRenew = willRenew
        self.productID = productID
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
    }

    private enum CodingKeys: String, CodingKey {
        case entitlement, isActive, state, details, until, willRenew
        case productID = "productId"
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
    }
}

extension ProductState {
    init(new productID: String) {
        self.init(productID: productID, state: .new)
    }
}

extension GroupState {
    init(new identifier: String) {
        self.init(
            subscriptionGroupIdentifier: identifier, state: .new, isEligibleForIntroductoryOffer: true,
            nextStep: .subscribe)
    }
}
