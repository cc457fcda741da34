internal import AppStoreModels
internal import Foundation

extension PurchaseState {
    /// How a purchase stands at an instant.
    ///
    /// - Parameter revocation: What says that it was refunded or revoked: see ``CountingFacts/revocation(of:among:)``.
    init(_ fact: TransactionFact, revokedBy revocation: TransactionFact?, endDate: Date?, asOf: Date) {
        let isKept = fact.type == .nonConsumable || fact.type == .nonRenewingSubscription
        let isOver = endDate.map { $0 <= asOf } ?? false
        self.init(
            transactionID: fact.transactionID, originalTransactionID: fact.originalTransactionID,
            productID: fact.productID, type: fact.type, quantity: fact.quantity, purchaseDate: fact.purchaseDate,
            ownership: fact.ownership, hasAccess: isKept && revocation == nil && !isOver, endDate: endDate,
            offerType: fact.offerType, offerIdentifier: fact.offerIdentifier, details: [])
        if let revocation {
            revocationDate = revocation.revocationDate
            revocationReason = revocation.revocationReason
            revocationType = revocation.revocationType
            details.append(.takenBack(revocation.revocationType, fact.ownership))
        } else if isOver {
            details.append(.durationOver)
        }
        if let owner = StateDetail(fact.ownership) { details.append(owner) }
    }
}

extension ConsumableBalance {
    /// The balances of the consumables among purchases, by product.
    static func of(_ purchases: [PurchaseState]) -> [ConsumableBalance] {
        let consumables = purchases.lazy.filter { $0.type == .consumable }
        var balances: [ConsumableBalance] = []
        for purchase in consumables.sorted(by: { $0.productID < $1.productID }) {
            if balances.last?.productID != purchase.productID {
                balances.append(.init(productID: purchase.productID, purchases: 0, quantity: 0, revokedQuantity: 0))
            }
            let last = balances.count - 1
            balances[last].purchases += 1
            // 2^31 times 2^31 purchases would fit.
            balances[last].quantity += Int(purchase.quantity)
            if purchase.revocationDate != nil { balances[last].revokedQuantity += Int(purchase.quantity) }
        }
        return balances
    }
}
