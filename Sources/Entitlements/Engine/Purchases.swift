internal import AppStoreModels
internal import Foundation

extension PurchaseState {
    /// Creates the state of a purchase at an instant.
    ///
    /// - Parameter revocation: The transaction that shows that it was refunded or revoked. See
    ///   ``EffectiveFacts/revocation(of:among:)``.
    init(_ fact: TransactionFact, revokedBy revocation: TransactionFact?, endDate: Date?, asOf: Date) {
        let isOver = endDate.map { $0 <= asOf } ?? false
        self.init(
            transactionID: fact.transactionID, originalTransactionID: fact.originalTransactionID,
            productID: fact.productID, type: fact.type, quantity: fact.quantity, purchaseDate: fact.purchaseDate,
            ownership: fact.ownership, hasAccess: fact.type.canGiveAccess && revocation == nil && !isOver,
            endDate: endDate, offerType: fact.offerType, offerIdentifier: fact.offerIdentifier, details: [])
        if let revocation {
            revocationDate = revocation.revocationDate
            revocationReason = revocation.revocationReason
            revocationType = revocation.revocationType
            details.append(.revocation(revocation.revocationType, fact.ownership))
        } else if isOver {
            details.append(.durationOver)
        }
        if let owner = StateDetail(fact.ownership) { details.append(owner) }
    }
}

extension ProductType {
    /// Whether purchases of this type can give access. Not for auto-renewable subscriptions, which have states of their
    /// own.
    var canGiveAccess: Bool { self == .nonConsumable || self == .nonRenewingSubscription }

    /// Whether this version knows the type. Purchases of other types give no access.
    var isKnown: Bool { canGiveAccess || self == .autoRenewableSubscription || self == .consumable }
}

extension ConsumableTotals {
    /// Returns the totals of the consumables in `purchases`, sorted by product.
    static func totals(of purchases: [PurchaseState]) -> [ConsumableTotals] {
        let consumables = purchases.lazy.filter { $0.type == .consumable }
        var totals: [ConsumableTotals] = []
        for purchase in consumables.sorted(by: { $0.productID.precedesExactly($1.productID) }) {
            if totals.last?.productID.isExactly(purchase.productID) != true {
                totals.append(.init(productID: purchase.productID, purchases: 0, quantity: 0, revokedQuantity: 0))
            }
            let last = totals.count - 1
            totals[last].purchases += 1
            // Int holds the sum of 2^31 quantities of 2^31.
            totals[last].quantity += Int(purchase.quantity)
            if purchase.revocationDate != nil { totals[last].revokedQuantity += Int(purchase.quantity) }
        }
        return totals
    }
}
