public import AppStoreModels
public import Foundation

/// What a customer has at an instant.
public struct CustomerStates: Sendable, Hashable, Encodable {
    /// The instant.
    public var asOf: Date
    /// Every entitlement of the catalogue, by name.
    public var entitlements: [EntitlementState]
    /// Every auto-renewable subscription, by original transaction.
    public var subscriptions: [SubscriptionState]
    /// Every subscription group that is known, by identifier, whether there was a subscription in it or not.
    public var groups: [GroupState]
    /// Every product that was bought and can give access, by identifier.
    public var products: [ProductState]
    /// Every purchase that is no auto-renewable subscription, the oldest first.
    public var purchases: [PurchaseState]
    /// What was bought of consumables, by product.
    public var consumables: [ConsumableBalance]
    /// When the customer first got the app, of several Apple accounts the first one; nil where nothing tells.
    public var originalPurchase: OriginalPurchaseFact?

    /// A state with these values, as a test needs one; the engine makes the others.
    public init(
        asOf: Date, entitlements: [EntitlementState] = [], subscriptions: [SubscriptionState] = [],
        groups: [GroupState] = [], products: [ProductState] = [], purchases: [PurchaseState] = [],
        consumables: [ConsumableBalance] = [], originalPurchase: OriginalPurchaseFact? = nil
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

    /// The state of an entitlement; nil if the catalogue does not name it.
    public func entitlement(_ name: String) -> EntitlementState? { entitlements.first { $0.entitlement == name } }

    /// The state of a product. Of one that was never bought it is new.
    public func product(_ productID: String) -> ProductState {
        products.first { $0.productID == productID } ?? ProductState(new: productID)
    }

    /// The state of a subscription group. Where there was no subscription it is new.
    public func group(_ identifier: String) -> GroupState {
        groups.first { $0.subscriptionGroupIdentifier == identifier } ?? GroupState(new: identifier)
    }
}

/// What a customer has of a product.
public struct ProductState: Sendable, Hashable, Encodable {
    /// The product.
    public var productID: String
    /// The kind of product; nil if it was never bought.
    public var type: ProductType?
    /// New, active or inactive.
    public var state: CoreState
    /// Why.
    public var details: [StateDetail]
    /// When access ends unless something happens. Nil if it does not end, and where there is none.
    public var until: Date?
    /// When access ended. Nil where there is access or never was, and where another product took its place: nobody knows
    /// when that was.
    public var endedDate: Date?
    /// Whether it will renew; nil if that is not known, or it is no auto-renewable subscription.
    public var willRenew: Bool?
    /// The transaction that counts for the product.
    public var transactionID: String?
    /// The first transaction of that purchase.
    public var originalTransactionID: String?

    /// A state with these values, as a test needs one; the engine makes the others.
    public init(
        productID: String, type: ProductType? = nil, state: CoreState, details: [StateDetail] = [], until: Date? = nil,
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

/// What a customer has of a subscription group.
///
/// Among several subscriptions, an own one and a shared one for example, one speaks for the group: one with access before
/// one in billing retry before the others; among those with access the highest level, then the latest end.
public struct GroupState: Sendable, Hashable, Encodable {
    /// The group.
    public var subscriptionGroupIdentifier: String
    /// New, active or inactive.
    public var state: CoreState
    /// Why.
    public var details: [StateDetail]
    /// When access ends unless something happens. Nil where there is none.
    public var until: Date?
    /// The product of the subscription that speaks for the group.
    public var productID: String?
    /// The original transaction of that subscription.
    public var originalTransactionID: String?
    /// Whether there is a right to an introductory offer, as far as the facts say: this customer's own purchases in the
    /// group never had one, and no subscription in it runs or is in billing retry.
    public var isEligibleForIntroductoryOffer: Bool
    /// What to ask or to offer.
    public var nextStep: NextStep

    /// A state with these values, as a test needs one; the engine makes the others.
    public init(
        subscriptionGroupIdentifier: String, state: CoreState, details: [StateDetail] = [], until: Date? = nil,
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

/// Whether a customer has what the catalogue gives a name.
///
/// Among several active products one speaks for the entitlement: the highest level, then the latest end. What the team granted
/// and what is due to who got the app early counts beside them, and is told by the details.
public struct EntitlementState: Sendable, Hashable, Encodable {
    /// The name in the catalogue.
    public var entitlement: String
    /// Whether the app should give access.
    public var isActive: Bool
    /// New, active or inactive.
    public var state: CoreState
    /// Why.
    public var details: [StateDetail]
    /// When the last of all products and grants that give it ends, unless something happens. Nil if one does not end, and
    /// without access.
    public var until: Date?
    /// Whether the product that speaks for it will renew; nil if that is not known, or it is no such product.
    public var willRenew: Bool?
    /// The product that gives it, or gave it last.
    public var productID: String?
    /// The transaction by which.
    public var transactionID: String?
    /// The first transaction of that purchase.
    public var originalTransactionID: String?

    /// A state with these values, as a test needs one; the engine makes the others.
    public init(
        entitlement: String, isActive: Bool, state: CoreState, details: [StateDetail] = [], until: Date? = nil,
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
        self.init(productID: productID, state: .new, details: [])
    }
}

extension GroupState {
    init(new identifier: String) {
        self.init(
            subscriptionGroupIdentifier: identifier, state: .new, details: [], isEligibleForIntroductoryOffer: true,
            nextStep: .subscribe)
    }
}
