internal import AppStoreModels
internal import AppStoreTrust
internal import Entitlements
internal import Foundation
internal import WebConsole

/// The periods of what a customer bought, as rows of a time axis: one for each subscription, and one for each other product.
enum PeriodRows {
    /// The App Store tries to charge for so long.
    private static let longestRetry: TimeInterval = 60 * 86_400

    static func rows(of facts: CustomerFacts, now: Date) -> [TimeBars.Row] {
        let purchases = Dictionary(grouping: facts.transactions) { fact in
            fact.expiresDate == nil ? fact.productID : fact.originalTransactionID
        }
        let renewals = Dictionary(facts.renewals.map { ($0.originalTransactionID, $0) }) { older, newer in
            older.signedDate < newer.signedDate ? newer : older
        }
        return purchases.sorted { (start($0.value), $0.key) < (start($1.value), $1.key) }.map { key, transactions in
            let transactions = transactions.sorted { $0.purchaseDate < $1.purchaseDate }
            var bars = transactions.map { bar($0) }
            if let renewal = renewals[key], let end = transactions.compactMap(\.expiresDate).max() {
                bars += unpaid(renewal, after: end, now: now)
            }
            return TimeBars.Row(transactions.last?.productID ?? key, bars)
        }
    }

    private static func start(_ transactions: [TransactionFact]) -> Date {
        transactions.map(\.purchaseDate).min() ?? .distantPast
    }

    private static func bar(_ fact: TransactionFact) -> TimeBars.Bar {
        let kind: TimeBars.Kind =
            fact.revocationDate != nil
            ? .refunded
            : fact.isUpgraded
                ? .upgraded
                : fact.expiresDate == nil
                    ? .once : fact.offerType == .introductory || fact.offerDiscountType == .freeTrial ? .trial : .paid
        // What was taken back before it began would be a bar that goes backwards.
        let end = fact.revocationDate.map { max($0, fact.purchaseDate + 1) } ?? fact.expiresDate
        let label = "\(fact.purchaseDate.consoleText) to \(fact.expiresDate?.consoleText ?? "no end")"
        return TimeBars.Bar(fact.purchaseDate, end, kind, label)
    }

    /// What comes after the last period while the App Store cannot charge.
    private static func unpaid(_ renewal: RenewalFact, after end: Date, now: Date) -> [TimeBars.Bar] {
        guard renewal.isInBillingRetry else { return [] }
        var bars: [TimeBars.Bar] = []
        var start = end
        if let grace = renewal.gracePeriodExpiresDate, grace > end {
            bars.append(.init(end, grace, .grace, "Billing grace period until \(grace.consoleText)"))
            start = grace
        }
        let retried = min(now, end + longestRetry)
        if retried > start { bars.append(.init(start, retried, .retry, "Billing retry since \(start.consoleText)")) }
        return bars
    }
}
