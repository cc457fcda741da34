/// The status of an auto-renewable subscription at the time of signing or of the response. Apple's page: `status`.
public struct SubscriptionStatus: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The subscription is active.
    public static let active = Self(rawValue: 1)
    /// The subscription has expired.
    public static let expired = Self(rawValue: 2)
    /// A renewal failed and the App Store is retrying; the customer has no access meanwhile.
    public static let billingRetry = Self(rawValue: 3)
    /// A renewal failed and the App Store is retrying; the customer keeps access meanwhile.
    public static let billingGracePeriod = Self(rawValue: 4)
    /// The App Store revoked the purchase: a refund, or the end of family sharing or of an assignment.
    public static let revoked = Self(rawValue: 5)

    /// The name of the status in Apple's documentation; nil for a status unknown to this version.
    package var name: String? {
        switch self {
        case .active: "active"
        case .expired: "expired"
        case .billingRetry: "billing_retry"
        case .billingGracePeriod: "grace_period"
        case .revoked: "revoked"
        default: nil
        }
    }
}

/// Whether a subscription will renew. Apple's page: `autoRenewStatus`.
public struct AutoRenewStatus: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Renewal is off: the customer or the App Store turned it off.
    public static let off = Self(rawValue: 0)
    /// The subscription renews at the end of its period.
    public static let on = Self(rawValue: 1)
}

/// Why a subscription expired. Apple's page: `expirationIntent`.
public struct ExpirationIntent: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The customer cancelled.
    public static let customerCancelled = Self(rawValue: 1)
    /// The customer's payment failed.
    public static let billingError = Self(rawValue: 2)
    /// The customer did not consent to a price increase that needed consent.
    public static let priceIncreaseNotAccepted = Self(rawValue: 3)
    /// The product was not for sale at the time of renewal.
    public static let productNotAvailable = Self(rawValue: 4)
    /// Another reason.
    public static let other = Self(rawValue: 5)
}

/// The customer's response to a price increase. Apple's page: `priceIncreaseStatus`.
public struct PriceIncreaseStatus: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Consent is required and the customer has not responded yet.
    public static let pending = Self(rawValue: 0)
    /// The customer consented, or was informed of an increase that needs no consent.
    public static let accepted = Self(rawValue: 1)
}
