package import AppStoreModels
package import Foundation
package import StoreSimulator

/// Everything about a store that cannot be.
package func unsoundness(of store: Store, at now: Date) -> [String] {
    var wrong = store.subscriptions.values.flatMap { unsoundness(of: $0, in: store, at: now) }
    wrong += store.transactions.values.flatMap { unsoundness(of: $0, in: store) }
    wrong += unsoundnessOfCustomers(store) + unsoundnessOfNotifications(store, at: now)
    if let next = store.next, next <= now { wrong.append("something was due at \(next)") }
    return wrong.sorted()
}

private func unsoundness(of subscription: Subscription, in store: Store, at now: Date) -> [String] {
    guard !store.hasMoved(subscription) else { return [] }
    var wrong: [String] = []
    func must(_ isTrue: Bool, _ what: String) {
        if !isTrue { wrong.append("\(subscription.customer) \(subscription.id): \(what)") }
    }
    guard let last = store.transactions[subscription.current]?.payload, let end = last.expiresDate,
        let current = store.period(of: subscription, at: now)?.payload, let expires = current.expiresDate
    else {
        return ["\(subscription.id) is in no transaction that ends"]
    }
    let status = store.status(of: subscription, at: now)
    let info = store.renewalInfo(of: subscription, at: now)
    let isRevoked = current.revocationDate != nil
    let isPaying = subscription.ownership == .purchased

    // A renewal that comes late.
    let isLate = status == .expired && subscription.due.map { $0 > now } == true && store.settings.renewalDelay > 0

    must(store.transactions[subscription.id] != nil, "the original transaction is missing")
    must(current.originalTransactionId == subscription.id, "the current transaction is another subscription's")
    must(current.isUpgraded == nil, "the current transaction is upgraded")
    must((status == .revoked) == isRevoked, "\(status) and revoked at \(String(describing: current.revocationDate))")
    must((status == .active) == (!isRevoked && expires > now), "\(status) until \(expires)")
    must((subscription.retryEnds ?? .distantFuture) > now, "the retry is over")
    must((subscription.graceEnds ?? .distantFuture) > now, "the grace is over")
    must(subscription.graceEnds == nil || subscription.retryEnds != nil, "grace without retry")
    if subscription.retryEnds != nil {
        must(!isRevoked && subscription.expirationIntent == .billingError, "retry for no reason")
        must(subscription.renewsAutomatically || subscription.isCommitted, "retry although cancelled")
        must(
            !isPaying || subscription.isBillingFailing
                || store.customers[subscription.customer]?.isBillingFailing == true,
            "retry of a charge that works")
    }
    // Something is to come exactly while the period or the attempts to charge last, for whoever pays.
    let goesOn =
        subscription.owner == nil && last.revocationDate == nil
        && (end > now || subscription.retryEnds != nil || isLate)
    must((subscription.due != nil) == goesOn, "due at \(String(describing: subscription.due))")
    if let due = subscription.due, subscription.retryEnds == nil {
        let lead = max(store.settings.renewalLead, 0)
        must(isLate || due <= end && due >= end - lead, "due at \(due), not \(end)")
    }
    must(!subscription.isOver || expires <= now || isRevoked, "over before its end")
    must(!subscription.isOver || !subscription.renewsAutomatically, "over, and renews")
    must(isRevoked || status != .expired || isLate || info.expirationIntent != nil, "expired for no reason")
    must(status != .active || info.expirationIntent == nil, "active, and a reason why it ended")
    must(info.eligibleWinBackOfferIds == nil || status == .expired, "a win-back offer for \(status)")
    must(
        last.transactionReason == .purchase || subscription.renewals > 0 || subscription.owner != nil, "no renewals")
    if let commitment = subscription.commitment {
        must((1...commitment.totalPeriods).contains(commitment.periodNumber), "payment \(commitment.periodNumber)")
    }
    return wrong + unsoundnessOfShare(subscription, expires, in: store, at: now)
        + unsoundnessOfFamily(subscription, in: store, at: now)
}

