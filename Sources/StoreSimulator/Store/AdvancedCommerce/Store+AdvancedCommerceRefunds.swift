internal import AppStoreModels
internal import Foundation

// Refunds by item.

extension Store {
    /// Gives the money for items back. Those that are revoked are not renewed; with the last one everything ends.
    mutating func refund(
        _ refundItems: [AdvancedCommerceRequestRefundItem], of transaction: StoredTransaction, at now: Date
    ) {
        let id = transaction.payload.transactionId
        let share = Int64(remaining(of: transaction, at: now))
        var items = transaction.payload.advancedCommerceInfo?.items ?? []
        for refundItem in refundItems {
            guard let index = items.firstIndex(where: { $0.sku == refundItem.sku }) else { continue }
            let amount = items[index].refundable(refundItem, share: share)
            items[index].refunds =
                (items[index].refunds ?? []) + [
                    AdvancedCommerceRefund(
                        refundAmount: amount, refundDate: now, refundReason: refundItem.refundReason,
                        refundType: refundItem.refundType)
                ]
            if refundItem.revoke { items[index].revocationDate = now }
        }
        let isOver = !items.contains { $0.revocationDate == nil }
        let isProrated = refundItems.contains { $0.refundType != .full }
        let isLegal = refundItems.contains { $0.refundReason == .fulfillmentIssue }
        transactions[id]?.refund?.state = .granted
        transactions[id]?.refund?.decided = now
        transactions[id]?.refund?.items = nil
        change(id) {
            $0.advancedCommerceInfo?.items = items
            guard isOver else { return }
            $0.revocationDate = now
            $0.revocationReason = isLegal ? .issueWithApp : .other
            $0.revocationType = isProrated ? .refundProrated : .refundFull
            $0.revocationPercentage = isProrated ? Int32(share) : 100_000
        }
        stop(items, of: transaction, isOver: isOver)
        if let refunded = transactions[id] { announce(.refund, about: refunded, at: now) }
    }

    /// Takes revoked items out of the subscription, if the transaction is the one it is in.
    private mutating func stop(
        _ items: [AdvancedCommerceTransactionItem], of transaction: StoredTransaction, isOver: Bool
    ) {
        let id = transaction.payload.originalTransactionId
        guard var subscription = subscriptions[id], subscription.current == transaction.payload.transactionId else {
            return
        }
        let revoked = Set(items.filter { $0.revocationDate != nil }.compactMap(\.sku))
        subscription.advancedCommerce?.transactionInfo.items = items
        subscription.advancedCommerce?.renewalInfo.items?.removeAll { revoked.contains($0.sku ?? "") && !isOver }
        if isOver {
            subscription.renewsAutomatically = false
            subscription.due = nil
            subscription.retryEnds = nil
            subscription.graceEnds = nil
        }
        subscriptions[id] = subscription
    }
}

extension AdvancedCommerceTransactionItem {
    /// What was paid and not given back yet.
    var unrefunded: Int64 {
        let paid = offer?.price ?? price ?? 0
        return max(paid - AdvancedCommerceState.sum((refunds ?? []).compactMap(\.refundAmount)), 0)
    }

    /// What a refund amounts to. `share` of a prorated one is in thousandths of a percent.
    fileprivate func refundable(_ refundItem: AdvancedCommerceRequestRefundItem, share: Int64) -> Int64 {
        switch refundItem.refundType {
        case .custom: min(Int64(refundItem.refundAmount ?? 0), unrefunded)
        case .prorated:
            // Divided first: a price may be any 64-bit number.
            min(unrefunded / 100_000 * share + unrefunded % 100_000 * share / 100_000, unrefunded)
        default: unrefunded
        }
    }
}
