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
            fact.isUpgraded = transaction.isUpgraded
            if !transaction.isRevoked { fact.revocationDate = nil }
            return fact
        }
        facts.renewals = effective.renewals.map { renewals[$0] }
        facts.markReplacedPeriods()
        return facts
    }

    private mutating func markReplacedPeriods() {
        guard var last = transactions.indices.first else { return }
        for index in transactions.indices.dropFirst() {
            let (previous, fact) = (transactions[last], transactions[index])
            let isNext = fact.originalTransactionID.isExactly(previous.originalTransactionID)
            if isNext, fact.wasReplacedAhead(by: previous) {
                transactions[index].isUpgraded = true
                continue
            }
            if isNext, fact.reason == .purchase, previous.revocationDate == nil,
                previous.expiresDate.map({ $0 > fact.purchaseDate }) ?? false
            {
                transactions[last].isUpgraded = true
            }
            last = index
        }
    }
}
