internal import AppStoreModels
internal import Foundation

// A5 and A6.

extension Store {
    /// A5.
    mutating func requestRefund(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        let body = try advancedCommerceChecks.requestRefund(Array(request.body))
        if let answer = try repetition(request, body.requestInfo, at: now) { return answer }
        let transaction = try bought(request)
        let items = try refundable(transaction)
        try check(body.requestInfo, storefront: body.storefront, of: transaction)
        guard body.currency == nil || body.currency == transaction.payload.currency else {
            throw APIFailure(.operationNotAllowed, "The transaction was paid in another currency.")
        }
        for item in body.items { try check(item, items, of: transaction) }
        if let subscription = subscriptions[transaction.payload.originalTransactionId],
            subscription.current == transaction.payload.transactionId, !isLapsed(subscription, at: now)
        {
            let revoked = Set(body.items.filter(\.revoke).map(\.sku))
            guard items.contains(where: { $0.revocationDate == nil && !revoked.contains($0.sku ?? "") }) else {
                throw APIFailure(.removalAllNotAllowed, "To revoke everything, revoke the subscription.")
            }
        }
        ask(body.items, of: transaction, asksDeveloper: body.refundRiskingPreference, at: now)
        return try finish(request, body.requestInfo, transaction.payload.transactionId, at: now)
    }

    /// A6. The current transaction is what is refunded, whichever of the subscription's the request names.
    mutating func revokeSubscription(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        let body = try advancedCommerceChecks.revoke(Array(request.body))
        if let answer = try repetition(request, body.requestInfo, at: now) { return answer }
        let named = try bought(request)
        let (subscription, _) = try advancedCommerce(named)
        guard let transaction = transactions[subscription.current] else {
            throw APIFailure(.transactionIdNotFound, "The subscription has no transaction.")
        }
        let items = try refundable(transaction)
        try check(body.requestInfo, storefront: body.storefront, of: named)
        guard !isLapsed(subscription, at: now) else {
            throw APIFailure(.revokeOnInactiveSubscription, "The subscription has ended.")
        }
        let refundItems = items.filter { $0.revocationDate == nil }.map {
            AdvancedCommerceRequestRefundItem(
                sku: $0.sku ?? "", refundReason: body.refundReason, refundType: body.refundType, revoke: true)
        }
        if body.refundReason != .simulateRefundDecline {
            subscriptions[subscription.id]?.renewsAutomatically = false
        }
        ask(refundItems, of: transaction, asksDeveloper: body.refundRiskingPreference, at: now)
        return try finish(request, body.requestInfo, subscription.current, at: now)
    }

    /// The items of a transaction that can be refunded at all.
    private func refundable(
        _ transaction: StoredTransaction
    ) throws(APIFailure) -> [AdvancedCommerceTransactionItem] {
        guard let items = transaction.payload.advancedCommerceInfo?.items else {
            throw APIFailure(.transactionNotRefundable, "The transaction is not an Advanced Commerce one.")
        }
        guard transaction.payload.revocationDate == nil else {
            throw APIFailure(.alreadyRefunded, "The transaction is refunded already.")
        }
        guard transaction.refund?.state != .requested else {
            throw APIFailure(.pendingRefund, "Another refund is being decided.")
        }
        return items
    }

    private func check(
        _ refundItem: AdvancedCommerceRequestRefundItem, _ items: [AdvancedCommerceTransactionItem],
        of transaction: StoredTransaction
    ) throws(APIFailure) {
        guard let item = items.first(where: { $0.sku == refundItem.sku }) else {
            // No code for this is documented here.
            throw APIFailure(.malformedPayload, "The transaction has no item “\(refundItem.sku)”.")
        }
        guard item.revocationDate == nil else {
            throw APIFailure(.alreadyRefunded, "The item “\(refundItem.sku)” is revoked already.")
        }
        guard item.unrefunded > 0 else {
            let isFree = item.refunds == nil
            throw APIFailure(
                isFree ? .transactionNotRefundable : .alreadyRefunded,
                "Nothing is left of the item “\(refundItem.sku)”.")
        }
        if refundItem.refundType == .custom, Int64(refundItem.refundAmount ?? 0) > item.unrefunded {
            throw APIFailure(.insufficientFunds, "Only \(item.unrefunded) is left of the item “\(refundItem.sku)”.")
        }
        if refundItem.refundType == .prorated,
            let subscription = subscriptions[transaction.payload.originalTransactionId],
            subscription.current != transaction.payload.transactionId
        {
            throw APIFailure(.proratedOnlyLatestTransaction, "The period of the transaction is over.")
        }
    }

    /// Decides at once, unless the developer wants to be asked first: then as about any refund.
    private mutating func ask(
        _ refundItems: [AdvancedCommerceRequestRefundItem], of transaction: StoredTransaction, asksDeveloper: Bool,
        at now: Date
    ) {
        let id = transaction.payload.transactionId
        transactions[id]?.refund = .init(
            state: .requested, requested: now, items: refundItems, refundedItems: transaction.refund?.refundedItems)
        guard let asked = transactions[id] else { return }
        if refundItems.contains(where: { $0.refundReason == .simulateRefundDecline }) {
            return decline(asked, at: now)
        }
        guard asksDeveloper else { return refund(asked, reason: .other, percentage: nil, at: now) }
        announce(.consumptionRequest, about: asked, reason: refundItems.first?.refundReason.asked, at: now)
        if settings.refunds == .automatic {
            let decides = now.after(settings.consumptionWindow)
            transactions[id]?.refund?.due = decides
            schedule.add(.refundDecision(id), at: decides)
        }
    }
}
