/// Asks for a change of a subscription. Signed by the server, sent by the app. Apple's page:
/// `SubscriptionModifyInAppRequest`. It must change something, and not by removing items alone.
public struct AdvancedCommerceSubscriptionModifyInAppRequest: Sendable, Hashable, Codable {
    /// What is asked for: always a change.
    public private(set) var operation: AdvancedCommerceOperation = .modifySubscription
    /// The version of the format.
    public private(set) var version: String = "1"
    /// What every request begins with.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// A transaction of the subscription.
    public var transactionId: String
    /// Whether the next renewal stays when it is.
    public var retainBillingCycle: Bool
    /// Items to add.
    public var addItems: [AdvancedCommerceSubscriptionModifyAddItem]?
    /// Items to change.
    public var changeItems: [AdvancedCommerceSubscriptionModifyChangeItem]?
    /// Items to remove; needs items to add or change.
    public var removeItems: [AdvancedCommerceSubscriptionModifyRemoveItem]?
    /// A new billing cycle; then every item must be changed.
    public var periodChange: AdvancedCommerceSubscriptionModifyPeriodChange?
    /// What the subscription will be called.
    public var descriptors: AdvancedCommerceSubscriptionModifyDescriptors?
    /// The currency of the prices, ISO 4217.
    public var currency: String?
    /// The storefront, ISO 3166-1 alpha-3.
    public var storefront: String?
    /// The tax code.
    public var taxCode: String?

    /// Creates the value from its parts.
    public init(
        requestInfo: AdvancedCommerceRequestInfo, transactionId: String, retainBillingCycle: Bool,
        addItems: [AdvancedCommerceSubscriptionModifyAddItem]? = nil,
        changeItems: [AdvancedCommerceSubscriptionModifyChangeItem]? = nil,
        removeItems: [AdvancedCommerceSubscriptionModifyRemoveItem]? = nil,
        periodChange: AdvancedCommerceSubscriptionModifyPeriodChange? = nil,
        descriptors: AdvancedCommerceSubscriptionModifyDescriptors? = nil, currency: String? = nil,
        storefront: String? = nil, taxCode: String? = nil
    ) {
        self.requestInfo = requestInfo
        self.transactionId = transactionId
        self.retainBillingCycle = retainBillingCycle
        self.addItems = addItems
        self.changeItems = changeItems
        self.removeItems = removeItems
        self.periodChange = periodChange
        self.descriptors = descriptors
        self.currency = currency
        self.storefront = storefront
        self.taxCode = taxCode
    }
}

/// A new billing cycle. Apple's page: `SubscriptionModifyPeriodChange`.
public struct AdvancedCommerceSubscriptionModifyPeriodChange: Sendable, Hashable, Codable {
    /// When it applies.
    public var effective: AdvancedCommerceEffective
    /// The new cycle.
    public var period: AdvancedCommercePeriod

    /// Creates the value from its parts.
    public init(effective: AdvancedCommerceEffective, period: AdvancedCommercePeriod) {
        self.effective = effective
        self.period = period
    }
}

/// What a subscription will be called. Apple's page: `SubscriptionModifyDescriptors`.
public struct AdvancedCommerceSubscriptionModifyDescriptors: Sendable, Hashable, Codable {
    /// When it applies.
    public var effective: AdvancedCommerceEffective
    /// The description, up to 45 characters; the customer does not see it.
    public var description: String?
    /// The name, up to 30 characters; the customer sees it.
    public var displayName: String?

    /// Creates the value from its parts.
    public init(effective: AdvancedCommerceEffective, description: String? = nil, displayName: String? = nil) {
        self.effective = effective
        self.description = description
        self.displayName = displayName
    }
}
