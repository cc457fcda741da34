internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import Ledger

/// The periods of a subscription, or of the other purchases of a product, for a time axis.
struct PurchasePeriods {
    enum Kind: String {
        case paid, trial, refunded, upgraded, once
        case grace = "billing_grace_period"
        case retry = "billing_retry"
    }

    struct Period {
        var kind: Kind
        var start: Date
        /// Nil for a period without an end.
        var end: Date?
    }

    var productID: String
    /// The last ``maximumPeriods`` periods, oldest first.
    var periods: [Period]
    /// The number of older periods that are left out.
    var omitted = 0

    private static let maximumPeriods = 100
    /// How long the App Store retries billing, in seconds.
    private static let billingRetryTime = TimeInterval(LineageSummary.retryPeriod) / 1000

    /// Returns the periods of each subscription and of each other product, ordered by first purchase.
    ///
    /// - Parameter states: The customer's states according to the same facts.
    static func all(of facts: CustomerFacts, _ states: CustomerStates) -> [PurchasePeriods] {
        // `facts` may have several versions of a fact, and facts from after the instant.
        let facts = facts.effective(asOf: states.asOf)
        let purchases = Dictionary(grouping: facts.transactions) { fact in
            ExactText(fact.expiresDate == nil ? fact.productID : fact.originalTransactionID)
        }
        let subscriptions = Dictionary(grouping: states.subscriptions) { ExactText($0.originalTransactionID) }
        let ends = Dictionary(
            states.purchases.map { (ExactText($0.transactionID), $0.endDate) }, uniquingKeysWith: { first, _ in first })
        let migrations = facts.transactions.migrationDates
        return purchases.sorted { (start($0.value), $0.key) < (start($1.value), $1.key) }.map { key, transactions in
            let transactions = transactions.sorted { $0.wasPurchased(before: $1) }
            let began = Set(transactions.periodsThatBegan.map { ExactText($0.transactionID) })
            var periods = transactions.enumerated().map { index, fact -> Period in
                let end = ends[ExactText(fact.transactionID)] ?? nil
                // A period that never began ended nothing.
                let next = transactions.dropFirst(index + 1).first { began.contains(ExactText($0.transactionID)) }
                let migration = migrations[key].flatMap { fact.purchaseDate <= $0 ? $0 : nil }
                return period(
                    fact, until: end, before: [next?.purchaseDate, migration].compactMap(\.self).min(),
                    neverBegan: !began.contains(ExactText(fact.transactionID)))
            }
            if let subscription = subscriptions[key]?.first { periods += unpaidPeriods(subscription, now: states.asOf) }
            return PurchasePeriods(
                productID: transactions.last?.productID ?? key.text, periods: periods.suffix(maximumPeriods),
                omitted: max(0, periods.count - maximumPeriods))
        }
    }

    private static func start(_ transactions: [TransactionFact]) -> Date {
        transactions.map(\.purchaseDate).min() ?? .distantPast
    }

    /// - Parameters:
    ///   - end: The end of a non-renewing subscription by the duration in the catalogue.
    ///   - next: The beginning of what replaced the period.
    private static func period(
        _ fact: TransactionFact, until end: Date?, before next: Date?, neverBegan: Bool
    ) -> Period {
        // Upgrades and migrations start immediately and end the previous period, whose transaction may not be signed
        // again.
        let planned = fact.expiresDate.map { min($0, next ?? $0) } ?? end
        // A refund after the end does not extend the period.
        let ended = neverBegan ? fact.purchaseDate : fact.revocationDate.map { min($0, planned ?? $0) } ?? planned
        // No period ends before its start.
        return Period(
            kind: kind(of: fact), start: fact.purchaseDate, end: ended.map { max($0, fact.purchaseDate + 1) })
    }

    private static func kind(of fact: TransactionFact) -> Kind {
        if fact.revocationDate != nil { return .refunded }
        if fact.isUpgraded { return .upgraded }
        if fact.expiresDate == nil { return .once }
        return isFree(fact) ? .trial : .paid
    }

    /// Whether the period is free. An introductory offer without a mode counts as paid unless its price is 0: receipts
    /// name the mode of trials only.
    private static func isFree(_ fact: TransactionFact) -> Bool {
        fact.offerDiscountType.map { $0 == .freeTrial } ?? (fact.offerType == .introductory && fact.price == 0)
    }

    /// Returns the periods after the current one while the App Store cannot charge.
    private static func unpaidPeriods(_ subscription: SubscriptionState, now: Date) -> [Period] {
        guard let end = subscription.expiresDate, ![.expired, .revoked].contains(subscription.status),
            subscription.isInBillingRetry || subscription.status == .billingGracePeriod
        else { return [] }
        var periods: [Period] = []
        var start = end
        if let grace = subscription.knownGracePeriodEnd, grace > end {
            periods.append(Period(kind: .grace, start: end, end: grace))
            start = grace
        }
        let retried = min(now, end + billingRetryTime)
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
