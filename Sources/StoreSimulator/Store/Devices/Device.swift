package import AppStoreModels
package import Foundation

/// A device of a customer, with the app on it: what it has been told, and what is wrong with it.
///
/// What it shows is the customer's; only what differs is kept here.
package struct Device: Sendable, Codable {
    /// The first system that has an app transaction.
    static let systemWithAppTransaction = 16

    /// The system's major version.
    package var system = 26
    /// What the device was told, in order.
    package var updates: [DeviceUpdate] = []
    /// What it will be told when updates are no longer held, or when it has a network again.
    var heldUpdates: [DeviceUpdate] = []
    var holdsUpdates = false
    var hidesRenewals = false
    /// The transactions that do not show.
    var hidden: [String] = []
    /// The transactions whose signature is wrong.
    var unverified: [String] = []
    /// What it knew when it lost its network; nil while it has one.
    package var offline: DeviceKnowledge?
    var plan: PurchasePlan?

    /// What the next purchase comes to.
    struct PurchasePlan: Sendable, Codable {
        var result: PlannedPurchaseResult
        var message: String?
    }

    /// Where whoever has heard everything goes on. The start of the app is the first thing that a device hears of.
    package var next: Int { updates.count + 1 }

    mutating func hear(_ update: DeviceUpdate) {
        if holdsUpdates || offline != nil { heldUpdates.append(update) } else { updates.append(update) }
    }

    mutating func hearHeldUpdates() {
        guard !holdsUpdates, offline == nil else { return }
        updates += heldUpdates
        heldUpdates = []
    }
}

/// One thing that a device is told.
package struct DeviceUpdate: Sendable, Codable {
    /// The transaction as it was then; nil if a subscription's status changed.
    package var transaction: JWSTransactionDecodedPayload?
    package var isVerified = true
}

/// A purchase that waits for somebody.
package struct PendingPurchase: Sendable, Codable {
    package var product: String
    var quantity: Int
    var offer: String?
    var wantsIntroductoryOffer: Bool
    var accountToken: UUID?
    var plan: BillingPlanType?
    /// Whether the developer's server, or the simulator for it, has decided about the introductory offer.
    var allowsIntroductoryOffer: Bool?
}

/// What a device knows of its customer's purchases.
package struct DeviceKnowledge: Sendable, Codable {
    package var transactions: [JWSTransactionDecodedPayload] = []
    package var statuses: [Status] = []

    /// A subscription's status.
    package struct Status: Sendable, Codable {
        package var status: SubscriptionStatus
        package var transaction: JWSTransactionDecodedPayload
        package var renewalInfo: JWSRenewalInfoDecodedPayload
    }

    /// Whether there is a right to a transaction, as far as a device can tell.
    ///
    /// Apple's page: `Transaction.currentEntitlements`. The latest transaction of a non-renewing subscription is in it for
    /// ever.
    package func isCurrent(_ transaction: JWSTransactionDecodedPayload, at now: Date) -> Bool {
        guard transaction.revocationDate == nil, transaction.isUpgraded != true else { return false }
        if transaction.type == .nonRenewingSubscription {
            let latest = transactions.last { $0.productId == transaction.productId && $0.revocationDate == nil }
            return latest?.transactionId == transaction.transactionId
        }
        guard transaction.type == .autoRenewableSubscription else { return transaction.type != .consumable }
        return statuses.contains { status in
            guard status.transaction.transactionId == transaction.transactionId else { return false }
            let ends = status.renewalInfo.gracePeriodExpiresDate ?? transaction.expiresDate ?? .distantPast
            return ends > now && (status.status == .active || status.status == .billingGracePeriod)
        }
    }
}

/// What a customer's devices have been shown, by identifier. A text is signed anew only when something else is in it.
package struct ShownTexts: Sendable, Codable {
    var transactions: [String: JWSTransactionDecodedPayload] = [:]
    var renewalInfos: [String: JWSRenewalInfoDecodedPayload] = [:]
}

/// What was changed and no device has been told.
package struct UnheardChanges: Sendable, Codable {
    private(set) var transactions: [String] = []
    var customers: [String] = []

    var isEmpty: Bool { transactions.isEmpty && customers.isEmpty }

    mutating func add(_ transaction: String) { transactions.append(transaction) }
}

/// What a purchase came to.
@nonexhaustive
public enum PurchaseOutcome: String, Sendable, Hashable, Codable {
    /// It was made, or the command was done.
    case success
    /// It waits for somebody: `approvePurchase` makes it, `declinePurchase` does not.
    case pending
    /// The customer thought better of it.
    case cancelled
    /// StoreKit threw an error.
    case failed
}

/// What the next purchase on a device is to come to.
@nonexhaustive
public enum PlannedPurchaseResult: String, Sendable, Hashable, Codable {
    /// The customer thinks better of it.
    case cancelled
    /// Something has to be done outside the app first: the purchase waits.
    case interrupted
    /// StoreKit throws an error.
    case failed
    /// It is made, and its signature is wrong on this device.
    case unverified
}
