package import Foundation

extension CustomerFacts {
    /// The facts that count at an instant: each transaction and each renewal info in one version at most, as it stood then.
    package func counting(asOf instant: Date) -> CustomerFacts {
        let counting = CountingFacts(self, asOf: instant)
        var facts = self
        facts.transactions = counting.transactions.map { transaction in
            var fact = counting.fact(transaction)
            fact.isUpgraded = transaction.isUpgraded
            if !transaction.isRevoked { fact.revocationDate = nil }
            return fact
        }
        facts.renewals = counting.renewals.map { renewals[$0] }
        return facts
    }
}
