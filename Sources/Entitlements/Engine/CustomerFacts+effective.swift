package import Foundation

extension CustomerFacts {
    /// Returns the facts in effect at an instant: at most one version of each transaction and of each renewal info, as
    /// of that instant.
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
        return facts
    }
}
