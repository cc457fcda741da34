import AppStoreModels
import Entitlements
import Foundation

/// The instant a number of days after the start of the tests' time.
func day(_ days: Double) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + days * 86_400) }

/// A millisecond, in seconds.
let moment = 0.001

/// A subscription period from one day to another, signed at its beginning.
func period(
    _ id: String, of original: String = "1", _ product: String, _ from: Double, _ to: Double,
    signed: Double? = nil, group: String? = "g", change: (inout TransactionFact) -> Void = { _ in }
) -> TransactionFact {
    var fact = TransactionFact(
        transactionID: id, originalTransactionID: original, productID: product, type: .autoRenewableSubscription,
        purchaseDate: day(from), expiresDate: day(to), subscriptionGroupIdentifier: group,
        signedDate: day(signed ?? from))
    change(&fact)
    return fact
}

/// A period of the monthly subscription.
func period(
    _ id: String, of original: String = "1", _ from: Double, _ to: Double, signed: Double? = nil, group: String? = "g",
    change: (inout TransactionFact) -> Void = { _ in }
) -> TransactionFact {
    period(id, of: original, "pro.month", from, to, signed: signed, group: group, change: change)
}

/// A purchase other than an auto-renewable subscription, signed when it was made.
func purchase(
    _ id: String, _ product: String, _ type: ProductType, on date: Double, signed: Double? = nil,
    change: (inout TransactionFact) -> Void = { _ in }
) -> TransactionFact {
    var fact = TransactionFact(
        transactionID: id, originalTransactionID: id, productID: product, type: type, purchaseDate: day(date),
        signedDate: day(signed ?? date))
    change(&fact)
    return fact
}

/// A renewal info signed on a day.
func renewal(
    of original: String = "1", _ product: String = "pro.month", on date: Double, renews: Bool = true,
    change: (inout RenewalFact) -> Void = { _ in }
) -> RenewalFact {
    var fact = RenewalFact(
        originalTransactionID: original, productID: product, autoRenewProductID: product, willRenew: renews,
        signedDate: day(date))
    change(&fact)
    return fact
}

/// A renewal info about a failed payment.
func failure(on date: Double, grace: Double? = nil) -> RenewalFact {
    renewal(on: date) {
        $0.isInBillingRetry = true
        $0.expirationIntent = .billingError
        $0.gracePeriodExpiresDate = grace.map(day)
    }
}

let catalogue = ProductCatalogue(
    entitlements: [
        "pro": ["pro.month", "pro.year", "pro.lifetime", "pro.season"], "basic": ["basic.month", "pro.month"],
        "map": ["map"],
    ],
    durations: ["pro.season": .month, "coins.week": .week], levels: ["pro.month": 1, "pro.year": 1, "basic.month": 2],
    consumables: ["coins"])

let engine = EntitlementEngine(catalogue: catalogue)

func states(_ transactions: [TransactionFact], _ renewals: [RenewalFact] = [], on date: Date) -> CustomerStates {
    engine.state(of: CustomerFacts(transactions: transactions, renewals: renewals), asOf: date)
}

extension CustomerStates {
    /// The status of the only subscription.
    var status: SubscriptionStatus? { subscriptions.count == 1 ? subscriptions.first?.status : nil }
    var isPro: Bool? { entitlement("pro")?.isActive }
}

extension TransactionFact {
    mutating func refund(on date: Double, type: RevocationType? = nil) {
        revocationDate = day(date)
        revocationReason = .other
        revocationType = type
        signedDate = day(date)
    }

    mutating func signAgain(on date: Double) { signedDate = day(date) }
}
