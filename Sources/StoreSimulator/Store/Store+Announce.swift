internal import AppStoreModels
internal import Foundation

// How notifications are made. What they carry is settled here and now; they are signed when somebody first wants to see them.

extension Store {
    /// About a subscription, with its current transaction.
    mutating func announce(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil, about subscription: Subscription,
        at now: Date
    ) {
        guard subscription.ownership == .purchased || isForHolders(type) else {
            // Their devices see what becomes of it, whatever the developer's server is told.
            return unheard.customers.append(subscription.customer)
        }
        if let transaction = transactions[subscription.current] {
            announce(type, subtype, about: transaction, at: now)
        }
    }

    mutating func announce(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil, about subscription: String, at now: Date
    ) {
        if let subscription = subscriptions[subscription] { announce(type, subtype, about: subscription, at: now) }
    }

    /// Whether those who use what another one bought are told about: beginning and end always.
    private func isForHolders(_ type: NotificationTypeV2) -> Bool {
        type == .subscribed || type == .revoke || settings.notifiesFamilyMembers
    }

    /// About a transaction, which may be an older one; renewal info and status are the subscription's as it is now.
    mutating func announce(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil, about transaction: StoredTransaction,
        reason: ConsumptionRequestReason? = nil, at now: Date
    ) {
        let subscription = transaction.isSubscription ? subscriptions[transaction.payload.originalTransactionId] : nil
        if subscription != nil { unheard.customers.append(transaction.customer) }
        guard settings.notificationVersion == .two else {
            return announceVersion1(type, subtype, about: transaction, at: now)
        }
        var purchase = NotificationRecord.Purchase(transaction, reason: reason)
        if let subscription {
            purchase = NotificationRecord.Purchase(
                transaction, renewalInfo(of: subscription, at: now), status: status(of: subscription, at: now),
                reason: reason)
        }
        announce(type, subtype, .purchase(purchase), customer: transaction.customer, at: now)
    }

    mutating func announce(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype?, _ content: NotificationRecord.Content,
        customer: String?, token: String? = nil, at now: Date
    ) {
        // Notifications are in the order in which they are signed. What a trigger makes up in the past is signed late.
        let (signed, id) = (moveSignature(at: now), identifiers.version4())
        // Version 1 tells of purchases alone. Tests have the form of version 2 for everybody.
        guard settings.notificationVersion == .two || type == .test else { return }
        var record = NotificationRecord(
            id: id, type: type, subtype: subtype, date: now, signedDate: signed,
            content: content.signed(signed), customer: customer, testToken: token,
            appAppleID: !isSandbox || settings.namesAppAppleID ? app.appAppleID : nil, bundleVersion: releasedVersion)
        if settings.notificationURL != nil {
            // By the clock, which may stand still before the instant of the signature.
            record.due = now
        }
        file(record)
    }
}

extension NotificationRecord.Content {
    /// The same, signed at another instant.
    fileprivate func signed(_ date: Date) -> Self {
        switch self {
        case .purchase(var purchase):
            purchase.signedDate = date
            return .purchase(purchase)
        case .appTransaction(var transaction):
            transaction.receiptCreationDate = date
            return .appTransaction(transaction)
        case .summary, .externalPurchaseToken, .test, .version1: return self
        }
    }
}
