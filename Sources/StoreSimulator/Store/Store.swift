package import AppStoreModels
package import Foundation

/// The app whose purchases a simulated store sells.
public struct SimulatedApp: Sendable, Hashable, Codable {
    /// The bundle identifier.
    public var bundleID: String
    /// The number in the App Store.
    public var appAppleID: Int64
    /// The version on sale at the start: what app transactions and receipts carry as the version of the app.
    public var version: String

    /// An app.
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

/// One environment of the simulated App Store: who bought what, what will happen when, what was announced.
///
/// A value without a clock, a key or a socket. Every change has the instant at which it happens as a parameter; the same
/// changes at the same instants give the same store. A change that is refused changes nothing.
package struct Store: Sendable, Codable {
    package let environment: AppStoreEnvironment
    package let app: SimulatedApp
    package var catalogue: Catalogue
    package var settings: StoreSettings
    /// The version of the app on sale; nil for that of the start.
    package var releasedVersion: String?
    /// What all identifiers come from.
    package let seed: UInt64
    package var identifiers: Identifiers
    /// Those of real-time requests, whose moment depends on how fast somebody answers: they must not shift the others.
    package var exchangeIdentifiers: Identifiers
    package var customers: [String: Customer] = [:]
    package var transactions: [String: StoredTransaction] = [:]
    package var subscriptions: [String: Subscription] = [:]
    package var customersByAppTransaction: [String: String] = [:]
    @Derived package var transactionsByOrder: [String: String] = [:]
    package var notifications: [NotificationRecord] = []
    @Derived package var notificationsByUUID: [UUID: Int] = [:]
    package var tests: [String: Int] = [:]
    /// What happens to purchases by itself.
    package var schedule = Schedule()
    /// When notifications are sent.
    package var deliveries = Schedule()
    package var massExtensions: [String: MassExtension] = [:]
    package var externalPurchases: [String: ExternalPurchase] = [:]
    /// The Advanced Commerce requests that were carried out, by `requestReferenceId`.
    package var advancedCommerceRequests: [String: AdvancedCommerceRecord] = [:]
    /// The subscriptions that went to Advanced Commerce: old original transaction identifier to new.
    package var migrations: [String: String] = [:]
    /// How often offers were redeemed, by product and identifier.
    @Later package var redemptions: [String: Int] = [:]
    /// The prices that were scheduled, in that order.
    @Later package var priceCampaigns: [PriceCampaign] = []
    /// The nonces of signed offers that were redeemed, with the dates of the signatures: each is good for one purchase.
    @Later package var usedOfferNonces: [String: Date] = [:]
    /// How many notifications have reached the receiver.
    @Later package var delivered = 0
    /// The notifications that somebody wants sent once more, and when, besides what Apple's schedule has planned.
    @Later package var resends: [Int: Date] = [:]
    /// How many attempts to send one have failed.
    @Later package var failedAttempts = 0
    /// What the developer has set up to keep customers from cancelling.
    package var retention: RetentionMessaging
    /// Whether a performance test has passed in the sandbox, as far as production knows.
    package var hasPassedPerformanceTest = false
    /// Counts the changes to transactions.
    package var revision = 0
    /// The transactions that were changed since devices last heard, and the customers whose subscriptions were announced.
    package var unheard = UnheardChanges()
    /// When the last change was signed. The clock may show less: of one instant, each change is signed later than the one
    /// before.
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

    /// The version of the app on sale.
    package var version: String { releasedVersion ?? app.version }
}

// MARK: - Looking things up

extension Store {
    package func product(_ id: String) throws(StoreError) -> Product {
        guard let product = catalogue.product(id) else {
            throw StoreError(.unknownProduct, "the catalogue has no product \(id.debugDescription)")
        }
        return product
    }

    package func customer(_ id: String) throws(StoreError) -> Customer {
        guard let customer = customers[id] else {
            throw StoreError(.unknownCustomer, "there is no customer \(id.debugDescription) in \(environment.rawValue)")
        }
        return customer
    }

    package func transaction(_ id: String) throws(StoreError) -> StoredTransaction {
        guard let transaction = transactions[id] else {
            throw StoreError(.unknownTransaction, "there is no transaction \(id.debugDescription)")
        }
        return transaction
    }

    /// A customer's transaction by its identifier or its product's; the latest if neither is given.
    package func transaction(of customer: String, _ selector: String?) throws(StoreError) -> StoredTransaction {
        let all = try self.customer(customer).transactions.reversed().lazy.compactMap { transactions[$0] }
        guard let selector else {
            // What the customer bought goes before what somebody shares.
            guard let latest = all.first(where: { $0.payload.inAppOwnershipType == .purchased }) ?? all.first else {
                throw StoreError(.unknownTransaction, "\(customer) has bought nothing")
            }
            return latest
        }
        guard let found = all.first(where: { $0.payload.transactionId == selector || $0.payload.productId == selector })
        else { throw StoreError(.unknownTransaction, "\(customer) has no transaction \(selector.debugDescription)") }
        return found
    }

    /// A customer's subscription by an identifier of it or its product's; the latest if neither is given.
    package func subscription(of customer: String, _ selector: String?) throws(StoreError) -> Subscription {
        let all = try self.customer(customer).subscriptions.compactMap { subscriptions[$0] }
        let fitting = all.filter { subscription in
            guard let selector else { return true }
            return subscription.id == selector || subscription.current == selector || subscription.group == selector
                || transactions[subscription.current]?.payload.productId == selector
                || transactions[selector]?.payload.originalTransactionId == subscription.id
        }
        // Of several an own one, and of those the one whose current transaction is the latest.
        let latest = fitting.max { purchaseOrder($0) < purchaseOrder($1) }
        guard let latest else {
            let which = selector.map { " \($0.debugDescription)" } ?? ""
            throw StoreError(.noSubscription, "\(customer) has no subscription\(which)")
        }
        return latest
    }

    private func purchaseOrder(_ subscription: Subscription) -> (Int, Date) {
        let date = transactions[subscription.current]?.payload.purchaseDate ?? .distantPast
        return (subscription.owner == nil ? 1 : 0, date)
    }

    /// The transaction that a subscription is in, and its product.
    package func current(of subscription: Subscription) throws(StoreError) -> (StoredTransaction, Product) {
        let transaction = try transaction(subscription.current)
        return (transaction, try product(transaction.payload.productId))
    }

    /// The status as the App Store Server API gives it.
    package func status(of subscription: Subscription, at now: Date) -> SubscriptionStatus {
        guard let current = period(of: subscription, at: now)?.payload else { return .expired }
        if current.revocationDate != nil { return .revoked }
        if let expires = current.expiresDate, expires > now, !subscription.isOver { return .active }
        guard subscription.retryEnds != nil else { return .expired }
        if let graceEnds = subscription.graceEnds, graceEnds > now { return .billingGracePeriod }
        return .billingRetry
    }

    /// The subscriptions of family members who share this one.
    package func shares(of subscription: Subscription) -> [Subscription] {
        guard let owner = customers[subscription.customer] else { return [] }
        guard !owner.family.isEmpty else { return [] }
        return owner.family.flatMap { customers[$0]?.subscriptions ?? [] }.compactMap { subscriptions[$0] }
            .filter {
                $0.owner == subscription.id && !$0.isOver && transactions[$0.current]?.payload.revocationDate == nil
            }
    }

    /// A subscription and those of the family members who share it.
    package func holders(of subscription: Subscription) -> [Subscription] { [subscription] + shares(of: subscription) }
}
