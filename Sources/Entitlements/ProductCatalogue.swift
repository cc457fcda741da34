public import AppStoreModels

/// Describes the products of an app: the information that the App Store does not sign.
public struct ProductCatalogue: Sendable, Hashable {
    /// The entitlements: the products that give each of them, by name.
    public var entitlements: [String: Set<String>]
    /// How long each non-renewing subscription lasts, by product. A product that is not listed never ends.
    public var durations: [String: Period]
    /// The level of a subscription within its group, by product; 1 is the highest. Among several active subscriptions
    /// the highest level has priority; products that are not listed come last.
    public var levels: [String: Int]
    /// The consumable products. Needed only for receipts, which do not contain the product type.
    public var consumables: Set<String>
    /// The subscription group of a product, by product: the `subscriptionGroupIdentifier` of its transactions. Needed
    /// only for receipts, which may lack the group, and for products without purchases.
    public var groups: [String: String]
    /// The rules for customers who got the app early, by entitlement. Each of these entitlements must also be in
    /// ``entitlements``, where its products may be empty.
    public var originalPurchaseRules: [String: OriginalPurchaseRule]

    /// Creates a catalogue.
    public init(
        entitlements: [String: Set<String>] = [:], durations: [String: Period] = [:], levels: [String: Int] = [:],
        consumables: Set<String> = [], groups: [String: String] = [:],
        originalPurchaseRules: [String: OriginalPurchaseRule] = [:]
    ) {
        self.entitlements = entitlements
        self.durations = durations
        self.levels = levels
        self.consumables = consumables
        self.groups = groups
        self.originalPurchaseRules = originalPurchaseRules
    }

    /// Returns the type of a product in a receipt, which does not contain it.
    ///
    /// A purchase that expires or has a `web_order_line_item_id` is an auto-renewable subscription. Otherwise a product
    /// in ``durations`` is a non-renewing subscription, one in ``consumables`` is a consumable, and every other product
    /// is a non-consumable.
    public func type(ofProductInReceipt productID: String, expires: Bool, hasWebOrderLineItem: Bool = false)
        -> ProductType
    {
        if expires || hasWebOrderLineItem { return .autoRenewableSubscription }
        if durations.keys.hasExactly(productID) { return .nonRenewingSubscription }
        return consumables.hasExactly(productID) ? .consumable : .nonConsumable
    }

    /// Whether one of the entitlements lists a product.
    func hasEntitlement(ofProduct productID: String) -> Bool {
        entitlements.values.contains { $0.hasExactly(productID) }
    }
}

extension Collection<String> {
    /// Whether this set or these keys contain a text with the same UTF-8 bytes. Of canonically equivalent texts they
    /// contain one, which is found without a linear search.
    fileprivate func hasExactly(_ text: String) -> Bool {
        firstIndex(of: text).map { self[$0].isExactly(text) } ?? false
    }
}
