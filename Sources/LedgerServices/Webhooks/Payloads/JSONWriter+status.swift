package import AppStoreModels
package import Basics

extension JSONWriter {
    /// Writes the status of a subscription: Apple's number as `status` and its name as `status_name`.
    package mutating func member(_ status: SubscriptionStatus) {
        member("status", status.rawValue)
        member("status_name", status.name)
    }
}

extension SubscriptionStatus {
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
