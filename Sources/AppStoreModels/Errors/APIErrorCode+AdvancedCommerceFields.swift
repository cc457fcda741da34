// The Advanced Commerce API: a field is missing or invalid. Only documented, not in Apple's libraries.

extension APIErrorCode {
    /// 4000053: `currency` is not valid.
    public static let invalidCurrency = Self(rawValue: 4_000_053)
    /// 4000079: `requestInfo` is missing.
    public static let nullRequestInfo = Self(rawValue: 4_000_079)
    /// 4000080: `requestReferenceId` is missing.
    public static let nullRequestReferenceID = Self(rawValue: 4_000_080)
    /// 4000081: `requestReferenceId` is not a UUID.
    public static let invalidRequestReferenceID = Self(rawValue: 4_000_081)
    /// 4000082: `consistencyToken` is not valid.
    public static let invalidConsistencyToken = Self(rawValue: 4_000_082)
    /// 4000083: `version` is missing.
    public static let nullVersion = Self(rawValue: 4_000_083)
    /// 4000084: `version` is not `1`.
    public static let unexpectedVersion = Self(rawValue: 4_000_084)
    /// 4000085: `transactionId` is missing.
    public static let nullTransactionId = Self(rawValue: 4_000_085)
    /// 4000086: A price is negative.
    public static let negativePrice = Self(rawValue: 4_000_086)
    /// 4000087: An `SKU` is longer than 128 characters.
    public static let skuLengthExceeded = Self(rawValue: 4_000_087)
    /// 4000088: A description is longer than 45 characters.
    public static let descriptionLengthExceeded = Self(rawValue: 4_000_088)
    /// 4000089: A name is longer than 30 characters.
    public static let displayNameLengthExceeded = Self(rawValue: 4_000_089)
    /// 4000091: A prorated price is negative.
    public static let negativeProratedPrice = Self(rawValue: 4_000_091)
    /// 4000092: The period of an offer is missing.
    public static let nullOfferPeriod = Self(rawValue: 4_000_092)
    /// 4000093: `periodCount` is missing.
    public static let nullPeriodCount = Self(rawValue: 4_000_093)
    /// 4000094: `periodCount` is not positive.
    public static let periodCountNotPositive = Self(rawValue: 4_000_094)
    /// 4000095: `reason` is missing.
    public static let nullReason = Self(rawValue: 4_000_095)
    /// 4000096: `previousTransactionId` is not valid.
    public static let invalidPreviousTransactionID = Self(rawValue: 4_000_096)
    /// 4000098: `currency` is missing.
    public static let nullCurrency = Self(rawValue: 4_000_098)
    /// 4000099: `taxCode` is missing.
    public static let nullTaxCode = Self(rawValue: 4_000_099)
    /// 4000100: `storefront` is missing.
    public static let nullStorefront = Self(rawValue: 4_000_100)
    /// 4000101: `items` is missing.
    public static let nullItems = Self(rawValue: 4_000_101)
    /// 4000102: `item` is missing.
    public static let nullItem = Self(rawValue: 4_000_102)
    /// 4000103: `descriptors` is missing.
    public static let nullDescriptors = Self(rawValue: 4_000_103)
    /// 4000104: `period` is missing.
    public static let nullPeriod = Self(rawValue: 4_000_104)
    /// 4000105: `SKU` is missing.
    public static let nullSKU = Self(rawValue: 4_000_105)
    /// 4000106: `displayName` is missing.
    public static let nullDisplayName = Self(rawValue: 4_000_106)
    /// 4000107: `description` is missing.
    public static let nullDescription = Self(rawValue: 4_000_107)
    /// 4000109: `price` is missing.
    public static let nullPrice = Self(rawValue: 4_000_109)
    /// 4000110: `retainBillingCycle` is missing.
    public static let nullRetainBillingCycle = Self(rawValue: 4_000_110)
    /// 4000111: `effective` is missing.
    public static let nullEffective = Self(rawValue: 4_000_111)
    /// 4000112: The new `SKU` is missing.
    public static let nullNewSKU = Self(rawValue: 4_000_112)
    /// 4000113: The previous subscription is not valid.
    public static let invalidPreviousSubscription = Self(rawValue: 4_000_113)
    /// 4000115: The changes of the products are not valid.
    public static let invalidProductChanges = Self(rawValue: 4_000_115)
    /// 4000116: The item for sale is not valid.
    public static let invalidSalable = Self(rawValue: 4_000_116)
    /// 4000117: The duration of the sale is not valid.
    public static let invalidSalableDuration = Self(rawValue: 4_000_117)
    /// 4000118: `displayName` is not valid.
    public static let invalidDisplayName = Self(rawValue: 4_000_118)
    /// 4000119: `description` is not valid.
    public static let invalidDescription = Self(rawValue: 4_000_119)
    /// 4000121: A product is not valid.
    public static let invalidProduct = Self(rawValue: 4_000_121)
    /// 4000122: `SKU` is not valid.
    public static let invalidSKU = Self(rawValue: 4_000_122)
    /// 4000123: `refundType` is not valid.
    public static let invalidRefundType = Self(rawValue: 4_000_123)
    /// 4000124: `refundReason` is not valid.
    public static let invalidRefundReason = Self(rawValue: 4_000_124)
    /// 4000125: The reason of a change is not valid.
    public static let invalidChangeReason = Self(rawValue: 4_000_125)
    /// 4000126: The reason of an offer is not valid.
    public static let invalidOfferReason = Self(rawValue: 4_000_126)
    /// 4000127: The tax code is not valid.
    public static let invalidTaxProductCode = Self(rawValue: 4_000_127)
    /// 4000128: The period of an offer is not valid.
    public static let invalidOfferPeriod = Self(rawValue: 4_000_128)
    /// 4000129: `periodCount` of an offer is not valid.
    public static let invalidOfferPeriodCount = Self(rawValue: 4_000_129)
    /// 4000130: The period of the renewal is not valid.
    public static let invalidRenewalPeriod = Self(rawValue: 4_000_130)
    /// 4000131: The price of the renewal is not valid.
    public static let invalidRenewalPrice = Self(rawValue: 4_000_131)
    /// 4000132: An amount is not valid.
    public static let invalidAmount = Self(rawValue: 4_000_132)
    /// 4000151: A prorated price is not valid.
    public static let invalidProratedPrice = Self(rawValue: 4_000_151)
    /// 4000152: The price of an offer is above the regular price.
    public static let invalidOfferPrice = Self(rawValue: 4_000_152)
    /// 4000153: `refundAmount` is missing.
    public static let nullRefundAmount = Self(rawValue: 4_000_153)
    /// 4000154: `refundAmount` is negative.
    public static let negativeRefundAmount = Self(rawValue: 4_000_154)
    /// 4000156: `refundReason` is missing.
    public static let nullRefundReason = Self(rawValue: 4_000_156)
    /// 4000157: `refundType` is missing.
    public static let nullRefundType = Self(rawValue: 4_000_157)
    /// 4000159: `refundRiskingPreference` is missing.
    public static let nullRefundRisking = Self(rawValue: 4_000_159)
    /// 4000166: `targetProductId` is missing.
    public static let nullTargetProductID = Self(rawValue: 4_000_166)
    /// 4000167: `targetProductId` is not valid.
    public static let invalidTargetProductID = Self(rawValue: 4_000_167)
    /// 4000169: `currentSKU` is missing.
    public static let nullCurrentSKU = Self(rawValue: 4_000_169)
    /// 4000170: The current `SKU` is longer than 128 characters.
    public static let currentSKULengthExceeded = Self(rawValue: 4_000_170)
    /// 4000171: The Advanced Commerce data is missing.
    public static let nullAdvancedCommerceData = Self(rawValue: 4_000_171)
    /// 4000172: `operation` is not valid.
    public static let invalidOperation = Self(rawValue: 4_000_172)
    /// 4000174: The signature is not valid.
    public static let invalidSignature = Self(rawValue: 4_000_174)
    /// 4000214: The price of the item contradicts its price increase (1.2).
    public static let invalidPriceForChangeItemInPriceIncrease = Self(rawValue: 4_000_214)
    /// 4000220: The `SKU` is not the one that will renew (1.2).
    public static let invalidSKUProvidedMustBeCurrentSKUSetToRenew = Self(rawValue: 4_000_220)
    /// 4000222: A prorated price is not allowed for a change that applies later.
    public static let invalidProratedPriceForChangeItemWithEffectiveLater = Self(rawValue: 4_000_222)
}
