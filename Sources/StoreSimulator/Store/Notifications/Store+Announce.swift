internal import AppStoreModels
package import Foundation

// Creates notifications. Their content is fixed at creation; they are signed at the first access.

extension Store {
    /// Announces an event of a subscription, with its current transaction.
    mutating func announce(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil, about subscription: Subscription,
        at now: Date
    ) {
        guard subscription.ownership == .purchased || isAnnouncedForShares(type) else {
            // Their devices are updated even if the developer's server is not notified.
            return pendingDeviceChanges.customers.append(subscription.customer)
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

    /// Whether events of this type are announced for shared and assigned subscriptions. `SUBSCRIBED` and `REVOKE`
    /// always are.
    private func isAnnouncedForShares(_ type: NotificationTypeV2) -> Bool {
        type == .subscribed || type == .revoke || settings.sendsNotificationsForFamilyMembers
    }

    /// Announces an event of a transaction, which need not be the latest. Renewal info and status are the
    /// subscription's current ones.
    mutating func announce(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil, about transaction: StoredTransaction,
        reason: ConsumptionRequestReason? = nil, at now: Date
    ) {
        let subscription = transaction.isSubscription ? subscriptions[transaction.payload.originalTransactionId] : nil
        if subscription != nil { pendingDeviceChanges.customers.append(transaction.customer) }
        guard settings.notificationVersion == .two else {
            return announceVersion1(type, subtype, about: transaction, at: now)
        }
        let purchase = NotificationRecord.Purchase(
            transaction, subscription.map { renewalInfo(of: $0, at: now) },
            status: subscription.map { status(of: $0, at: now) }, reason: reason)
        announce(type, subtype, .purchase(purchase), customer: transaction.customer, at: now)
    }

    mutating func announce(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype?, _ content: NotificationRecord.Content,
        customer: String?, token: String? = nil, at now: Date
    ) {
        // Notifications are in the order of their signing dates. Events that a trigger creates in the past are signed
        // later than they occurred.
        let (signed, id) = (advanceSigningDate(at: now), identifiers.version4())
        // Version 1 only covers purchases. Test notifications use the version 2 format in both versions.
        guard settings.notificationVersion == .two || type == .test else { return }
        addNotification(
            NotificationRecord(
                id: id, type: type, subtype: subtype, date: now, signedDate: signed,
                content: content.signed(signed), customer: customer, testToken: token,
                // The due date follows the clock, which may be behind the signing date.
                due: settings.notificationURL == nil ? nil : now,
                appAppleID: !isSandbox || settings.sandboxIncludesAppAppleID ? app.appAppleID : nil,
                bundleVersion: releasedVersion))
    }

    mutating func requestTestNotification(at now: Date) throws(StoreError) -> Subject {
        guard settings.notificationURL != nil else {
            throw StoreError(.impossibleTransition, "no URL for notifications is set for \(environment.rawValue)")
        }
        return Subject(token: addTest(at: now))
    }

    /// Sends a test notification. Returns the token with which its status can be requested.
    package mutating func addTest(at now: Date) -> String {
        let token = "\(identifiers.uuid())_\(now.millisecondsSince1970 ?? 0)"
        announce(.test, nil, .test, customer: nil, token: token, at: now)
        return token
    }
}

extension NotificationRecord.Content {
    /// Returns the content with another signing date.
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
