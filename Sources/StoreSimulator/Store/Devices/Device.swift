package import AppStoreModels
package import Foundation

/// A customer's device with the app installed: the updates it received and its injected faults.
///
/// The device shows the customer's purchases; only the differences are stored here.
package struct Device: Sendable, Codable {
    /// The first major system version that has an app transaction.
    static let systemWithAppTransaction = 16

    /// The system's major version.
    package var system = 26
    /// The updates that the device has received, in order.
    package var updates: [DeviceUpdate] = []
    /// The updates that the device receives when updates are released, or when it goes online.
    var heldUpdates: [DeviceUpdate] = []
    var holdsUpdates = false
    var hidesRenewals = false
    /// The identifiers of the transactions that the device does not show.
    var hidden: [String] = []
    /// The identifiers of the transactions with an invalid signature on this device.
    var unverified: [String] = []
    /// The data that the device had when it went offline; nil while it is online.
    package var offline: DeviceView?
    var nextPurchase: PlannedPurchase?

    /// The planned result of the next purchase.
    struct PlannedPurchase: Sendable, Codable {
        var result: PlannedPurchaseResult
        var message: String?
    }

    /// The position after all updates received so far, at least 1. Position 0 is a client that has just started and
    /// receives the unfinished transactions.
    package var next: Int { updates.count + 1 }

    /// Whether the signature of a transaction is valid on this device.
    func isVerified(_ transaction: String) -> Bool { !unverified.contains(transaction) }

    mutating func receive(_ update: DeviceUpdate) {
        if holdsUpdates || offline != nil { heldUpdates.append(update) } else { updates.append(update) }
    }

    mutating func receiveHeldUpdates() {
        guard !holdsUpdates, offline == nil else { return }
        updates += heldUpdates
        heldUpdates = []
    }
}

/// An update that a device receives.
package struct DeviceUpdate: Sendable, Codable {
    /// The transaction at that time; nil if the status of a subscription changed.
    package var transaction: JWSTransactionDecodedPayload?
    package var isVerified = true
}

/// A purchase that awaits approval.
package struct PendingPurchase: Sendable, Codable {
    package var product: String
    var quantity: Int
    var offer: String?
    var wantsIntroductoryOffer: Bool
    var accountToken: UUID?
    var plan: BillingPlanType?
    /// The decision of the developer's server, or of the simulator in its place, about the introductory offer; nil if
    /// neither has decided.
    var allowsIntroductoryOffer: Bool?
}

/// A device's view of its customer's purchases.
package struct DeviceView: Sendable, Codable {
    package var transactions: [JWSTransactionDecodedPayload] = []
    package var statuses: [Status] = []

    /// The status of a subscription.
    package struct Status: Sendable, Codable {
        package var status: SubscriptionStatus
        package var transaction: JWSTransactionDecodedPayload
        package var renewalInfo: JWSRenewalInfoDecodedPayload
    }

    /// Whether a transaction is a current entitlement, as far as a device can tell.
    ///
    /// Apple's page: `Transaction.currentEntitlements`. The latest transaction of a non-renewing subscription never
    /// expires.
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
            return ends > now && status.status.givesAccess
        }
    }
}

/// The payloads that a customer's devices have received, by identifier. A payload gets a new signing date only when its
/// content changes.
package struct DevicePayloads: Sendable, Codable {
    var transactions: [String: JWSTransactionDecodedPayload] = [:]
    var renewalInfos: [String: JWSRenewalInfoDecodedPayload] = [:]
}

/// The changes that devices have not been updated with yet.
package struct PendingDeviceChanges: Sendable, Codable {
    var transactions: [String] = []
    var customers: [String] = []

    var isEmpty: Bool { transactions.isEmpty && customers.isEmpty }
}

/// The result of a purchase on a device, or of any other command on one.
@nonexhaustive
public enum PurchaseResult: String, Sendable, Hashable, Codable {
    /// The purchase was made, or the command was carried out.
    case success
    /// The purchase awaits approval: `approvePurchase` makes it, `declinePurchase` discards it.
    case pending
    /// The customer cancelled the purchase.
    case cancelled
    /// StoreKit threw an error.
    case failed
}

/// The planned result of the next purchase on a device.
@nonexhaustive
public enum PlannedPurchaseResult: String, Sendable, Hashable, Codable, CaseIterable {
    /// The customer cancels the purchase.
    case cancelled
    /// The customer must do something outside the app first; the purchase is pending.
    case interrupted
    /// StoreKit throws an error.
    case failed
    /// The purchase is made, but its signature is invalid on this device.
    case unverified

    /// Decodes a name.
    public init(from decoder: any Decoder) throws { self = try decoder.value(among: Self.allCases) }
}
