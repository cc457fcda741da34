public import AppStoreModels

/// What the App Store does not say about the products of an app, and its owner knows.
public struct ProductCatalogue: Sendable, Hashable {
    /// The entitlements: each name with the products that give it.
    public var entitlements: [String: Set<String>]
    /// How long non-renewing subscriptions last, by product. One that is not listed never ends.
    public var durations: [String: Period]
    /// The level of a subscription within its group, 1 for the highest, by product. Among several active ones the highest
    /// counts; those that are not listed come last.
    public var levels: [String: Int]
    /// The products that are used up. Only for receipts, which do not say the kind of a product: a transaction does.
    public var consumables: Set<String>
    /// The group of a subscription, by product: the identifier that its transactions carry as
    /// `subscriptionGroupIdentifier`. Only for receipts, which do not say it, and for products that nobody has bought.
    public var groups: [String: String]
    /// The entitlements that customers have who got the app early, by name. Each of them is in ``entitlements`` too, perhaps
    /// without products.
    public var boughtBefore: [String: OriginalPurchaseRule]

    /// Describes products.
    public init(
        entitlements: [String: Set<String>] = [:], durations: [String: Period] = [:], levels: [String: Int] = [:],
        consumables: Set<String> = [], groups: [String: String] = [:],
        boughtBefore: [String: OriginalPurchaseRule] = [:]
    ) {
        self.entitlements = entitlements
        self.durations = durations
        self.levels = levels
        self.consumables = consumables
        self.groups = groups
        self.boughtBefore = boughtBefore
    }

    /// The kind of a product in a receipt, which does not say it.
    ///
    /// What expires, or has a `web_order_line_item_id`, is an auto-renewable subscription. Of the rest the catalogue knows
    /// those with a duration and the consumables; everything else counts as non-consumable.
    public func type(ofProductInReceipt productID: String, expires: Bool, hasWebOrderLineItem: Bool = false)
        -> ProductType
    {
        if expires || hasWebOrderLineItem { return .autoRenewableSubscription }
        if durations.keys.containsExactly(productID) { return .nonRenewingSubscription }
        return consumables.containsExactly(productID) ? .consumable : .nonConsumable
    }
}
