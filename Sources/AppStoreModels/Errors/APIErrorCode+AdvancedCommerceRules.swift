// The Advanced Commerce API: the fields are valid, but not in this combination, or not now. Only documented, not in
// Apple's libraries.

extension APIErrorCode {
    /// 4000063: A change needs at least one item.
    public static let oneItemNeededInModify = Self(rawValue: 4_000_063)
    /// 4000097: `requestReferenceId` was used before.
    public static let repeatedRequestReferenceId = Self(rawValue: 4_000_097)
    /// 4000114: The customer has the product already.
    public static let productAlreadyExists = Self(rawValue: 4_000_114)
    /// 4000133: The storefront is not the customer's.
    public static let mismatchedStorefront = Self(rawValue: 4_000_133)
    /// 4000134: There are no prices for the storefront.
    public static let missingPricingConfigForStorefront = Self(rawValue: 4_000_134)
    /// 4000135: The operation is not allowed.
    public static let operationNotAllowed = Self(rawValue: 4_000_135)
    /// 4000136: There are too many items.
    public static let moreItemsThanAllowed = Self(rawValue: 4_000_136)
    /// 4000137: There are too many offers.
    public static let moreOffersThanAllowed = Self(rawValue: 4_000_137)
    /// 4000139: The lists of items to add and to change are empty.
    public static let emptyAddChangeItems = Self(rawValue: 4_000_139)
    /// 4000140: A new period requires a change of every item.
    public static let missingUpdatedItemsWithPeriodChange = Self(rawValue: 4_000_140)
    /// 4000141: A new period cannot retain the billing cycle.
    public static let periodResetWithRetainBillingCycle = Self(rawValue: 4_000_141)
    /// 4000142: The new period and the items apply at different times.
    public static let periodChangeEffectiveConflict = Self(rawValue: 4_000_142)
    /// 4000143: One `SKU` is added, changed or removed more than once.
    public static let multipleOperationsOnSingleSKU = Self(rawValue: 4_000_143)
    /// 4000144: Items can be removed only together with adding or changing others.
    public static let removeItemsWithoutAddOrChangeItems = Self(rawValue: 4_000_144)
    /// 4000145: An item to remove is not part of the subscription.
    public static let removeItemNotFound = Self(rawValue: 4_000_145)
    /// 4000146: An item to change is not part of the subscription.
    public static let changeItemNotFound = Self(rawValue: 4_000_146)
    /// 4000147: The billing cycles are not compatible.
    public static let misalignedBillingCycle = Self(rawValue: 4_000_147)
    /// 4000148: The billing cycle cannot restart with a change that applies later.
    public static let billingCycleResetWithEffectiveLater = Self(rawValue: 4_000_148)
    /// 4000149: A new period cannot apply immediately while an item changes at the next renewal.
    public static let periodChangeImmediateWithEffectiveAtNextBillingCycle = Self(rawValue: 4_000_149)
    /// 4000150: An offer and a prorated price exclude each other.
    public static let multiplePrices = Self(rawValue: 4_000_150)
    /// 4000155: `refundAmount` is only allowed for a custom refund.
    public static let refundAmountWithoutCustom = Self(rawValue: 4_000_155)
    /// 4000158: A declined refund can be simulated only in the sandbox.
    public static let simulateRefundDeclineOnlyInSandbox = Self(rawValue: 4_000_158)
    /// 4000160: There must be at least one item.
    public static let atLeastOneItem = Self(rawValue: 4_000_160)
    /// 4000165: There must be a name or a description.
    public static let atLeastOneOfDisplayNameOrDescription = Self(rawValue: 4_000_165)
    /// 4000168: Not all items can be removed. Also documented as `RemoveAllItemsNotAllowed`.
    public static let removalAllNotAllowed = Self(rawValue: 4_000_168)
    /// 4000173: The payload cannot be read.
    public static let malformedPayload = Self(rawValue: 4_000_173)
    /// 4000176: The subscription was migrated before.
    public static let subscriptionAlreadyMigrated = Self(rawValue: 4_000_176)
    /// 4000177: An offer prevents a change of the item within the billing cycle.
    public static let offerPreventsItemMidCycleChange = Self(rawValue: 4_000_177)
    /// 4000178: A price cannot be changed by modifying items.
    public static let priceChangeNotSupportedThroughModifyItems = Self(rawValue: 4_000_178)
    /// 4000179: There are too many items.
    public static let itemLimitExceeded = Self(rawValue: 4_000_179)
    /// 4000180: `renewalItems` contradicts the pending changes.
    public static let pendingChangesMismatch = Self(rawValue: 4_000_180)
    /// 4000181: A refund is pending.
    public static let pendingRefund = Self(rawValue: 4_000_181)
    /// 4000182: A prorated refund is only allowed for the latest transaction.
    public static let proratedOnlyLatestTransaction = Self(rawValue: 4_000_182)
    /// 4000184: If one item simulates a declined refund, all items must.
    public static let partialSimulateRefundDecline = Self(rawValue: 4_000_184)
    /// 4000186: The subscription is not active.
    public static let revokeOnInactiveSubscription = Self(rawValue: 4_000_186)
    /// 4000192: One `SKU` depends on two others (1.2).
    public static let dependentSKUsCannotBeShared = Self(rawValue: 4_000_192)
    /// 4000193: An `SKU` depends on one that depends on another (1.2).
    public static let dependentSKUsCannotBeChained = Self(rawValue: 4_000_193)
    /// 4000194: An item is named twice (1.2).
    public static let itemCannotBeSpecifiedMultipleTimes = Self(rawValue: 4_000_194)
    /// 4000205: The customer has already been informed of a price change (1.2).
    public static let priceChangeCannotBeIssuedWhenAlreadyCommunicated = Self(rawValue: 4_000_205)
    /// 4000221: Price increases are not supported in India at present (1.2).
    public static let acaPriceIncreaseIsNotCurrentlySupportedInIndia = Self(rawValue: 4_000_221)
    /// 4000223: A free trial must have a `periodCount` of one.
    public static let freeTrialOfferMustUsePeriodCountOfOne = Self(rawValue: 4_000_223)
    /// 4030008: The subscription does not exist.
    public static let subscriptionDoesNotExist = Self(rawValue: 4_030_008)
    /// 4030009: The subscription exists already.
    public static let subscriptionAlreadyExists = Self(rawValue: 4_030_009)
    /// 4030010: The state of the subscription does not allow the operation.
    public static let subscriptionNotEligible = Self(rawValue: 4_030_010)
    /// 4030011: The subscription is active already.
    public static let subscriptionAlreadyActive = Self(rawValue: 4_030_011)
    /// 4030013: The customer does not own the product.
    public static let productNotOwned = Self(rawValue: 4_030_013)
    /// 4030015: The Advanced Commerce subscription is not active. Earlier the number was also used for another code.
    public static let inactiveACASub = Self(rawValue: 4_030_015)
    /// 4030020: There is not enough money for the refund.
    public static let insufficientFunds = Self(rawValue: 4_030_020)
    /// 4030021: The item was refunded before.
    public static let alreadyRefunded = Self(rawValue: 4_030_021)
    /// 4030022: The customer changed the storefront.
    public static let storefrontChange = Self(rawValue: 4_030_022)
    /// 4030023: The product is not eligible.
    public static let productNotEligible = Self(rawValue: 4_030_023)
    /// 4030024: The transaction cannot be refunded.
    public static let transactionNotRefundable = Self(rawValue: 4_030_024)
    /// 4030025: The transaction cannot be refunded; contact Apple.
    public static let transactionCannotBeRefundedContactSupport = Self(rawValue: 4_030_025)
    /// 4030027: The customer has been informed of a price increase, so the subscription cannot be migrated.
    public static let migrationNotAllowedWhenPriceIncreaseCommunicated = Self(rawValue: 4_030_027)
    /// 4040016: The product is unknown.
    public static let productNotFound = Self(rawValue: 4_040_016)
}
