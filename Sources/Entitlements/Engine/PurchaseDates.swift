internal import AppStoreModels
internal import Foundation

/// When the transactions of each subscription, and of each group, were purchased.
struct PurchaseDates {
    private var bySubscription: [ExactText: [Date]] = [:]
    private var byGroup: [ExactText: [Date]] = [:]

    /// - Parameter indices: The transactions in `all`, in any order.
    init(of indices: [Int], in all: [TransactionFact]) {
        for index in indices.sorted(by: { all[$0].purchaseDate < all[$1].purchaseDate }) {
            let date = all[index].purchaseDate
            bySubscription[ExactText(all[index].originalTransactionID), default: []].append(date)
            if let old = all[index].previousOriginalTransactionID {
                bySubscription[ExactText(old), default: []].append(date)
            }
            guard let group = all[index].subscriptionGroupIdentifier else { continue }
            byGroup[ExactText(group), default: []].append(date)
        }
    }

    /// Returns when the period after this one began: of the same subscription or of one that it was migrated to, or else
    /// of another one in the same group.
    func successor(of fact: TransactionFact) -> Date? {
        Self.first(after: fact.purchaseDate, in: bySubscription[ExactText(fact.originalTransactionID)] ?? [])
            ?? fact.subscriptionGroupIdentifier.flatMap { group in
                Self.first(after: fact.purchaseDate, in: byGroup[ExactText(group)] ?? [])
            }
    }

    /// Returns the first of sorted dates that is after another date.
    private static func first(after date: Date, in dates: [Date]) -> Date? {
        let index = dates.partitioningIndex { $0 > date }
        return dates[index...].first
    }
}
