package import AppStoreModels
internal import Basics
package import Foundation

/// The app that the simulated App Store sells purchases for.
public struct SimulatedApp: Sendable, Hashable, Codable {
    /// The bundle identifier.
    public var bundleID: String
    /// The app's numeric identifier in the App Store.
    public var appAppleID: Int64
    /// The app version on sale when the simulator is created. App transactions and receipts report it until
    /// `releaseVersion`.
    public var version: String

    /// Creates an app.
    public init(bundleID: String = "com.example.app", appAppleID: Int64 = 1_234_567_890, version: String = "1") {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.version = version
    }

    private enum CodingKeys: String, CodingKey {
        case bundleID = "bundleId"
        case appAppleID = "appAppleId"
        case version
    }
}

/// One environment of the simulated App Store: its customers, purchases, scheduled events and notifications.
///
/// The store is a value and holds no clock, key or socket. Each change takes the instant at which it happens as a
/// parameter; the same changes at the same instants produce the same store. A refused change has no effect, but the
/// events that were due before it may have happened.
package struct Store: Sendable, Codable {
    package let environment: AppStoreEnvironment
    package let app: SimulatedApp
    package var catalogue: Catalogue
    package var settings: StoreSettings
    /// The app version that `releaseVersion` released last; nil if `app.version` is still on sale.
    package var releasedVersion: String?
    /// The seed of all identifiers and of all chance.
    package let seed: UInt64
    package var identifiers: Identifiers
    /// The identifiers of real-time requests. Their order depends on how fast the developer's server answers, so they
    /// have a generator of their own and do not affect the other identifiers.
    package var exchangeIdentifiers: Identifiers
    package var customers: [String: Customer] = [:]
    package var transactions: [String: StoredTransaction] = [:]
    package var subscriptions: [String: Subscription] = [:]
    package var customersByAppTransaction: [String: String] = [:]
    @Derived package var transactionsByOrder: [String: String] = [:]
    package var notifications: [NotificationRecord] = []
    @Derived package var notificationsByUUID: [UUID: Int] = [:]
    package var tests: [String: Int] = [:]
    /// The scheduled events of purchases, such as renewals.
    package var schedule = Schedule()
    /// The scheduled deliveries of notifications.
    package var deliveries = Schedule()
    package var massExtensions: [String: MassExtension] = [:]
    package var externalPurchases: [String: ExternalPurchase] = [:]
    /// The completed Advanced Commerce requests, by `requestReferenceId`.
    package var advancedCommerceRequests: [String: AdvancedCommerceRecord] = [:]
    /// The subscriptions migrated to Advanced Commerce: the old original transaction identifier to the new one.
    package var migrations: [String: String] = [:]
    /// The number of redemptions of each offer code, by product and offer identifier.
    package var redemptions: [String: Int] = [:]
    /// The scheduled price changes, in the order of the commands.
    package var priceCampaigns: [PriceCampaign] = []
    /// The nonces of redeemed offer signatures, with the dates of the signatures. A signature is valid for one
    /// purchase.
    package var usedOfferNonces: [String: Date] = [:]
    /// The number of delivered notifications.
    package var delivered = 0
    /// The notifications to resend on request, and when, in addition to Apple's retry schedule.
    package var resends: [Int: Date] = [:]
    /// The number of failed delivery attempts.
    package var failedAttempts = 0
    /// The app's configuration in the Retention Messaging API.
    package var retention: RetentionMessaging
    /// In production: whether a performance test has passed in the sandbox.
    package var hasPassedPerformanceTest = false
    /// The number of changes to transactions.
    package var revision = 0
    /// The transactions that were changed, and the customers whose subscriptions were announced, since devices were
    /// last updated.
    package var pendingDeviceChanges = PendingDeviceChanges()
    /// The signing date of the last change. It may be ahead of the clock: changes at the same instant have increasing
    /// signing dates.
    package var lastSigned: Date?

    package init(
        environment: AppStoreEnvironment, app: SimulatedApp, catalogue: Catalogue, settings: StoreSettings, seed: UInt64
    ) {
        self.environment = environment
        self.app = app
        self.catalogue = catalogue
        self.settings = settings
        self.seed = seed
        retention = RetentionMessaging(environment: environment)
        identifiers = Identifiers(seed: seed, isSandbox: environment == .sandbox)
        exchangeIdentifiers = Identifiers(seed: ~seed, isSandbox: environment == .sandbox)
    }

    package var isSandbox: Bool { environment == .sandbox }

    /// The app version on sale.
    package var version: String { releasedVersion ?? app.version }
}

// MARK: - Lookup

