internal import AppStoreModels
internal import AppStoreReceipts
internal import Foundation

// The parts of a `verifyReceipt` response that are not from the receipt: later transactions and pending renewals.

extension Store {
    /// The maximum number of entries in `latest_receipt_info`.
    static let maximumLatestTransactions = 100

    /// Returns `latest_receipt_info`: the purchases that a current receipt would contain, newest first.
    func latestReceiptInfo(of customer: Customer, excludingOld: Bool) -> OrderedJSON {
        let all = receiptTransactions(of: customer).filter { transaction in
            guard excludingOld, transaction.isSubscription else { return true }
            let payload = transaction.payload
            return subscriptions[payload.originalTransactionId]?.current == payload.transactionId
        }
        // Revisions order purchases of the same instant.
        let newest = all.sorted { ($0.payload.purchaseDate, $0.revision) > ($1.payload.purchaseDate, $1.revision) }
        return .array(newest.prefix(Self.maximumLatestTransactions).map { .object(ReceiptMembers($0.payload).all) })
    }

    /// Returns `pending_renewal_info`: the renewal state of each subscription, except those that were cancelled in the
    /// grace period.
    func pendingRenewalInfo(of customer: Customer, at now: Date) -> OrderedJSON {
        .array(
            subscriptions(of: customer.id).filter { !$0.wasCancelledInGrace }
                .map { .object(pendingRenewal(of: $0, at: now)) })
    }

    private func pendingRenewal(of subscription: Subscription, at now: Date) -> [OrderedJSON.Member] {
        let info = renewalInfo(of: subscription, at: now)
        var members = ReceiptMembers()
        members.add("auto_renew_product_id", info.autoRenewProductId)
        members.add("original_transaction_id", info.originalTransactionId)
        members.add("product_id", info.productId)
        members.add("auto_renew_status", String(info.autoRenewStatus.rawValue))
        members.add("expiration_intent", info.expirationIntent.map { String($0.rawValue) })
        if info.expirationIntent == .billingError {
            members.add("is_in_billing_retry_period", info.isInBillingRetryPeriod == true ? "1" : "0")
        }
        members.add("grace_period_expires_date", info.gracePeriodExpiresDate)
        if let increase = subscription.pendingIncrease {
            if increase.needsConsent { members.add("price_consent_status", increase.isAccepted ? "1" : "0") }
            members.add("price_increase_status", increase.isAccepted ? "1" : "0")
        }
        members.addOffer(info.offerType, info.offerIdentifier)
        return members.all
    }
}
