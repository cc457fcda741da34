package import AppStoreModels
package import Foundation
package import StoreSimulator

/// Returns the violated invariants of a store.
package func invariantViolations(of store: Store, at now: Date) -> [String] {
    var violations = store.subscriptions.values.flatMap { invariantViolations(of: $0, in: store, at: now) }
    violations += store.transactions.values.flatMap { invariantViolations(of: $0, in: store) }
    violations += violationsOfCustomers(store) + violationsOfNotifications(store, at: now)
    if let next = store.schedule.next, next <= now { violations.append("an event is overdue since \(next)") }
    return violations.sorted()
}

private func invariantViolations(of subscription: Subscription, in store: Store, at now: Date) -> [String] {
    guard !store.hasMoved(subscription) else { return [] }
    var violations: [String] = []
    func require(_ isTrue: Bool, _ description: String) {
        if !isTrue { violations.append("\(subscription.customer) \(subscription.id): \(description)") }
    }
    guard let last = store.transactions[subscription.current]?.payload, let end = last.expiresDate,
        let current = store.period(of: subscription, at: now)?.payload, let expires = current.expiresDate
    else {
        return ["\(subscription.id) has no current transaction with an expiry date"]
    }
    let status = store.status(of: subscription, at: now)
    let info = store.renewalInfo(of: subscription, at: now)
    let isRevoked = current.revocationDate != nil
    let isPaying = subscription.ownership == .purchased

    // A renewal that the store charges late.
    let isLate =
        status == .expired && subscription.due.map { $0 > now } == true && store.settings.maximumRenewalDelay > 0

    require(store.transactions[subscription.id] != nil, "the original transaction is missing")
    require(current.originalTransactionId == subscription.id, "the current transaction is another subscription's")
    require(current.isUpgraded == nil, "the current transaction is upgraded")
    require((status == .revoked) == isRevoked, "\(status) and revoked at \(String(describing: current.revocationDate))")
    require((status == .active) == (!isRevoked && expires > now), "\(status) until \(expires)")
    require((subscription.retryEnds ?? .distantFuture) > now, "the billing retry has ended")
    require((subscription.graceEnds ?? .distantFuture) > now, "the grace period has ended")
    require(subscription.graceEnds == nil || subscription.retryEnds != nil, "grace period without billing retry")
    if subscription.retryEnds != nil {
        require(!isRevoked && subscription.expirationIntent == .billingError, "billing retry without a billing error")
        require(
            subscription.renewsAutomatically || subscription.isCommitted, "billing retry although auto-renewal is off")
        require(
            !isPaying || subscription.isBillingFailing
                || store.customers[subscription.customer]?.isBillingFailing == true,
            "billing retry although the charge succeeds")
    }
    // A renewal is due exactly while the period or the billing retry lasts, for the customer who pays.
    let continues =
        subscription.owner == nil && last.revocationDate == nil
        && (end > now || subscription.retryEnds != nil || isLate)
    require((subscription.due != nil) == continues, "due at \(String(describing: subscription.due))")
    if let due = subscription.due, subscription.retryEnds == nil {
        let lead = max(store.settings.maximumRenewalLeadTime, 0)
        require(isLate || due <= end && due >= end - lead, "due at \(due), not \(end)")
    }
    require(!subscription.isOver || expires <= now || isRevoked, "over before it expires")
    require(!subscription.isOver || !subscription.renewsAutomatically, "over, but renews")
    require(
        isRevoked || status != .expired || isLate || info.expirationIntent != nil,
        "expired without an expiration intent")
    require(status != .active || info.expirationIntent == nil, "active, but with an expiration intent")
    require(info.eligibleWinBackOfferIds == nil || status == .expired, "a win-back offer for \(status)")
    require(
        last.transactionReason == .purchase || subscription.renewals > 0 || subscription.owner != nil,
        "a renewal, but the renewal count is 0")
    if let commitment = subscription.commitment {
        require((1...commitment.totalPeriods).contains(commitment.periodNumber), "payment \(commitment.periodNumber)")
    }
    return violations + violationsOfShare(subscription, expires, in: store, at: now)
        + violationsOfFamily(subscription, in: store, at: now)
}