extension Store {
    package func product(_ id: String) throws(StoreError) -> Product {
        guard let product = catalogue.product(id) else {
            throw StoreError(.unknownProduct, "the catalogue has no product \(id.quoted)")
        }
        return product
    }

    /// Returns the subscription product with this identifier; nil if the catalogue has none, or by now another kind of
    /// product.
    func subscriptionProduct(_ id: String) -> Product? {
        guard let product = catalogue.product(id), product.subscription != nil else { return nil }
        return product
    }

    package func customer(_ id: String) throws(StoreError) -> Customer {
        guard let customer = customers[id] else {
            throw StoreError(.unknownCustomer, "there is no customer \(id.quoted) in \(environment.rawValue)")
        }
        return customer
    }

    /// Returns a customer's transaction by its identifier or its product's; the latest if `selector` is nil.
    package func transaction(of customer: String, _ selector: String?) throws(StoreError) -> StoredTransaction {
        let all = try self.customer(customer).transactions.reversed().lazy.compactMap { transactions[$0] }
        guard let selector else {
            // Purchased transactions take precedence over shared ones.
            guard let latest = all.first(where: { $0.payload.inAppOwnershipType == .purchased }) ?? all.first else {
                throw StoreError(.unknownTransaction, "\(customer) has bought nothing")
            }
            return latest
        }
        guard let found = all.first(where: { $0.payload.transactionId == selector || $0.payload.productId == selector })
        else { throw StoreError(.unknownTransaction, "\(customer) has no transaction \(selector.quoted)") }
        return found
    }

    /// Returns a customer's subscription by the identifier of one of its transactions, its group or its product; the
    /// latest if `selector` is nil.
    package func subscription(of customer: String, _ selector: String?) throws(StoreError) -> Subscription {
        let all = try self.customer(customer).subscriptions.compactMap { subscriptions[$0] }
        let fitting = all.filter { subscription in
            guard let selector else { return true }
            return subscription.id == selector || subscription.current == selector || subscription.group == selector
                || transactions[subscription.current]?.payload.productId == selector
                || transactions[selector]?.payload.originalTransactionId == subscription.id
        }
        // If several match, purchased ones take precedence, then the latest current transaction.
        let latest = fitting.max { purchaseOrder($0) < purchaseOrder($1) }
        guard let latest else {
            let which = selector.map { " \($0.quoted)" } ?? ""
            throw StoreError(.noSubscription, "\(customer) has no subscription\(which)")
        }
        return latest
    }

    /// Returns all subscriptions of a customer, purchased and shared. Returns none for an unknown customer.
    func subscriptions(of customer: String) -> [Subscription] {
        (customers[customer]?.subscriptions ?? []).compactMap { subscriptions[$0] }
    }

    /// Returns all transactions of a customer, oldest first. Returns none for an unknown customer.
    func transactions(of customer: String) -> [StoredTransaction] {
        (customers[customer]?.transactions ?? []).compactMap { transactions[$0] }
    }

    func purchaseOrder(_ subscription: Subscription) -> (Int, Date) {
        let date = transactions[subscription.current]?.payload.purchaseDate ?? .distantPast
        return (subscription.ownership == .purchased ? 1 : 0, date)
    }

    /// Returns the product identifier of a subscription's current transaction.
    func currentProduct(of subscription: Subscription) -> String {
        transactions[subscription.current]?.payload.productId ?? subscription.renewalProduct
    }

    /// Returns the status that the App Store Server API reports for a subscription.
    package func status(of subscription: Subscription, at now: Date) -> SubscriptionStatus {
        guard let current = period(of: subscription, at: now)?.payload else { return .expired }
        if current.revocationDate != nil { return .revoked }
        if let expires = current.expiresDate, expires > now, !subscription.isOver { return .active }
        guard subscription.retryEnds != nil else { return .expired }
        if let graceEnds = subscription.graceEnds, graceEnds > now { return .billingGracePeriod }
        return .billingRetry
    }

    /// Returns the subscriptions, not ended or revoked, of the family members who share this subscription.
    package func shares(of subscription: Subscription) -> [Subscription] {
        (customers[subscription.customer]?.family ?? []).flatMap { subscriptions(of: $0) }.filter {
            $0.owner == subscription.id && !$0.isOver && transactions[$0.current]?.payload.revocationDate == nil
        }
    }

    /// Returns a subscription and the subscriptions of the family members who share it.
    package func holders(of subscription: Subscription) -> [Subscription] { [subscription] + shares(of: subscription) }
}

extension SubscriptionStatus {
    /// Whether the app should give access to the subscription's content.
    var givesAccess: Bool { self == .active || self == .billingGracePeriod }
}
