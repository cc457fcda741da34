/// Requests a change of a subscription. The server signs the request, the app sends it. The request must add or change
/// something; removing items alone is not allowed. Apple's page: `SubscriptionModifyInAppRequest`.
public struct AdvancedCommerceSubscriptionModifyInAppRequest: Sendable, Hashable, Codable {
    /// The operation: always a change.
    public private(set) var operation: AdvancedCommerceOperation = .modifySubscription
    /// The version of the format.
    public private(set) var version: String = "1"
    /// The part that all requests have in common.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// A transaction of the subscription.
    public var transactionId: String
    /// Whether the date of the next renewal stays unchanged.
    public var retainBillingCycle: Bool
    /// Items to add.
    public var addItems: [AdvancedCommerceSubscriptionModifyAddItem]?
    /// Items to change.
    public var changeItems: [AdvancedCommerceSubscriptionModifyChangeItem]?
    /// Items to remove; requires items to add or change.
    public var removeItems: [AdvancedCommerceSubscriptionModifyRemoveItem]?
    /// A new billing cycle; requires a change of every item.
    public var periodChange: AdvancedCommerceSubscriptionModifyPeriodChange?
    /// The new name and description of the subscription.
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

/// The new name and description of a subscription. Apple's page: `SubscriptionModifyDescriptors`.
public typealias AdvancedCommerceSubscriptionModifyDescriptors =
    AdvancedCommerceSubscriptionChangeMetadataDescriptors