/// Everybody in the family has what the purchaser has, where it can be shared. What is paid and has not begun may wait for
/// its day, and nobody shares what has the developer's own contents.
private func unsoundnessOfFamily(_ subscription: Subscription, in store: Store, at now: Date) -> [String] {
    let status = store.status(of: subscription, at: now)
    guard subscription.ownership == .purchased, subscription.advancedCommerce == nil,
        status == .active || status == .billingGracePeriod,
        let period = store.period(of: subscription, at: now)?.payload, period.purchaseDate <= now,
        store.catalogue.products.first(where: { $0.id == period.productId })?.isFamilyShareable == true
    else { return [] }
    return (store.customers[subscription.customer]?.family ?? []).compactMap { member -> String? in
        let shares = (store.customers[member]?.subscriptions ?? []).compactMap { store.subscriptions[$0] }
            .filter { $0.owner == subscription.id }
        // A member's history that was cleared, as only the sandbox can, is empty until the next renewal.
        guard !shares.isEmpty || !store.isSandbox else { return nil }
        let statuses = shares.map { store.status(of: $0, at: now) }
        guard statuses.contains(where: { $0 != .expired && $0 != .revoked }) else {
            return "\(member) has no share of \(subscription.customer)'s \(subscription.id): \(statuses)"
        }
        return nil
    }
}

/// Who shares has what the purchaser has, for as long.
private func unsoundnessOfShare(
    _ share: Subscription, _ expires: Date, in store: Store, at now: Date
) -> [String] {
    guard let id = share.owner, store.status(of: share, at: now) != .revoked, !share.isOver else { return [] }
    guard let owner = store.subscriptions[id], let current = store.period(of: owner, at: now)?.payload else {
        return ["\(share.id) shares what is not there"]
    }
    guard store.customers[owner.customer]?.family.contains(share.customer) == true else {
        return ["\(share.id) shares with a stranger"]
    }
    var wrong: [String] = []
    if current.expiresDate != expires { wrong.append("\(share.id) ends at another time than \(id)") }
    if store.period(of: share, at: now)?.payload.productId != current.productId {
        wrong.append("\(share.id) is of another product than \(id)")
    }
    if store.status(of: owner, at: now) != store.status(of: share, at: now) {
        wrong.append("\(share.id) has another status than \(id)")
    }
    if (owner.renewsAutomatically || owner.isCommitted) != share.renewsAutomatically
        || owner.nextProduct != share.renewalProduct
    {
        wrong.append("\(share.id) renews otherwise than \(id)")
    }
    return wrong
}

private func unsoundness(of transaction: StoredTransaction, in store: Store) -> [String] {
    let payload = transaction.payload
    var wrong: [String] = []
    func must(_ isTrue: Bool, _ what: String) {
        if !isTrue { wrong.append("transaction \(payload.transactionId): \(what)") }
    }
    must(transaction.isSubscription == (payload.expiresDate != nil), "an end")
    must(transaction.isSubscription == (payload.webOrderLineItemId != nil), "a line item")
    must((payload.price ?? -1) >= 0 && payload.currency != nil, "a price")
    must((payload.revocationDate == nil) == (payload.revocationReason == nil), "a reason")
    must((payload.revocationDate == nil) == (payload.revocationType == nil), "a type of revocation")
    must((payload.offerType == nil) == (payload.offerDiscountType == nil), "an offer")
    if transaction.isSubscription {
        must((payload.expiresDate ?? .distantPast) >= payload.purchaseDate, "it ends before it begins")
        let original = store.transactions[payload.originalTransactionId]?.payload
        must(original?.purchaseDate == payload.originalPurchaseDate, "the original purchase")
    } else {
        must(payload.originalTransactionId == payload.transactionId, "an original of its own")
    }
    // Of an Advanced Commerce transaction some items can be refunded, and the rest stays.
    let concernsItems = payload.advancedCommerceInfo != nil
    must(
        concernsItems
            || (transaction.refund?.state == .granted)
                == (payload.revocationDate != nil && payload.inAppOwnershipType == .purchased),
        "refund \(String(describing: transaction.refund?.state))")
    return wrong
}

