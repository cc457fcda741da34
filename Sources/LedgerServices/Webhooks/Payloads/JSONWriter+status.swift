package import AppStoreModels
package import Basics

extension JSONWriter {
    /// The status of a subscription: Apple's number as `status`, and a word for it as `status_name`.
    package mutating func member(_ status: SubscriptionStatus) {
        member("status", status.rawValue)
        member("status_name", status.name)
    }
}

extension SubscriptionStatus {
    /// What Apple's documentation calls it; nil for what is newer than this version.
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
