import AppStoreModels
import Entitlements
import Foundation
import Testing

@testable import CounterfoilServer

@Suite struct `Purchase periods` {
    private static let start = Date(timeIntervalSince1970: 1_780_000_000)
    private static let month: TimeInterval = 30 * 86_400

    /// The transaction of the subscription's month with this index.
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
        _ facts: [TransactionFact], _ renewal: RenewalFact? = nil, _ graces: [GracePeriod] = [], asOf: Double = 11
    ) -> [PurchasePeriods.Period] {
        var facts = CustomerFacts(transactions: facts, renewals: renewal.map { [$0] } ?? [])
        facts.gracePeriods = graces
        let engine = EntitlementEngine(catalogue: ProductCatalogue(durations: ["season": .days(30)]))
        return PurchasePeriods.all(of: facts, engine.state(of: facts, asOf: start + asOf * month)).flatMap(\.periods)
    }

    /// A renewal in billing retry whose payment failed `number` months after the start, with half a month of grace.
    private static func failure(after number: Double, _ change: (inout RenewalFact) -> Void = { _ in }) -> RenewalFact {
        let end = start + number * month
        var renewal = RenewalFact(
            originalTransactionID: "1", productID: "monthly", autoRenewProductID: "monthly", willRenew: true,
            isInBillingRetry: true, gracePeriodExpiresDate: end + 0.5 * month, renewalDate: end, signedDate: end)
        change(&renewal)
        return renewal
    }

    @Test(arguments: [(at: 3.5, end: 1.0), (at: 0.5, end: 0.5), (at: 1.0, end: 1.0)])
    func `A refund ends its period early, but a later refund does not extend it`(at: Double, end: Double) {
        let periods = Self.periods([
            Self.fact(0) { $0.revocationDate = Self.start + at * Self.month }, Self.fact(1), Self.fact(2),
        ])
        #expect(periods.map(\.kind) == [.refunded, .paid, .paid])
        #expect(periods.first?.end == Self.start + end * Self.month)
    }

    @Test func `A renewal that was refunded before it began does not end an extended period`() {
        let periods = Self.periods([
            Self.fact(0) { $0.expiresDate = Self.start + 1.5 * Self.month },
            Self.fact(1) { $0.revocationDate = Self.start + 0.99 * Self.month },
        ])
        #expect(periods.map(\.kind) == [.paid, .refunded])
        #expect(periods.first?.end == Self.start + 1.5 * Self.month)
    }

    @Test(
        arguments: [
            (OfferDiscountType.freeTrial, 0, PurchasePeriods.Kind.trial), (.payAsYouGo, 4990, .paid),
            (.payUpFront, 1990, .paid), (.freeTrial, nil, .trial), (nil, 0, .trial), (nil, 990, .paid),
            // A paid introductory offer in a receipt.
            (nil, nil, .paid),
        ] as [(OfferDiscountType?, Int64?, PurchasePeriods.Kind)])
    func `A period is a trial only if its introductory offer is free`(
        discount: OfferDiscountType?, price: Int64?, kind: PurchasePeriods.Kind
    ) {
        let periods = Self.periods([
            Self.fact(0) { ($0.offerType, $0.offerDiscountType, $0.price) = (.introductory, discount, price) },
            Self.fact(1),
        ])
        #expect(periods.map(\.kind) == [kind, .paid])
    }

    @Test(arguments: [true, false])
    func `A period ends where an upgrade begins, whether or not it is marked as upgraded`(isUpgraded: Bool) {
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

    @Test(arguments: [true, false])
    func `A period ends where its subscription moves to Advanced Commerce`(renewalsNameIt: Bool) {
        let migration = Self.start + 1.5 * Self.month
        let moved = (2...3).map { number in
            Self.fact(number) { fact in
                (fact.originalTransactionID, fact.productID) = ("3", "generic")
                if number == 2 { (fact.purchaseDate, fact.expiresDate) = (migration, Self.start + 3 * Self.month) }
                if number == 2 || renewalsNameIt { fact.previousOriginalTransactionID = "1" }
            }
        }
        // The customer has bought the old product again since.
        let periods = Self.periods([Self.fact(0), Self.fact(1), Self.fact(5)] + moved)
        let month: TimeInterval = Self.month
        let ends: [Date?] = [1, 1.5, 6, 3, 4].map { Self.start + $0 * month }
        #expect(periods.map(\.end) == ends)
        #expect(periods.map(\.kind) == [.paid, .upgraded, .paid, .paid, .paid])
    }

    @Test(arguments: [true, false])
    func `A renewal that an upgrade replaced before it began does not end the new period`(isSignedAgain: Bool) {
        let (charge, upgrade) = (Self.start + 0.98 * Self.month, Self.start + 0.99 * Self.month)
        let periods = Self.periods([
            Self.fact(0) { fact in
                (fact.reason, fact.isUpgraded) = (.purchase, isSignedAgain)
                if !isSignedAgain { fact.signedDate = fact.purchaseDate }
            },
            Self.fact(1) { fact in
                (fact.reason, fact.isUpgraded) = (.renewal, isSignedAgain)
                if !isSignedAgain { fact.signedDate = charge }
            },
            Self.fact(2) { fact in
                (fact.productID, fact.reason, fact.purchaseDate) = ("yearly", .purchase, upgrade)
                fact.expiresDate = upgrade + 12 * Self.month
            },
        ])
        #expect(periods.map(\.kind) == [.upgraded, .paid, .upgraded])
        let ends: [Date?] = [upgrade, upgrade + 12 * Self.month, Self.start + Self.month + 1]
        #expect(periods.map(\.end) == ends)
    }

    @Test func `Grace and retry periods follow the end of the current paid period`() {
        let year = Self.fact(0) { fact in
            (fact.productID, fact.isUpgraded, fact.expiresDate) = ("yearly", true, Self.start + 12 * Self.month)
        }
        let periods = Self.periods([year, Self.fact(1)], Self.failure(after: 2), asOf: 3)
        #expect(periods.map(\.kind) == [.upgraded, .paid, .grace, .retry])
        #expect(periods.dropFirst(2).map(\.start) == [2, 2.5].map { Self.start + $0 * Self.month })
    }

    @Test func `The grace period is shown after the App Store no longer names it`() {
        let last = Self.failure(after: 1) {
            ($0.gracePeriodExpiresDate, $0.signedDate) = (nil, Self.start + 1.5 * Self.month)
        }
        let graces = [Self.failure(after: 1)].compactMap(\.gracePeriod)
        let periods = Self.periods([Self.fact(0)], last, graces, asOf: 2)
        #expect(periods.map(\.kind) == [.paid, .grace, .retry])
        #expect(periods.dropFirst().map(\.start) == [1, 1.5].map { Self.start + $0 * Self.month })
    }

    @Test func `A grace period follows even if the App Store reports no billing retry`() {
        let renewal = Self.failure(after: 1) { $0.isInBillingRetry = false }
        #expect(Self.periods([Self.fact(0)], renewal, asOf: 1.2).map(\.kind) == [.paid, .grace])
        #expect(Self.periods([Self.fact(0)], renewal, asOf: 2).map(\.kind) == [.paid])
    }

    @Test func `A failed payment that was paid later adds no period`() {
        let periods = Self.periods([Self.fact(0), Self.fact(1)], Self.failure(after: 1))
        #expect(periods.map(\.kind) == [.paid, .paid])
    }

    @Test func `A non-renewing subscription ends with its duration, or before with a refund`() {
        func pass(_ id: String, at months: Double, refundedAt refund: Double? = nil) -> TransactionFact {
            Self.fact(0) { fact in
                (fact.transactionID, fact.originalTransactionID, fact.productID) = (id, id, "season")
                (fact.type, fact.expiresDate) = (.nonRenewingSubscription, nil)
                fact.purchaseDate = Self.start + months * Self.month
                fact.revocationDate = refund.map { Self.start + $0 * Self.month }
            }
        }
        let periods = Self.periods([
            pass("1", at: 0), pass("2", at: 0.5), pass("3", at: 2, refundedAt: 2.25), pass("4", at: 4, refundedAt: 8),
        ])
        #expect(periods.map(\.kind) == [.once, .once, .refunded, .refunded])
        let ends: [Date?] = [1, 1.5, 2.25, 5].map { Self.start + $0 * Self.month }
        #expect(periods.map(\.end) == ends)
    }
}
