package import AppStoreModels
package import Foundation

extension Sequence<TransactionFact> {
    /// When each subscription that was migrated to Advanced Commerce ended, by original transaction.
    ///
    /// The transactions with the same original transaction are in the order of purchase.
    package var migrationDates: [ExactText: Date] {
        var dates: [ExactText: Date] = [:]
        var successors: Set<ExactText> = []
        for fact in self {
            // Renewals may name the old subscription too. The first period began with the migration: a later purchase
            // of the old product counts.
            guard let old = fact.previousOriginalTransactionID, !old.isExactly(fact.originalTransactionID),
                successors.insert(ExactText(fact.originalTransactionID)).inserted
            else { continue }
            dates[ExactText(old)] = Swift.max(dates[ExactText(old)] ?? fact.purchaseDate, fact.purchaseDate)
        }
        return dates
    }
}
