internal import AppStoreModels
internal import Foundation

// Endpoints A5 (request refund) and A6 (revoke subscription).

extension Store {
    /// Requests a refund for items of a transaction (A5).
    mutating func requestRefund(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let body = try advancedCommerceChecks.requestRefund(Array(request.body))
        if let answer = try responseToRepeat(request, body.requestInfo, at: now) { return answer }
        let transaction = try purchasedTransaction(request)
        let items = try refundableItems(transaction)
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
        startRefund(body.items, of: transaction, asksDeveloper: body.refundRiskingPreference, at: now)
        return try complete(request, body.requestInfo, transaction.payload.transactionId, at: now)
    }

    /// Revokes a subscription (A6). Refunds its current transaction, whichever of its transactions the request names.
    mutating func revokeSubscription(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let body = try advancedCommerceChecks.revoke(Array(request.body))
        if let answer = try responseToRepeat(request, body.requestInfo, at: now) { return answer }
        let named = try purchasedTransaction(request)
        let (subscription, _) = try advancedCommerce(named)
        guard let transaction = transactions[subscription.current] else {
            throw APIFailure(.transactionIdNotFound, "The subscription has no transaction.")
        }
        let items = try refundableItems(transaction)
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
        startRefund(refundItems, of: transaction, asksDeveloper: body.refundRiskingPreference, at: now)
        return try complete(request, body.requestInfo, subscription.current, at: now)
    }

    /// Returns the items of a transaction. Throws unless the transaction can be refunded.
    private func refundableItems(
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
            // Apple documents no error code for an unknown item of this endpoint.
            throw APIFailure(.malformedPayload, "The transaction has no item “\(refundItem.sku)”.")
        }
        guard item.revocationDate == nil else {
            throw APIFailure(.alreadyRefunded, "The item “\(refundItem.sku)” is revoked already.")
        }
        guard item.unrefunded > 0 else {
            let isFree = item.refunds == nil
            throw APIFailure(
                isFree ? .transactionNotRefundable : .alreadyRefunded,
                "The item “\(refundItem.sku)” has no amount left to refund.")
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

    /// Decides about a refund at once or, if `asksDeveloper`, after a consumption request like any other refund.
    private mutating func startRefund(
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
        announce(
            .consumptionRequest, about: asked, reason: refundItems.first?.refundReason.consumptionRequestReason, at: now
        )
        scheduleRefundDecision(id, at: now)
    }
}
