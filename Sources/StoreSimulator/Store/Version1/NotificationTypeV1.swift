/// Which version of App Store Server Notifications an app gets, as App Store Connect asks for each environment.
public enum NotificationVersion: Int, Sendable, Hashable, Codable {
    /// Unsigned, with the app's shared secret and a receipt. Deprecated since June 2023.
    case one = 1
    /// Signed.
    case two = 2
}

/// What a notification of version 1 is about. Apple's page: `notification_type`.
///
/// `RENEWAL` is not among them: since March 2021 `DID_RECOVER` is sent in its place.
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

    /// `V1.DID_RENEW`: some types of version 2 have the same names.
    package var name: String { "V1." + rawValue }
}
