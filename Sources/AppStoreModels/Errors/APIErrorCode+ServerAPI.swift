// The App Store Server API, and codes that all APIs share.
//
// Three more are documented without a number: ConsumptionPercentageOutOfRange, UndeliveredConsumptionPercentageNonZero
// and AdvancedCommerceTransactionNotSupported. Like every unlisted number, they decode unchanged.

extension APIErrorCode {
    /// 4000000: The request is not valid.
    public static let generalBadRequest = Self(rawValue: 4_000_000)
    /// 4000002: The app or its bundle identifier is not valid.
    public static let invalidAppIdentifier = Self(rawValue: 4_000_002)
    /// 4000004: `limit` is above 100. Documented only.
    public static let invalidLimit = Self(rawValue: 4_000_004)
    /// 4000005: The page token is not valid.
    public static let invalidRequestRevision = Self(rawValue: 4_000_005)
    /// 4000006: The transaction identifier is not valid. The Retention Messaging API says `BadRequestTransactionId`.
    public static let invalidTransactionId = Self(rawValue: 4_000_006)
    /// 4000008: The original transaction identifier is not valid.
    public static let invalidOriginalTransactionId = Self(rawValue: 4_000_008)
    /// 4000009: `extendByDays` is not 1 to 90.
    public static let invalidExtendByDays = Self(rawValue: 4_000_009)
    /// 4000010: `extendReasonCode` is not 0 to 3.
    public static let invalidExtendReasonCode = Self(rawValue: 4_000_010)
    /// 4000011: `requestIdentifier` is empty, longer than 128 characters or, for all subscribers, not a UUID.
    public static let invalidRequestIdentifier = Self(rawValue: 4_000_011)
    /// 4000012: `startDate` is more than 180 days ago.
    public static let startDateTooFarInPast = Self(rawValue: 4_000_012)
    /// 4000013: `endDate` is not after `startDate`.
    public static let startDateAfterEndDate = Self(rawValue: 4_000_013)
    /// 4000014: The page token is not valid.
    public static let invalidPaginationToken = Self(rawValue: 4_000_014)
    /// 4000015: `startDate` is not a number of milliseconds.
    public static let invalidStartDate = Self(rawValue: 4_000_015)
    /// 4000016: `endDate` is not a number of milliseconds.
    public static let invalidEndDate = Self(rawValue: 4_000_016)
    /// 4000017: The page token has expired: start again with the first page.
    public static let paginationTokenExpired = Self(rawValue: 4_000_017)
    /// 4000018: The notification type is unknown, or the subtype does not belong to it.
    public static let invalidNotificationType = Self(rawValue: 4_000_018)
    /// 4000019: `transactionId` and `notificationType` exclude each other.
    public static let multipleFiltersSupplied = Self(rawValue: 4_000_019)
    /// 4000020: The test notification token is not valid.
    public static let invalidTestNotificationToken = Self(rawValue: 4_000_020)
    /// 4000021: `sort` is not valid.
    public static let invalidSort = Self(rawValue: 4_000_021)
    /// 4000022: `productType` is not valid.
    public static let invalidProductType = Self(rawValue: 4_000_022)
    /// 4000023: The product identifier is not valid.
    public static let invalidProductId = Self(rawValue: 4_000_023)
    /// 4000024: The subscription group is not valid.
    public static let invalidSubscriptionGroupIdentifier = Self(rawValue: 4_000_024)
    /// 4000025: `excludeRevoked` is not valid. Deprecated, like the parameter.
    public static let invalidExcludeRevoked = Self(rawValue: 4_000_025)
    /// 4000026: `inAppOwnershipType` is not valid.
    public static let invalidInAppOwnershipType = Self(rawValue: 4_000_026)
    /// 4000027: The list of storefronts is empty: omit it instead.
    public static let invalidEmptyStorefrontCountryCodeList = Self(rawValue: 4_000_027)
    /// 4000028: A storefront is not an ISO 3166-1 alpha-3 code. The Advanced Commerce API says `InvalidStorefront`.
    public static let invalidStorefrontCountryCode = Self(rawValue: 4_000_028)
    /// 4000030: `revoked` is not `true` or `false`.
    public static let invalidRevoked = Self(rawValue: 4_000_030)
    /// 4000031: `status` is not 1 to 5.
    public static let invalidStatus = Self(rawValue: 4_000_031)
    /// 4000032: `accountTenure` is not valid.
    public static let invalidAccountTenure = Self(rawValue: 4_000_032)
    /// 4000033: `appAccountToken` is neither a UUID nor empty. The Advanced Commerce API has it too.
    public static let invalidAppAccountToken = Self(rawValue: 4_000_033)
    /// 4000034: `consumptionStatus` is not valid.
    public static let invalidConsumptionStatus = Self(rawValue: 4_000_034)
    /// 4000035: `customerConsented` is missing or not true.
    public static let invalidCustomerConsented = Self(rawValue: 4_000_035)
    /// 4000036: `deliveryStatus` is not valid.
    public static let invalidDeliveryStatus = Self(rawValue: 4_000_036)
    /// 4000037: `lifetimeDollarsPurchased` is not valid.
    public static let invalidLifetimeDollarsPurchased = Self(rawValue: 4_000_037)
    /// 4000038: `lifetimeDollarsRefunded` is not valid.
    public static let invalidLifetimeDollarsRefunded = Self(rawValue: 4_000_038)
    /// 4000039: `platform` is not valid.
    public static let invalidPlatform = Self(rawValue: 4_000_039)
    /// 4000040: `playTime` is not valid.
    public static let invalidPlayTime = Self(rawValue: 4_000_040)
    /// 4000041: `sampleContentProvided` is not valid.
    public static let invalidSampleContentProvided = Self(rawValue: 4_000_041)
    /// 4000042: `userStatus` is not valid.
    public static let invalidUserStatus = Self(rawValue: 4_000_042)
    /// 4000043: The transaction is not for a consumable. No longer sent: see ``invalidTransactionTypeNotSupported``.
    public static let invalidTransactionNotConsumable = Self(rawValue: 4_000_043)
    /// 4000044: `refundPreference` is not valid. Documented only.
    public static let invalidRefundPreference = Self(rawValue: 4_000_044)
    /// 4000047: The endpoint does not support this product type.
    public static let invalidTransactionTypeNotSupported = Self(rawValue: 4_000_047)
    /// 4000048: The endpoint requires a purchase, not an app transaction. The Retention Messaging API says
    /// `BadRequestAppTransactionIdForUnsupportedEndpoint`.
    public static let appTransactionIdNotSupported = Self(rawValue: 4_000_048)
    /// 4000183: `appAccountToken` is not a UUID.
    public static let invalidAppAccountTokenUUID = Self(rawValue: 4_000_183)
    /// 4000185: The purchase is shared by a family member. The Retention Messaging API says
    /// `BadRequestTransactionIdNotSupportedForFamilySharing`.
    public static let familyTransactionNotSupported = Self(rawValue: 4_000_185)
    /// 4000187: An original transaction is required. The Retention Messaging API says `BadRequestTransactionIdNotOtid`.
    public static let transactionIdIsNotOriginalTransactionId = Self(rawValue: 4_000_187)
    /// 4000209: `consumptionPercentage` is not allowed for auto-renewable subscriptions. Documented only.
    public static let consumptionPercentageAutoRenewableSubscription = Self(rawValue: 4_000_209)
    /// 4000225: The group identifier is not valid. Documented only.
    public static let invalidGroupId = Self(rawValue: 4_000_225)
    /// 4000227: The transaction is an assigned seat. Documented only.
    public static let invalidAssignedTransactionNotSupported = Self(rawValue: 4_000_227)
    /// 4030004: The state of the subscription does not allow an extension.
    public static let subscriptionExtensionIneligible = Self(rawValue: 4_030_004)
    /// 4030005: The subscription has already been extended twice within 365 days.
    public static let subscriptionMaxExtension = Self(rawValue: 4_030_005)
    /// 4030007: A subscription shared by a family member cannot be extended.
    public static let familySharedSubscriptionExtensionIneligible = Self(rawValue: 4_030_007)
    /// 4030028: An assigned seat cannot be extended. Documented only.
    public static let assignedSubscriptionExtensionIneligible = Self(rawValue: 4_030_028)
    /// 4040001: The account is unknown.
    public static let accountNotFound = Self(rawValue: 4_040_001)
    /// 4040002: The account was not found; try again.
    public static let accountNotFoundRetryable = Self(rawValue: 4_040_002)
    /// 4040003: The app is unknown.
    public static let appNotFound = Self(rawValue: 4_040_003)
    /// 4040004: The app was not found; try again.
    public static let appNotFoundRetryable = Self(rawValue: 4_040_004)
    /// 4040005: The original transaction is unknown.
    public static let originalTransactionIdNotFound = Self(rawValue: 4_040_005)
    /// 4040007: No URL for notifications is set in this environment.
    public static let serverNotificationUrlNotFound = Self(rawValue: 4_040_007)
    /// 4040008: The test notification is older than six months, or its status is not known yet.
    public static let testNotificationNotFound = Self(rawValue: 4_040_008)
    /// 4040009: There is no extension for all subscribers with this identifier.
    public static let statusRequestNotFound = Self(rawValue: 4_040_009)
    /// 4040010: The transaction does not exist for this app in this environment.
    public static let transactionIdNotFound = Self(rawValue: 4_040_010)
    /// 4040019: The customer has no app transaction.
    public static let appTransactionDoesNotExist = Self(rawValue: 4_040_019)
    /// 4040022: The group is unknown. Documented only.
    public static let groupNotFound = Self(rawValue: 4_040_022)
    /// 4290000: Too many requests: wait until the instant that `Retry-After` names, in milliseconds since 1970.
    public static let rateLimitExceeded = Self(rawValue: 4_290_000)
    /// 5000000: The App Store failed; try again later.
    public static let generalInternal = Self(rawValue: 5_000_000)
    /// 5000001: The App Store failed; try again.
    public static let generalInternalRetryable = Self(rawValue: 5_000_001)
}
