package import AppStoreModels
package import Basics

extension JSONWriter {
    /// Writes the status of a subscription: Apple's number as `status` and its name as `status_name`.
    package mutating func member(_ status: SubscriptionStatus) {
        member("status", status.rawValue)
        member("status_name", status.name)
    }
}
