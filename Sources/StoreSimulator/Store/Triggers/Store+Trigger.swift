internal import AppStoreModels
internal import Basics
package import Foundation

extension Store {
    /// Causes a notification at `date`, after all events due by then. It is the last notification in the outcome.
    ///
    /// The events that lead to it may be in the past. Their notifications are signed with past dates too, unless the
    /// store has later notifications: then they are signed after those. Notifications are therefore always in the order
    /// of their signing dates.
    package mutating func trigger(_ request: TriggerRequest, at date: Date) throws(StoreError) -> StoreOutcome {
        let now = try instant(date)
        try request.check()
        guard settings.notificationVersion == .two || request.notificationType == .test else {
            throw StoreError(
                .impossibleTransition,
                "notifications of version 1 cannot be triggered: set notificationVersion to 2")
        }
        run(until: now)
        // Run on an excerpt, so that a trigger that turns out to be impossible has no effect.
        var execution = try TriggerRun(whole: self, request: request, now: now)
        let outcome = try execution.perform()
        merge(execution.store)
        updateDevices(at: now)
        return outcome
    }
}

/// A trigger being carried out on an excerpt of the store.
struct TriggerRun {
    var store: Store
    let request: TriggerRequest
    let now: Date
    /// The customer that the notification is about.
    let customer: String
    /// Whether the customer is new, so that the preceding events must be created too.
    let isNew: Bool
    /// The name of a second new customer, if one is needed.
    let otherName: String
    /// The number of subscribers to the requested product; only counted for a summary.
    private(set) var subscribers = 0
    /// The token or request identifier that the trigger created.
    var token: String?

    init(whole: Store, request: TriggerRequest, now: Date) throws(StoreError) {
        self.request = request
        self.now = now
        customer = request.customer ?? Self.newName(in: whole)
        otherName = Self.newName(in: whole, after: customer)
        isNew = whole.customers[customer] == nil
        try whole.checkCustomer(customer)
        store = whole.excerpt(of: customer)
        let isSummary = request.notificationType == .renewalExtension && request.subtype == .summary
        if isSummary { subscribers = try whole.subscribers(of: subscriptionProduct().id, at: now).count }
    }

    private static func newName(in store: Store, after taken: String? = nil) -> String {
        var number = store.customers.count + 1
        while case let name = "customer-\(number)", store.customers[name] != nil || name == taken { number += 1 }
        return "customer-\(number)"
    }

    var type: NotificationTypeV2 { request.notificationType }
    var subtype: NotificationSubtype? { request.subtype }

    mutating func perform() throws(StoreError) -> StoreOutcome {
        // Changes to settings and catalogue apply only during the trigger.
        let (settings, catalogue) = (store.settings, store.catalogue)
        // Renewals are due exactly at the end of the period, neither in advance nor late.
        (store.settings.maximumRenewalLeadTime, store.settings.maximumRenewalDelay) = (0, 0)
        try performTrigger()
        store.settings = settings
        store.catalogue = catalogue
        guard let number = requestedNotification else {
            throw StoreError(
                .impossibleTransition, "\(request.name) does not follow from the state that \(customer) is in")
        }
        try override(number)
        return outcome(number)
    }

    /// The number of the requested notification; nil until it exists.
    var requestedNotification: Int? {
        store.notifications.indices.last { index in
            let record = store.notifications[index]
            return record.type == type && record.subtype == subtype && record.date == now
                && (record.customer == nil || record.customer == customer)
        }
    }

    private mutating func override(_ number: Int) throws(StoreError) {
        let parts = store.notifications[number].overridableParts
        for path in request.overrides.keys.sorted() where !parts.contains(path.overridePart) {
            throw StoreError(
                .invalidArgument,
                "\(request.name) has no \(path.quoted); a path begins with \(parts.joined(separator: ", "))")
        }
        store.notifications[number].overrides = request.overrides
    }

    private func outcome(_ number: Int) -> StoreOutcome {
        let record = store.notifications[number]
        var subject = Store.Subject(customer: record.customer, token: token)
        if case .purchase(let purchase) = record.content { subject.transaction = purchase.transaction.transactionId }
        var outcome = store.outcome(subject, since: 0)
        // Notifications to family members may follow the purchaser's.
        outcome.notifications.append(outcome.notifications.remove(at: number))
        return outcome
    }

