/// The version of App Store Server Notifications, which App Store Connect sets for each environment.
@nonexhaustive
public enum NotificationVersion: Int, Sendable, Hashable, Codable, CaseIterable {
    /// Unsigned notifications with the app's shared secret and a receipt. Deprecated since June 2023.
    case one = 1
    /// Signed notifications.
    case two = 2

    /// Decodes the number.
    public init(from decoder: any Decoder) throws { self = try decoder.value(among: Self.allCases) }
}

/// A version 1 notification type. Apple's page: `notification_type`.
///
/// `RENEWAL` is missing: since March 2021 `DID_RECOVER` is sent instead.
package enum NotificationTypeV1: String, Sendable, Hashable, Codable, CaseIterable {
    case initialBuy = "INITIAL_BUY"
    case interactiveRenewal = "INTERACTIVE_RENEWAL"
    case didRenew = "DID_RENEW"
    case didRecover = "DID_RECOVER"
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    case cancel = "CANCEL"
    case refund = "REFUND"
    case revoke = "REVOKE"
    case consumptionRequest = "CONSUMPTION_REQUEST"
    case priceIncreaseConsent = "PRICE_INCREASE_CONSENT"

    /// The name with the prefix `V1.`, because some types of version 2 have the same names.
    package var name: String { "V1." + rawValue }
}
