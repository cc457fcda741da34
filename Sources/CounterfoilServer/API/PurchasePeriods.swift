internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import Ledger

/// The periods of a subscription, or of what else was bought of a product: what a time axis shows.
struct PurchasePeriods {
    enum Kind: String {
        case paid, trial, refunded, upgraded, once
        case grace = "billing_grace_period"
        case retry = "billing_retry"
    }

    struct Period {
        var kind: Kind
        var start: Date
        /// Nil for what has no end.
        var end: Date?
    }

    var productID: String
    /// The last ``most``, the first first.
    var periods: [Period]
    /// How many there are before those.
    var omitted = 0

    private static let most = 100
    /// The App Store tries to charge for so long.
    private static let longestRetry: TimeInterval = 60 * 86_400

    /// One for each subscription, and one for each other product; what was bought first comes first.
    ///
    /// - Parameter states: What the customer has by the same facts.
    static func all(of facts: CustomerFacts, _ states: CustomerStates) -> [PurchasePeriods] {
        // Of the past every version is known, and what came later.
        let facts = facts.counting(asOf: states.asOf)
        let purchases = Dictionary(grouping: facts.transactions) { fact in
            fact.expiresDate == nil ? fact.productID : fact.originalTransactionID
        }
        let subscriptions = Dictionary(grouping: states.subscriptions, by: \.originalTransactionID)
        return purchases.sorted { (start($0.value), $0.key) < (start($1.value), $1.key) }.map { key, transactions in
            let transactions = transactions.sorted { $0.purchaseDate < $1.purchaseDate }
            var periods = transactions.indices.map { index in
                period(transactions[index], before: transactions.dropFirst(index + 1).first)
            }
            if let subscription = subscriptions[key]?.first { periods += unpaid(subscription, now: states.asOf) }
            return PurchasePeriods(
                productID: transactions.last?.productID ?? key, periods: periods.suffix(most),
                omitted: max(0, periods.count - most))
        }
    }

    private static func start(_ transactions: [TransactionFact]) -> Date {
        transactions.map(\.purchaseDate).min() ?? .distantPast
    }

    private static func period(_ fact: TransactionFact, before next: TransactionFact?) -> Period {
        let kind: Kind =
            fact.revocationDate != nil
            ? .refunded
            : fact.isUpgraded
                ? .upgraded
                : fact.expiresDate == nil ? .once : isFree(fact) ? .trial : .paid
        // An upgrade begins at once and ends what was there, of which nothing need be signed again.
        let planned = fact.expiresDate.map { min($0, next?.purchaseDate ?? $0) }
        // What was taken back after its end did not last longer for that.
        let ended = fact.revocationDate.map { min($0, planned ?? $0) } ?? planned
        // What was taken back before it began would be a period that goes backwards.
        let end = ended.map { max($0, fact.purchaseDate + 1) }
        return Period(kind: kind, start: fact.purchaseDate, end: end)
    }

    /// Whether nothing is paid for it. Introductory offers cost something unless they are free trials; receipts and old texts do
    /// not say which they are.
    private static func isFree(_ fact: TransactionFact) -> Bool {
        fact.offerDiscountType.map { $0 == .freeTrial } ?? (fact.offerType == .introductory && (fact.price ?? 0) == 0)
    }

    /// What comes after the current period while the App Store cannot charge.
    private static func unpaid(_ subscription: SubscriptionState, now: Date) -> [Period] {
        guard let end = subscription.expiresDate, ![.expired, .revoked].contains(subscription.status),
            subscription.isInBillingRetry || subscription.status == .billingGracePeriod
        else { return [] }
        var periods: [Period] = []
        var start = end
        if let grace = subscription.gracePeriodExpiresDate, grace > end {
            periods.append(Period(kind: .grace, start: end, end: grace))
            start = grace
        }
        let retried = min(now, end + longestRetry)
        if retried > start { periods.append(Period(kind: .retry, start: start, end: retried)) }
        return periods
    }

    func write(to json: inout JSONWriter) {
        json.object("purchase_periods") { json in
            json.member("product_id", productID)
            json.member("omitted", Int64(omitted))
            json.member("items", periods) { json, period in
                json.object { json in
                    json.member("kind", period.kind.rawValue)
                    json.member("start_date", period.start.milliseconds)
                    json.member("end_date", period.end?.milliseconds)
                }
            }
        }
    }
}
