internal import AppStoreModels
package import Foundation

extension CustomerFacts {
    /// Returns the facts in effect at an instant: at most one version of each transaction and of each renewal info, as
    /// of that instant, and sorted by original transaction, then from the earliest to the latest period. Periods that a
    /// purchase replaced are marked as upgraded: few of their transactions are signed again and say so.
    package func effective(asOf instant: Date) -> CustomerFacts {
        let effective = EffectiveFacts(self, asOf: instant)
        var facts = self
        facts.transactions = effective.transactions.map { transaction in
            var fact = effective.fact(transaction)
            fact.isUpgraded = transaction.isUpgraded || transaction.wasReplacedAhead
            if !transaction.isRevoked { fact.revocationDate = nil }
            return fact
        }
        facts.renewals = effective.renewals.map { renewals[$0] }
        facts.markReplacedPeriods(
            among: effective.transactions.indices.filter { !effective.transactions[$0].wasReplacedAhead })
        return facts
    }

    /// Marks the periods that ended early because the next one was a purchase.
    ///
    /// - Parameter began: The positions of the transactions that were not replaced before they began.
    private mutating func markReplacedPeriods(among began: [Int]) {
        for (position, next) in zip(began, began.dropFirst()) {
            let (fact, purchase) = (transactions[position], transactions[next])
            if purchase.reason == .purchase, fact.revocationDate == nil, !fact.wasKept(after: purchase),
                fact.expiresDate.map({ $0 > purchase.purchaseDate }) ?? false,
                purchase.originalTransactionID.isExactly(fact.originalTransactionID)
            {
                transactions[position].isUpgraded = true
            }
        }
    }
}

extension TransactionFact {
    /// The longest time between a purchase and the signatures that are made at its instant: dates within it do not show
    /// which came first.
    private static let signingTime: TimeInterval = 60

    /// Whether this version shows that `purchase` did not replace its period: it was signed later and is not marked as
    /// upgraded, as after the reversal of a refund. The purchase may have been signed again since. Receipts have no
    /// `transactionReason` and do not show it.
    fileprivate func wasKept(after purchase: TransactionFact) -> Bool {
        let known = min(purchase.signedDate, purchase.purchaseDate + Self.signingTime)
        return reason != nil && !isUpgraded && signedDate >= known
    }
}
