internal import AppStoreModels
package import Foundation

extension Store {
    /// Causes a notification at `date`, after everything that happens by itself until then. It is the last of the outcome's.
    ///
    /// What leads to it may lie in the past. Its notifications are signed then too, unless later ones are there already:
    /// they come after those, late. So notifications are always in the order of their signatures.
    package mutating func trigger(_ request: TriggerRequest, at date: Date) throws(StoreError) -> StoreOutcome {
        let now = try instant(date)
        try request.check()
        guard settings.notificationVersion == .two || request.notificationType == .test else {
            throw StoreError(
                .impossibleTransition,
                "the app gets notifications of version 1, which follow commands alone: set notificationVersion to 2")
        }
        run(until: now)
        // On an excerpt, so that whatever turns out to be impossible has never begun.
        var rehearsal = try TriggerRun(whole: self, request: request, now: now)
        let outcome = try rehearsal.perform()
        absorb(rehearsal.store)
        updateDevices(at: now)
        return outcome
    }
}

/// One trigger on its way: the part of the store that it is about as it becomes, and for whom.
struct TriggerRun {
    var store: Store
    let request: TriggerRequest
    let now: Date
    /// Whom it is about.
    let customer: String
    /// Whether everything that leads to the notification is still to be made up.
    let isNew: Bool
    /// A name for somebody else who is needed.
    let otherName: String
    /// How many subscribe to the product in question, where that is asked for.
    private(set) var subscribers = 0
    /// What is made that is no transaction.
    var token: String?

    init(whole: Store, request: TriggerRequest, now: Date) throws(StoreError) {
        self.request = request
        self.now = now
        customer = request.customer ?? Self.newName(in: whole)
        otherName = Self.newName(in: whole, after: customer)
        isNew = whole.customers[customer] == nil
        if isNew { try whole.checkName(customer) }
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
        // What a trigger needs of these is for the trigger alone.
        let (settings, catalogue) = (store.settings, store.catalogue)
        // What is asked for comes now: neither a day before nor late.
        (store.settings.renewalLead, store.settings.renewalDelay) = (0, 0)
        try act()
        store.settings = settings
        store.catalogue = catalogue
        guard let number = asked else {
            throw StoreError(
                .impossibleTransition, "\(request.name) does not follow from the state that \(customer) is in")
        }
        try override(number)
        return outcome(number)
    }

    /// The number of the notification that was asked for, once it is there.
    var asked: Int? {
        store.notifications.indices.last { index in
            let record = store.notifications[index]
            return record.type == type && record.subtype == subtype && record.date == now
                && (record.customer == nil || record.customer == customer)
        }
    }

    private mutating func override(_ number: Int) throws(StoreError) {
        let parts = store.notifications[number].overridableParts
        for path in request.overrides.keys.sorted() where !parts.contains(String(path.prefix { $0 != "." })) {
            throw StoreError(
                .invalidArgument,
                "\(request.name) has no \(path.debugDescription); a path begins with \(parts.joined(separator: ", "))")
        }
        store.notifications[number].overrides = request.overrides
    }

    private func outcome(_ number: Int) -> StoreOutcome {
        let record = store.notifications[number]
        var outcome = StoreOutcome(environment: store.environment, customer: record.customer, token: token)
        if case .purchase(let purchase) = record.content {
            outcome.transactionID = purchase.transaction.transactionId
            outcome.originalTransactionID = purchase.transaction.originalTransactionId
            outcome.orderID = store.transactions[purchase.transaction.transactionId]?.order
            outcome.appAccountToken = purchase.transaction.appAccountToken?.text
        }
        var all = store.announcements(from: 0)
        // Family members may have heard after the purchaser.
        if all.indices.contains(number) { all.append(all.remove(at: number)) }
        outcome.notifications = all
        return outcome
    }

    private mutating func act() throws(StoreError) {
        switch type {
        case .subscribed, .oneTimeCharge, .didChangeRenewalPref, .didChangeRenewalStatus, .offerRedeemed:
            try actOnPurchase()
        case .didRenew, .didFailToRenew, .gracePeriodExpired, .expired, .priceIncrease: try actOnRenewal()
        case .consumptionRequest, .refund, .refundDeclined, .refundReversed, .revoke: try actOnRefund()
        case .metadataUpdate, .migration, .priceChange: try actOnAdvancedCommerce()
        default: try actOnOthers()
        }
    }
}

// MARK: - What all of them need

extension TriggerRun {
    /// Does something at its time, which may be in the past.
    mutating func perform(_ command: StoreCommand, at date: Date) throws(StoreError) {
        let date = date.wholeMilliseconds
        store.run(until: date)
        token = try store.apply(command, at: date).token ?? token
    }

    /// Does something now. What is due by itself at this very instant comes after it.
    mutating func perform(_ command: StoreCommand) throws(StoreError) {
        token = try store.apply(command, at: now).token
    }

    /// The subscriptions that can be bought.
    var subscriptionProducts: [Product] {
        store.catalogue.products.filter { $0.subscription != nil && $0.isOnSale && !$0.isAdvancedCommerce }
    }

    /// The product that was asked for; the first that fits otherwise.
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

    /// The middle of a period of `product` that has begun in the past and is not over.
    func middle(of product: Product) -> Date {
        let period = product.subscription?.period ?? .month
        return now - store.settings.rate.end(of: period, from: now).timeIntervalSince(now) / 2
    }

    /// When a period of `product` has to begin to end at `end`, or as soon as possible after it.
    func start(of product: Product, endingAt end: Date) -> Date {
        let (period, rate) = (product.subscription?.period ?? .month, store.settings.rate)
        return Self.start(endingAt: end) { rate.end(of: period, from: $0) }
    }

    /// The earliest start from which `ends` does not lie before `end`. A calendar has no month that ends on some days.
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

    /// A new customer's subscription, bought at `start` at the full price.
    mutating func subscribe(to product: Product, at start: Date) throws(StoreError) {
        try perform(.purchase(customer: customer, product: product.id, introductory: false), at: start)
    }

    /// The subscription that things happen to: a new one in the middle of its period, or the customer's as it is.
    mutating func subscription() throws(StoreError) -> Subscription {
        if isNew {
            let product = try subscriptionProduct()
            try subscribe(to: product, at: middle(of: product))
        }
        return try store.subscription(of: customer, isNew ? nil : request.product)
    }

    /// The instant at a fraction of the way from the beginning of the subscription's period to now.
    func instant(_ fraction: Double, of subscription: Subscription) -> Date {
        let start = store.transactions[subscription.current]?.payload.purchaseDate ?? now
        return start + now.timeIntervalSince(start) * fraction
    }

    /// Lets come what comes at this instant by itself; what does not is accelerated, step by step, until it is there.
    mutating func letItCome(_ subscription: Subscription, steps: Int = 1) throws(StoreError) {
        store.run(until: now)
        for _ in 0..<steps where asked == nil {
            try perform(.accelerate(customer: customer, subscription: subscription.id))
        }
    }
}
