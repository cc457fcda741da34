/// How much of a purchase was used. Apple's page: `consumptionStatus`.
public struct ConsumptionStatus: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not specified.
    public static let undeclared = Self(rawValue: 0)
    /// Nothing.
    public static let notConsumed = Self(rawValue: 1)
    /// Some of it.
    public static let partiallyConsumed = Self(rawValue: 2)
    /// All of it.
    public static let fullyConsumed = Self(rawValue: 3)
}

/// Where a purchase was used. Apple's page: `platform`.
public struct ConsumptionPlatform: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not specified.
    public static let undeclared = Self(rawValue: 0)
    /// On an Apple platform.
    public static let apple = Self(rawValue: 1)
    /// On another platform.
    public static let nonApple = Self(rawValue: 2)
}

/// Whether a product was delivered. Apple's page: `deliveryStatus`, the first version. Zero does not mean "undeclared".
public struct DeliveryStatusV1: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Delivered and working.
    public static let delivered = Self(rawValue: 0)
    /// Not delivered: a quality issue.
    public static let qualityIssue = Self(rawValue: 1)
    /// Not delivered: the wrong item.
    public static let wrongItem = Self(rawValue: 2)
    /// Not delivered: a server outage.
    public static let serverOutage = Self(rawValue: 3)
    /// Not delivered: a change of the in-game currency.
    public static let inGameCurrencyChange = Self(rawValue: 4)
    /// Not delivered, for another reason.
    public static let other = Self(rawValue: 5)
}

/// How old the customer's account is. Apple's page: `accountTenure`.
public struct AccountTenure: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not specified.
    public static let undeclared = Self(rawValue: 0)
    /// Up to 3 days.
    public static let upTo3Days = Self(rawValue: 1)
    /// 3 to 10 days.
    public static let upTo10Days = Self(rawValue: 2)
    /// 10 to 30 days.
    public static let upTo30Days = Self(rawValue: 3)
    /// 30 to 90 days.
    public static let upTo90Days = Self(rawValue: 4)
    /// 90 to 180 days.
    public static let upTo180Days = Self(rawValue: 5)
    /// 180 to 365 days.
    public static let upTo365Days = Self(rawValue: 6)
    /// More than 365 days.
    public static let over365Days = Self(rawValue: 7)
}

/// How long the customer used the app. Apple's page: `playTime`.
public struct PlayTime: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not specified.
    public static let undeclared = Self(rawValue: 0)
    /// Up to 5 minutes.
    public static let upTo5Minutes = Self(rawValue: 1)
    /// 5 to 60 minutes.
    public static let upTo60Minutes = Self(rawValue: 2)
    /// 1 to 6 hours.
    public static let upTo6Hours = Self(rawValue: 3)
    /// 6 to 24 hours.
    public static let upTo24Hours = Self(rawValue: 4)
    /// 1 to 4 days.
    public static let upTo4Days = Self(rawValue: 5)
    /// 4 to 16 days.
    public static let upTo16Days = Self(rawValue: 6)
    /// More than 16 days.
    public static let over16Days = Self(rawValue: 7)
}

/// How much the customer spent in the app, in US dollars. Apple's page: `lifetimeDollarsPurchased`.
public struct LifetimeDollarsPurchased: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not specified.
    public static let undeclared = Self(rawValue: 0)
    /// Nothing.
    public static let zero = Self(rawValue: 1)
    /// 0.01 to 49.99.
    public static let under50 = Self(rawValue: 2)
    /// 50 to 99.99.
    public static let under100 = Self(rawValue: 3)
    /// 100 to 499.99.
    public static let under500 = Self(rawValue: 4)
    /// 500 to 999.99.
    public static let under1000 = Self(rawValue: 5)
    /// 1000 to 1999.99.
    public static let under2000 = Self(rawValue: 6)
    /// 2000 or more.
    public static let from2000 = Self(rawValue: 7)
}

/// How much was refunded to the customer, in US dollars. Apple's page: `lifetimeDollarsRefunded`.
public struct LifetimeDollarsRefunded: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not specified.
    public static let undeclared = Self(rawValue: 0)
    /// Nothing.
    public static let zero = Self(rawValue: 1)
    /// 0.01 to 49.99.
    public static let under50 = Self(rawValue: 2)
    /// 50 to 99.99.
    public static let under100 = Self(rawValue: 3)
    /// 100 to 499.99.
    public static let under500 = Self(rawValue: 4)
    /// 500 to 999.99.
    public static let under1000 = Self(rawValue: 5)
    /// 1000 to 1999.99.
    public static let under2000 = Self(rawValue: 6)
    /// 2000 or more.
    public static let from2000 = Self(rawValue: 7)
}

/// The status of the customer's account. Apple's page: `userStatus`.
public struct UserStatus: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not specified.
    public static let undeclared = Self(rawValue: 0)
    /// Active.
    public static let active = Self(rawValue: 1)
    /// Suspended.
    public static let suspended = Self(rawValue: 2)
    /// Terminated.
    public static let terminated = Self(rawValue: 3)
    /// With limited access.
    public static let limitedAccess = Self(rawValue: 4)
}

/// The decision that the developer prefers. Apple's page: `refundPreference`, the first version.
public struct RefundPreferenceV1: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not specified.
    public static let undeclared = Self(rawValue: 0)
    /// A refund.
    public static let preferGrant = Self(rawValue: 1)
    /// No refund.
    public static let preferDecline = Self(rawValue: 2)
    /// No preference.
    public static let noPreference = Self(rawValue: 3)
}