    private mutating func performTrigger() throws(StoreError) {
        switch type {
        case .subscribed, .oneTimeCharge, .didChangeRenewalPref, .didChangeRenewalStatus, .offerRedeemed:
            try performPurchaseTrigger()
        case .didRenew, .didFailToRenew, .gracePeriodExpired, .expired, .priceIncrease: try performRenewalTrigger()
        case .consumptionRequest, .refund, .refundDeclined, .refundReversed, .revoke: try performRefundTrigger()
        case .metadataUpdate, .migration, .priceChange: try performAdvancedCommerceTrigger()
        default: try performOtherTrigger()
        }
    }
}

// MARK: - Shared helpers

extension TriggerRun {
    /// Carries out a command at `date`, which may be in the past, after all events due by then.
    mutating func perform(_ command: StoreCommand, at date: Date) throws(StoreError) {
        let date = date.wholeMilliseconds
        store.run(until: date)
        token = try store.apply(command, at: date).token ?? token
    }

    /// Carries out a command now, before the events due at this instant.
    mutating func perform(_ command: StoreCommand) throws(StoreError) {
        token = try store.apply(command, at: now).token
    }

    /// The subscription products on sale, without generic products.
    var subscriptionProducts: [Product] {
        store.catalogue.products.filter { $0.subscription != nil && $0.isOnSale && !$0.isAdvancedCommerce }
    }

    /// Returns the requested product, or else the first one on sale that satisfies `fits`.
    func product(_ kind: String, where fits: (Product) -> Bool) throws(StoreError) -> Product {
        if let id = request.product {
            let product = try store.product(id)
            guard fits(product) else { throw StoreError(.invalidArgument, "\(id) is no \(kind)") }
            return product
        }
        guard let product = store.catalogue.products.first(where: { $0.isOnSale && fits($0) }) else {
            throw StoreError(.unknownProduct, "the catalogue has no \(kind)")
        }
        return product
    }

    func subscriptionProduct() throws(StoreError) -> Product {
        try product("auto-renewable subscription") { $0.subscription != nil && !$0.isAdvancedCommerce }
    }

    /// Returns a start date such that `now` is in the middle of a period of `product`.
    func middle(of product: Product) -> Date {
        let period = product.subscription?.period ?? .month
        return now - store.settings.rate.end(of: period, from: now).timeIntervalSince(now) / 2
    }

    /// Returns the start of a period of `product` that ends at `end`, or as soon as possible after it.
    func start(of product: Product, endingAt end: Date) -> Date {
        let (period, rate) = (product.subscription?.period ?? .month, store.settings.rate)
        return Self.start(endingAt: end) { rate.end(of: period, from: $0) }
    }

    /// Returns the earliest start for which `ends` returns `end` or later. On some dates no calendar month ends.
    static func start(endingAt end: Date, _ ends: (Date) -> Date) -> Date {
        let length = ends(end).timeIntervalSince(end)
        guard length > 0, var high = end.millisecondsSince1970 else { return end }
        var low = high - Int64(length * 2000) - 10 * 86_400_000
        while high - low > 1 {
            let middle = low + (high - low) / 2
            guard let date = Date(millisecondsSince1970: middle) else { return end }
            if ends(date).wholeMilliseconds < end { low = middle } else { high = middle }
        }
        return Date(millisecondsSince1970: high) ?? end
    }

    /// Subscribes a new customer at `start` at the full price.
    mutating func subscribe(to product: Product, at start: Date) throws(StoreError) {
        try perform(.purchase(customer: customer, product: product.id, introductory: false), at: start)
    }

    /// Returns the customer's subscription; for a new customer, a new one in the middle of its period.
    mutating func subscription() throws(StoreError) -> Subscription {
        if isNew {
            let product = try subscriptionProduct()
            try subscribe(to: product, at: middle(of: product))
        }
        return try store.subscription(of: customer, isNew ? nil : request.product)
    }

    /// Returns the instant at a fraction of the time between the start of the subscription's period and now.
    func instant(_ fraction: Double, of subscription: Subscription) -> Date {
        let start = store.transactions[subscription.current]?.payload.purchaseDate ?? now
        return start + now.timeIntervalSince(start) * fraction
    }

    /// Processes the events due now. Then accelerates the subscription up to `steps` times until the requested
    /// notification exists.
    mutating func advance(_ subscription: Subscription, steps: Int = 1) throws(StoreError) {
        store.run(until: now)
        for _ in 0..<steps where requestedNotification == nil {
            try perform(.accelerate(customer: customer, subscription: subscription.id))
        }
    }
}
