internal import AppStoreModels
package import Foundation

extension Store {
    /// Returns a customer's state at `now`. All events due by `now` must have been processed.
    package func state(of customer: String, at now: Date) throws(StoreError) -> CustomerState {
        state(of: try self.customer(customer), at: now)
    }

    /// Returns the state of every customer at `now`, sorted by name. All events due by `now` must have been processed.
    package func states(at now: Date) -> [CustomerState] {
        customers.values.sorted { $0.id < $1.id }.map { state(of: $0, at: now) }
    }

    private func state(of customer: Customer, at now: Date) -> CustomerState {
        let subscriptions = subscriptions(of: customer.id)
        let purchases = transactions(of: customer.id).filter { !$0.isSubscription }
        var state = CustomerState(
            customer: customer.id, storefront: customer.storefront, appTransactionID: customer.appTransactionID,
            appAccountToken: customer.accountToken?.text, isBillingFailing: customer.isBillingFailing,
            family: customer.family,
            subscriptions: subscriptions.map { self.state(of: $0, at: now) }, purchases: purchases.map(state),
            summary: "")
        state.summary = state.line(withTime: settings.rate != .realTime, at: now)
        return state
    }

    private func state(of subscription: Subscription, at now: Date) -> CustomerState.SubscriptionState {
        let period = period(of: subscription, at: now)
        let payload = period?.payload
        let info = renewalInfo(of: subscription, at: now)
        let status = status(of: subscription, at: now)
        return .init(
            originalTransactionID: subscription.id, transactionID: payload?.transactionId ?? subscription.current,
            orderID: period?.order, subscriptionGroupIdentifier: subscription.group,
            productID: payload?.productId ?? info.productId, status: status,
            hasAccess: status.givesAccess, expiresDate: payload?.expiresDate,
            autoRenewStatus: info.autoRenewStatus, autoRenewProductID: info.autoRenewProductId,
            expirationIntent: info.expirationIntent, isInBillingRetryPeriod: info.isInBillingRetryPeriod,
            gracePeriodExpiresDate: info.gracePeriodExpiresDate, inAppOwnershipType: subscription.ownership,
            offerType: payload?.offerType, offerIdentifier: payload?.offerIdentifier,
            priceIncreaseStatus: info.priceIncreaseStatus, revocationDate: payload?.revocationDate)
    }

    private func state(of transaction: StoredTransaction) -> CustomerState.PurchaseState {
        let payload = transaction.payload
        return .init(
            transactionID: payload.transactionId, orderID: transaction.order, productID: payload.productId,
            type: payload.type,
            quantity: payload.quantity, purchaseDate: payload.purchaseDate, revocationDate: payload.revocationDate,
            isFinished: transaction.isFinished, inAppOwnershipType: payload.inAppOwnershipType)
    }
}

// MARK: - Summary

extension CustomerState {
    fileprivate func line(withTime: Bool, at now: Date) -> String {
        func text(_ date: Date?) -> String {
            guard let date else { return "?" }
            let day = date.formatted(.iso8601.year().month().day())
            guard withTime else { return day }
            return day + " " + date.formatted(.iso8601.time(includingFractionalSeconds: false)) + " UTC"
        }
        var parts = subscriptions.map { $0.line(text, at: now) } + purchases.map(\.line)
        if parts.isEmpty { parts = ["nothing bought"] }
        if isBillingFailing { parts.append("billing fails") }
        return parts.joined(separator: "; ")
    }
}

extension CustomerState.SubscriptionState {
    fileprivate func line(_ text: (Date?) -> String, at now: Date) -> String {
        var line = productID
        if inAppOwnershipType == .familyShared { line += " (shared)" }
        switch status {
        case .active: line += " active until \(text(expiresDate)), \(renewal)"
        case .billingGracePeriod: line += " in grace period until \(text(gracePeriodExpiresDate))"
        case .billingRetry: line += " in billing retry since \(text(expiresDate))"
        case .revoked:
            line += (inAppOwnershipType == .purchased ? " refunded on " : " revoked on ") + text(revocationDate)
        default:
            // Only a migration to Advanced Commerce ends a subscription earlier.
            let isMigrated = expiresDate.map { $0 > now } ?? false
            line += isMigrated ? " migrated" : " expired on \(text(expiresDate))"
        }
        return line
    }

    private var renewal: String {
        if autoRenewStatus != .on { return "does not renew" }
        return autoRenewProductID == productID ? "renews" : "renews into \(autoRenewProductID)"
    }
}

extension CustomerState.PurchaseState {
    fileprivate var line: String {
        var line = quantity == 1 ? productID : "\(quantity) × \(productID)"
        if inAppOwnershipType == .familyShared { line += " (shared)" }
        guard revocationDate != nil else { return line }
        return line + (inAppOwnershipType == .purchased ? " refunded" : " revoked")
    }
}