private func unsoundnessOfCustomers(_ store: Store) -> [String] {
    var wrong: [String] = []
    let all = store.customers.values.flatMap(\.transactions)
    if Set(all).count != all.count || Set(all) != Set(store.transactions.keys) {
        wrong.append("a transaction belongs to nobody, or to two")
    }
    for customer in store.customers.values {
        let numbers = customer.transactions.compactMap(Int64.init)
        if zip(numbers, numbers.dropFirst()).contains(where: >=) { wrong.append("\(customer.id): identifiers go back") }
        if customer.transactions.contains(where: { store.transactions[$0]?.customer != customer.id }) {
            wrong.append("\(customer.id) has somebody else's transaction")
        }
        if customer.subscriptions.contains(where: { store.subscriptions[$0]?.customer != customer.id }) {
            wrong.append("\(customer.id) has somebody else's subscription")
        }
        if customer.family.contains(customer.id) || customer.family.count > 5 {
            wrong.append("\(customer.id)'s family")
        }
    }
    let revisions = store.transactions.values.map(\.revision)
    if Set(revisions).count != revisions.count || revisions.contains(where: { $0 > store.revision }) {
        wrong.append("two changes at one place in the order")
    }
    return wrong
}

private func unsoundnessOfNotifications(_ store: Store, at now: Date) -> [String] {
    var wrong: [String] = []
    var announced: [String: Int] = [:]
    var latest: [String: SubscriptionStatus] = [:]
    var date = Date.distantPast
    for record in store.notifications {
        if record.signedDate <= date || record.signedDate < record.date || record.date > now {
            wrong.append("\(record.type) at \(record.signedDate)")
        }
        date = record.signedDate
        let kind = NotificationKind.exactly(record.type, record.subtype)
        if kind?.content.fits(record.content) != true {
            wrong.append("\(record.type) \(String(describing: record.subtype))")
        }
        guard case .purchase(let purchase) = record.content else { continue }
        if record.isCreation { announced[purchase.transaction.transactionId, default: 0] += 1 }
        if let status = purchase.status { latest[purchase.transaction.originalTransactionId] = status }
        if (purchase.renewalInfo == nil) != (purchase.status == nil) {
            wrong.append("\(record.uuid): renewal info, or status")
        }
    }
    for id in store.transactions.keys where announced[id] != 1 {
        wrong.append("transaction \(id) was announced \(announced[id] ?? 0) times")
    }
    for subscription in store.subscriptions.values where !store.hasMoved(subscription) {
        let status = store.status(of: subscription, at: now)
        // A renewal that comes late leaves a lapse of which nobody is told.
        let isLate = status == .expired && store.settings.renewalDelay > 0 && subscription.due.map { $0 > now } == true
        if latest[subscription.id] != status, !isLate {
            wrong.append("\(subscription.id): nobody was told of \(status)")
        }
    }
    if Set(store.notifications.map(\.uuid)).count != store.notifications.count { wrong.append("a UUID twice") }
    return wrong
}

extension Store {
    /// Whether a subscription goes on as one of Advanced Commerce, under another identifier. Nobody is told of its end.
    package func hasMoved(_ subscription: Subscription) -> Bool {
        migrations[subscription.id] != nil && transactions[subscription.current]?.payload.isUpgraded == true
    }
}

extension NotificationKind.Content {
    /// Whether a notification of the kind carries that.
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
    /// Whether it says that there is a new transaction.
    fileprivate var isCreation: Bool {
        switch type {
        case .subscribed, .oneTimeCharge, .didRenew, .migration: true
        case .didChangeRenewalPref, .offerRedeemed: subtype == .upgrade
        default: false
        }
    }
}
