import AppStoreModels
import Entitlements
import Foundation
import Testing

@testable import CounterfoilServer

@Suite struct `Periods of what was bought` {
    private static let start = Date(timeIntervalSince1970: 1_780_000_000)
    private static let month: TimeInterval = 30 * 86_400

    /// A month of a subscription, which began so many months after the first.
    private static func fact(_ number: Int, _ change: (inout TransactionFact) -> Void = { _ in }) -> TransactionFact {
        let begin = start + Double(number) * month
        var fact = TransactionFact(
            transactionID: "\(number + 1)", originalTransactionID: "1", productID: "monthly",
            type: .autoRenewableSubscription,
            purchaseDate: begin, expiresDate: begin + month, signedDate: start + 10 * month)
        change(&fact)
        return fact
    }

    private static func periods(
        _ facts: [TransactionFact], _ renewal: RenewalFact? = nil, asOf: Double = 11
    ) -> [PurchasePeriods.Period] {
        let facts = CustomerFacts(transactions: facts, renewals: renewal.map { [$0] } ?? [])
        let engine = EntitlementEngine(catalogue: ProductCatalogue())
        return PurchasePeriods.all(of: facts, engine.state(of: facts, asOf: start + asOf * month)).flatMap(\.periods)
    }

    /// That the payment of a month failed at its end, with half a month of grace.
    private static func failure(after number: Double, _ change: (inout RenewalFact) -> Void = { _ in }) -> RenewalFact {
        let end = start + number * month
        var renewal = RenewalFact(
            originalTransactionID: "1", productID: "monthly", autoRenewProductID: "monthly", willRenew: true,
            isInBillingRetry: true, gracePeriodExpiresDate: end + 0.5 * month, renewalDate: end, signedDate: end)
        change(&renewal)
        return renewal
    }

    @Test(arguments: [(at: 3.5, end: 1.0), (at: 0.5, end: 0.5), (at: 1.0, end: 1.0)])
    func `do not last longer for being refunded after their end`(at: Double, end: Double) {
        let periods = Self.periods([
            Self.fact(0) { $0.revocationDate = Self.start + at * Self.month }, Self.fact(1), Self.fact(2),
        ])
        #expect(periods.map(\.kind) == [.refunded, .paid, .paid])
        #expect(periods.first?.end == Self.start + end * Self.month)
    }

    @Test(
        arguments: [
            (OfferDiscountType.freeTrial, 0, PurchasePeriods.Kind.trial), (.payAsYouGo, 4990, .paid),
            (.payUpFront, 1990, .paid), (nil, nil, .trial), (nil, 990, .paid),
        ] as [(OfferDiscountType?, Int64?, PurchasePeriods.Kind)])
    func `are free only where an introductory offer is`(
        discount: OfferDiscountType?, price: Int64?, kind: PurchasePeriods.Kind
    ) {
        let periods = Self.periods([
            Self.fact(0) { ($0.offerType, $0.offerDiscountType, $0.price) = (.introductory, discount, price) },
            Self.fact(1),
        ])
        #expect(periods.map(\.kind) == [kind, .paid])
    }

    @Test(arguments: [true, false])
    func `end where an upgrade begins, whether it was signed again or not`(isUpgraded: Bool) {
        let upgrade = Self.start + 0.5 * Self.month
        let periods = Self.periods([
            Self.fact(0) { $0.isUpgraded = isUpgraded },
            Self.fact(1) { fact in
                (fact.productID, fact.purchaseDate, fact.expiresDate) = ("yearly", upgrade, upgrade + 12 * Self.month)
            },
        ])
        #expect(periods.map(\.kind) == [isUpgraded ? .upgraded : .paid, .paid])
        #expect(periods.first?.end == upgrade && periods.last?.start == upgrade)
    }

    @Test func `are followed by what was not paid, from the end of the current one`() {
        let year = Self.fact(0) { fact in
            (fact.productID, fact.isUpgraded, fact.expiresDate) = ("yearly", true, Self.start + 12 * Self.month)
        }
        let periods = Self.periods([year, Self.fact(1)], Self.failure(after: 2), asOf: 3)
        #expect(periods.map(\.kind) == [.upgraded, .paid, .grace, .retry])
        #expect(periods.dropFirst(2).map(\.start) == [2, 2.5].map { Self.start + $0 * Self.month })
    }

    @Test func `are followed by a grace period in which the App Store names no billing retry`() {
        let renewal = Self.failure(after: 1) { $0.isInBillingRetry = false }
        #expect(Self.periods([Self.fact(0)], renewal, asOf: 1.2).map(\.kind) == [.paid, .grace])
        #expect(Self.periods([Self.fact(0)], renewal, asOf: 2).map(\.kind) == [.paid])
    }

    @Test func `are not followed by the failure of one that was paid since`() {
        let periods = Self.periods([Self.fact(0), Self.fact(1)], Self.failure(after: 1))
        #expect(periods.map(\.kind) == [.paid, .paid])
    }
}