/// Every family member has what the purchaser has, if it can be shared. Paid periods that have not begun may start
/// later, and Advanced Commerce subscriptions are never shared.
private func violationsOfFamily(_ subscription: Subscription, in store: Store, at now: Date) -> [String] {
    let status = store.status(of: subscription, at: now)
    guard subscription.ownership == .purchased, subscription.advancedCommerce == nil,
        status == .active || status == .billingGracePeriod,
        let period = store.period(of: subscription, at: now)?.payload, period.purchaseDate <= now,
        store.catalogue.products.first(where: { $0.id == period.productId })?.isFamilyShareable == true
    else { return [] }
    return (store.customers[subscription.customer]?.family ?? []).compactMap { member -> String? in
        let shares = (store.customers[member]?.subscriptions ?? []).compactMap { store.subscriptions[$0] }
            .filter { $0.owner == subscription.id }
        // In the sandbox a member's history can be cleared. It is empty then until the next renewal.
        guard !shares.isEmpty || !store.isSandbox else { return nil }
        let statuses = shares.map { store.status(of: $0, at: now) }
        guard statuses.contains(where: { $0 != .expired && $0 != .revoked }) else {
            return "\(member) does not share \(subscription.customer)'s \(subscription.id): \(statuses)"
        }
        return nil
    }
}

/// A shared subscription has the status, product, end and renewal of the purchaser's.
private func violationsOfShare(
    _ share: Subscription, _ expires: Date, in store: Store, at now: Date
) -> [String] {
    guard let id = share.owner, store.status(of: share, at: now) != .revoked, !share.isOver else { return [] }
    guard let owner = store.subscriptions[id], let current = store.period(of: owner, at: now)?.payload else {
        return ["\(share.id) shares a subscription that does not exist"]
    }
    guard store.customers[owner.customer]?.family.contains(share.customer) == true else {
        return ["\(share.id) is shared outside of the family"]
    }
    var violations: [String] = []
    if current.expiresDate != expires { violations.append("\(share.id) expires at another time than \(id)") }
    if store.period(of: share, at: now)?.payload.productId != current.productId {
        violations.append("\(share.id) is of another product than \(id)")
    }
    if store.status(of: owner, at: now) != store.status(of: share, at: now) {
        violations.append("\(share.id) has another status than \(id)")
    }
    if (owner.renewsAutomatically || owner.isCommitted) != share.renewsAutomatically
        || owner.nextProduct != share.renewalProduct
    {
        violations.append("\(share.id) has another renewal than \(id)")
    }
    return violations
}

private func invariantViolations(of transaction: StoredTransaction, in store: Store) -> [String] {
    let payload = transaction.payload
    var violations: [String] = []
    func require(_ isTrue: Bool, _ description: String) {
        if !isTrue { violations.append("transaction \(payload.transactionId): \(description)") }
    }
    require(transaction.isSubscription == (payload.expiresDate != nil), "only a subscription has an expiry date")
    require(
        transaction.isSubscription == (payload.webOrderLineItemId != nil),
        "only a subscription has a web order line item")
    require((payload.price ?? -1) >= 0 && payload.currency != nil, "the price or currency is missing")
    require(
        (payload.revocationDate == nil) == (payload.revocationReason == nil), "revocation date and reason do not match")
    require((payload.revocationDate == nil) == (payload.revocationType == nil), "revocation date and type do not match")
    require(
        (payload.offerType == nil) == (payload.offerDiscountType == nil), "offer type and discount type do not match")
    if transaction.isSubscription {
        require((payload.expiresDate ?? .distantPast) >= payload.purchaseDate, "it ends before it begins")
        let original = store.transactions[payload.originalTransactionId]?.payload
        require(original?.purchaseDate == payload.originalPurchaseDate, "the original purchase date is wrong")
    } else {
        require(payload.originalTransactionId == payload.transactionId, "it is not its own original transaction")
    }
    // A refund of an Advanced Commerce transaction may concern some items only.
    let concernsItems = payload.advancedCommerceInfo != nil
    require(
        concernsItems
            || (transaction.refund?.state == .granted)
                == (payload.revocationDate != nil && payload.inAppOwnershipType == .purchased),
        "refund \(String(describing: transaction.refund?.state))")
    return violations
}

