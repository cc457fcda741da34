internal import AppStoreModels
internal import Foundation

// Refunds by item.

extension Store {
    /// Refunds items. Revoked items do not renew. Revoking the last item revokes the whole transaction.
    mutating func refund(
        _ refundItems: [AdvancedCommerceRequestRefundItem], of transaction: StoredTransaction, at now: Date
    ) {
        let id = transaction.payload.transactionId
        let share = remaining(of: transaction, at: now)
        var items = transaction.payload.advancedCommerceInfo?.items ?? []
        // If the first refund prorates all items, its percentage is exactly the remaining time. Computed from the
        // amounts, which are rounded, it could differ.
        let isByTime =
            items.allSatisfy { $0.refunds?.isEmpty ?? true } && refundItems.count == items.count
            && refundItems.allSatisfy { $0.refundType == .prorated }
        let indices = refundItems.compactMap { items.refund($0, share: Int64(share), at: now) }
        let isOver = !items.contains { $0.revocationDate == nil }
        let percentage = isByTime ? share : items.refundedShare
        let isFull = percentage == 100_000 && refundItems.allSatisfy { $0.refundType == .full }
        let isAboutApp = refundItems.contains { $0.refundReason.consumptionRequestReason.revocation == .issueWithApp }
        transactions[id]?.refund?.state = .granted
        transactions[id]?.refund?.decided = now
        transactions[id]?.refund?.items = nil
        transactions[id]?.refund?.refundedItems = indices
        change(id) {
            $0.advancedCommerceInfo?.items = items
            guard isOver else { return }
            $0.revocationDate = now
            $0.revocationReason = isAboutApp ? .issueWithApp : .other
            $0.revocationType = isFull ? .refundFull : .refundProrated
            $0.revocationPercentage = percentage
        }
        stop(items, of: transaction, isOver: isOver, at: now)
        if let refunded = transactions[id] { announce(.refund, about: refunded, at: now) }
    }

    /// Reverses the last refund of items. The items are as they were before it; revoked ones are valid again. Items
    /// that the refund removed from the renewal stay removed, as renewal stays off after any refund.
    mutating func reinstateItems(of transaction: StoredTransaction) {
        let id = transaction.payload.transactionId
        guard let refunded = transaction.refund?.refundedItems,
            var items = transaction.payload.advancedCommerceInfo?.items
        else { return }
        for index in refunded where items.indices.contains(index) {
            // A revoked item cannot be refunded again, so this refund revoked it.
            let earlier = Array((items[index].refunds ?? []).dropLast())
            items[index].refunds = earlier.isEmpty ? nil : earlier
            items[index].revocationDate = nil
        }
        transactions[id]?.refund?.refundedItems = nil
        change(id) { $0.advancedCommerceInfo?.items = items }
        let subscription = transaction.payload.originalTransactionId
        guard subscriptions[subscription]?.current == id else { return }
        subscriptions[subscription]?.advancedCommerce?.transactionInfo.items = items
    }

    /// Removes revoked items from the subscription if the transaction is its current one. Turns renewal off if none of
    /// the other items renews.
    private mutating func stop(
        _ items: [AdvancedCommerceTransactionItem], of transaction: StoredTransaction, isOver: Bool, at now: Date
    ) {
        let id = transaction.payload.originalTransactionId
        guard var subscription = subscriptions[id], subscription.current == transaction.payload.transactionId else {
            return
        }
        let revoked = Set(items.filter { $0.revocationDate != nil }.compactMap(\.sku))
        subscription.advancedCommerce?.transactionInfo.items = items
        subscription.advancedCommerce?.renewalInfo.items?.removeAll { revoked.contains($0.sku ?? "") && !isOver }
        if isOver { subscription.stop() }
        subscriptions[id] = subscription
        if subscription.renewsAutomatically, !subscription.hasItemsToRenew { turnRenewalOff(subscription, at: now) }
    }
}

extension AdvancedCommerceRefundReason {
    /// The corresponding reason of a consumption request.
    var consumptionRequestReason: ConsumptionRequestReason {
        switch self {
        case .unintendedPurchase, .fulfillmentIssue, .unsatisfiedWithPurchase, .legal: .init(rawValue: rawValue)
        default: .other
        }
    }
}

extension [AdvancedCommerceTransactionItem] {
    /// Refunds one of the items. Returns its index; nil if there is no such item.
    fileprivate mutating func refund(
        _ refundItem: AdvancedCommerceRequestRefundItem, share: Int64, at now: Date
    ) -> Int? {
        guard let index = firstIndex(where: { $0.sku == refundItem.sku }) else { return nil }
        let refund = AdvancedCommerceRefund(
            refundAmount: self[index].refundable(refundItem, share: share), refundDate: now,
            refundReason: refundItem.refundReason, refundType: refundItem.refundType)
        self[index].refunds = (self[index].refunds ?? []) + [refund]
        if refundItem.revoke { self[index].revocationDate = now }
        return index
    }

    /// The refunded share of the amount paid for the items, in thousandths of a percent.
    fileprivate var refundedShare: Int32 {
        let paid = AdvancedCommerceState.sum(map(\.paid))
        guard paid > 0 else { return 100_000 }
        let refunded = AdvancedCommerceState.sum(map { $0.paid - $0.unrefunded })
        return Int32(Swift.max(0, Swift.min(Double(refunded) / Double(paid) * 100_000, 100_000)).rounded())
    }
}

extension AdvancedCommerceTransactionItem {
    fileprivate var paid: Int64 { offer?.price ?? price ?? 0 }

    /// The amount paid and not refunded yet.
    var unrefunded: Int64 {
        max(paid - AdvancedCommerceState.sum((refunds ?? []).compactMap(\.refundAmount)), 0)
    }

    /// Returns the amount of a refund. `share` of a prorated refund is in thousandths of a percent.
    fileprivate func refundable(_ refundItem: AdvancedCommerceRequestRefundItem, share: Int64) -> Int64 {
        switch refundItem.refundType {
        case .custom: min(Int64(refundItem.refundAmount ?? 0), unrefunded)
        case .prorated:
            // Divide first to avoid an overflow: a price may be any 64-bit number.
            min(unrefunded / 100_000 * share + unrefunded % 100_000 * share / 100_000, unrefunded)
        default: unrefunded
        }
    }
}