private func violationsOfCustomers(_ store: Store) -> [String] {
    var violations: [String] = []
    let all = store.customers.values.flatMap(\.transactions)
    if Set(all).count != all.count || Set(all) != Set(store.transactions.keys) {
        violations.append("a transaction has no customer or two")
    }
    for customer in store.customers.values {
        let numbers = customer.transactions.compactMap(Int64.init)
        if zip(numbers, numbers.dropFirst()).contains(where: >=) {
            violations.append("\(customer.id): transaction identifiers do not ascend")
        }
        if customer.transactions.contains(where: { store.transactions[$0]?.customer != customer.id }) {
            violations.append("\(customer.id) has another customer's transaction")
        }
        if customer.subscriptions.contains(where: { store.subscriptions[$0]?.customer != customer.id }) {
            violations.append("\(customer.id) has another customer's subscription")
        }
        if customer.family.contains(customer.id) || customer.family.count > 5 {
            violations.append("\(customer.id)'s family is too large or includes the customer")
        }
    }
    let revisions = store.transactions.values.map(\.revision)
    if Set(revisions).count != revisions.count || revisions.contains(where: { $0 > store.revision }) {
        violations.append("two transactions have the same revision, or one has a future revision")
    }
    return violations
}

private func violationsOfNotifications(_ store: Store, at now: Date) -> [String] {
    var violations: [String] = []
    var announced: [String: Int] = [:]
    var latest: [String: SubscriptionStatus] = [:]
    var date = Date.distantPast
    for record in store.notifications {
        if record.signedDate <= date || record.signedDate < record.date || record.date > now {
            violations.append("\(record.type) at \(record.signedDate)")
        }
        date = record.signedDate
        let kind = NotificationKind.exactly(record.type, record.subtype)
        if kind?.content.fits(record.content) != true {
            violations.append("\(record.type) \(String(describing: record.subtype))")
        }
        guard case .purchase(let purchase) = record.content else { continue }
        if record.isCreation { announced[purchase.transaction.transactionId, default: 0] += 1 }
        if let status = purchase.status { latest[purchase.transaction.originalTransactionId] = status }
        if (purchase.renewalInfo == nil) != (purchase.status == nil) {
            violations.append("\(record.uuid): renewal information and status do not match")
        }
    }
    // Only with this setting is every event of a family member announced.
    let omitsMembers = !store.settings.sendsNotificationsForFamilyMembers
    for id in store.transactions.keys where announced[id] != 1 {
        if omitsMembers, store.transactions[id]?.payload.inAppOwnershipType != .purchased { continue }
        violations.append("transaction \(id) was announced \(announced[id] ?? 0) times")
    }
    for subscription in store.subscriptions.values where !store.hasMoved(subscription) {
        if omitsMembers, subscription.ownership != .purchased { continue }
        let status = store.status(of: subscription, at: now)
        // A late renewal leaves a gap that no notification announces.
        let isLate =
            status == .expired && store.settings.maximumRenewalDelay > 0 && subscription.due.map { $0 > now } == true
        if latest[subscription.id] != status, !isLate {
            violations.append("\(subscription.id): no notification announced \(status)")
        }
    }
    if Set(store.notifications.map(\.uuid)).count != store.notifications.count {
        violations.append("two notifications have the same UUID")
    }
    return violations
}

extension Store {
    /// Whether a subscription was migrated to Advanced Commerce under another identifier. No notification announces its
    /// end.
    package func hasMoved(_ subscription: Subscription) -> Bool {
        migrations[subscription.id] != nil && transactions[subscription.current]?.payload.isUpgraded == true
    }
}

extension NotificationKind.Content {
    /// Whether a notification of this kind has this content.
    package func fits(_ content: NotificationRecord.Content) -> Bool {
        switch (self, content) {
        case (.subscription, .purchase(let purchase)): purchase.renewalInfo != nil
        case (.purchase, .purchase(let purchase)):
            (purchase.renewalInfo != nil) == (purchase.transaction.type == .autoRenewableSubscription)
        case (.oneTimePurchase, .purchase(let purchase)): purchase.renewalInfo == nil
        case (.summary, .summary), (.externalPurchaseToken, .externalPurchaseToken): true
        case (.appTransaction, .appTransaction), (.app, .test): true
        default: false
        }
    }
}

extension NotificationRecord {
    /// Whether the notification announces a new transaction.
    fileprivate var isCreation: Bool {
        switch type {
        case .subscribed, .oneTimeCharge, .didRenew, .migration: true
        case .didChangeRenewalPref, .offerRedeemed: subtype == .upgrade
        default: false
        }
    }
}
