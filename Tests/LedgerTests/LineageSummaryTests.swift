import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Outdated subscriptions` {
    private static let hour: Milliseconds = 3_600_000
    private static let day = 24 * hour

    private func summary(_ change: (inout LineageSummary) -> Void = { _ in }) -> LineageSummary {
        var summary = LineageSummary("1")
        (summary.end, summary.renewalSigned, summary.willRenew) = (1000 * Self.day, 970 * Self.day, true)
        change(&summary)
        return summary
    }

    @Test func `A subscription is out of date an hour after its period has ended without news`() {
        let end = 1000 * Self.day
        #expect(!summary().isOutOfDate(at: end))
        #expect(!summary().isOutOfDate(at: end + Self.hour))
        #expect(summary().isOutOfDate(at: end + Self.hour + 1))
        #expect(summary { $0.willRenew = false }.isOutOfDate(at: end + 2 * Self.hour))
        #expect(!summary { ($0.willRenew, $0.renewalSigned) = (false, end + 1) }.isOutOfDate(at: end + 2 * Self.hour))
        #expect(!summary { $0.isRevoked = true }.isOutOfDate(at: end + 2 * Self.hour))
        #expect(!summary { $0.end = nil }.isOutOfDate(at: end + 2 * Self.hour))
    }

    @Test func `A subscription is not out of date during billing retry or its grace period`() {
        let end = 1000 * Self.day
        let retry = summary { ($0.isInRetry, $0.renewalSigned) = (true, end + 1) }
        #expect(!retry.isOutOfDate(at: end + 60 * Self.day))
        #expect(retry.isOutOfDate(at: end + 61 * Self.day))
        let grace = summary { ($0.isInRetry, $0.renewalSigned, $0.graceDate) = (true, end + 1, end + 6 * Self.day) }
        #expect(!grace.isOutOfDate(at: end + 6 * Self.day))
        #expect(grace.isOutOfDate(at: end + 7 * Self.day))
    }

    @Test func `An out-of-date subscription is requested again after a day, and not after two months`() {
        let end = 1000 * Self.day
        #expect(!summary { $0.requestedAt = end + 5 * Self.day }.isOutOfDate(at: end + 5 * Self.day + Self.hour))
        #expect(summary { $0.requestedAt = end + 5 * Self.day }.isOutOfDate(at: end + 6 * Self.day))
        #expect(!summary { $0.requestedAt = end + 70 * Self.day }.isOutOfDate(at: end + 90 * Self.day))
        #expect(summary { $0.end = nil }.isOutOfDate(at: end, staleBefore: end - 1))
        #expect(!summary { $0.requestedAt = end }.isOutOfDate(at: end, staleBefore: end - 1))
    }

    @Test func `A subscription that was requested with the clock ahead is requested again`() {
        let now = 1000 * Self.day + 2 * Self.hour
        let requestedAhead = summary { $0.requestedAt = now + 400 * Self.day }
        #expect(requestedAhead.isOutOfDate(at: now))
        #expect(requestedAhead.isOutOfDate(at: now, staleBefore: now - 1))
        // Requested at this very instant.
        let justRequested = summary { $0.requestedAt = now }
        #expect(!justRequested.isOutOfDate(at: now))
        #expect(!justRequested.isOutOfDate(at: now, staleBefore: now))
    }

    @Test(
        arguments: [(99, nil, true), (100, nil, false), (99, 99, true), (99, 100, false), (nil, nil, false)]
            as [(Milliseconds?, Milliseconds?, Bool)])
    func `A purchase from before the history may lack changes until its own history is requested`(
        purchasedAt: Milliseconds?, requestedAt: Milliseconds?, mayLack: Bool
    ) {
        let old = summary { ($0.purchasedAt, $0.requestedAt) = (purchasedAt, requestedAt) }
        #expect(old.mayLackChanges(before: 100, at: 200) == mayLack)
    }

    @Test func `A subscription with a damaged record is out of date`() {
        #expect(LineageSummary(damaged: "1").isOutOfDate(at: 0))
        #expect(!LineageSummary("1").isOutOfDate(at: 0))
    }

    private static func date(_ day: Double) -> Date { Date(timeIntervalSince1970: day * 86_400) }

    private static func period(
        _ id: String, _ from: Double, _ to: Double, change: (inout TransactionFact) -> Void = { _ in }
    ) -> TransactionFact {
        var fact = TransactionFact(
            transactionID: id, originalTransactionID: "1", productID: "plus", type: .autoRenewableSubscription,
            purchaseDate: date(from), expiresDate: date(to), signedDate: date(from))
        change(&fact)
        return fact
    }

    private static func summary(_ transactions: [TransactionFact], signed: Double, end: Double) -> LineageSummary {
        let renewal = RenewalFact(
            originalTransactionID: "1", productID: "plus", autoRenewProductID: "plus", willRenew: true,
            renewalDate: date(end), signedDate: date(signed))
        return LineageSummary(
            Lineage(originalTransactionID: "1", transactions: transactions, renewal: renewal), requestedAt: nil)
    }

    @Test func `A subscription is out of date after its last period, whatever happened to a longer one before`() {
        let end = 970 * Self.day
        let year = [
            Self.period("1", 900, 1265), Self.period("1", 900, 1265) { $0.isUpgraded = true },
            Self.period("1", 900, 1265) { $0.revocationDate = Self.date(930) },
        ]
        for (index, year) in year.enumerated() {
            let month = Self.period("2", 940, 970)
            // The renewal info may be one of the earlier period.
            for summary in [
                Self.summary([year, month], signed: 940, end: 970),
                Self.summary([year, month], signed: 900, end: 1265),
            ] {
                #expect(!summary.isOutOfDate(at: end + Self.hour), "\(index)")
                #expect(summary.isOutOfDate(at: end + Self.hour + 1), "\(index)")
            }
        }
    }

    static let intents: [(ExpirationIntent?, Bool)] = [
        (nil, true), (.billingError, true), (.productNotAvailable, false),
    ]

    @Test(arguments: intents)
    func `A subscription that ended for another reason than the payment is not out of date, even if renewal is on`(
        _ intent: ExpirationIntent?, _ isOutOfDate: Bool
    ) {
        let renewal = RenewalFact(
            originalTransactionID: "1", productID: "plus", autoRenewProductID: "plus", willRenew: true,
            expirationIntent: intent, renewalDate: Self.date(970), signedDate: Self.date(970.5))
        let lineage = Lineage(originalTransactionID: "1", transactions: [Self.period("1", 940, 970)], renewal: renewal)
        #expect(LineageSummary(lineage, requestedAt: nil).isOutOfDate(at: 980 * Self.day) == isOutOfDate)
    }

    @Test func `A renewal that an upgrade replaced before it began does not postpone the end`() {
        let end = 1953 * Self.day / 2
        let month = Self.period("1", 940, 970) { $0.reason = .purchase }
        let charged = Self.period("2", 970, 1000) { ($0.reason, $0.signedDate) = (.renewal, Self.date(969.25)) }
        let week = Self.period("3", 969.5, 976.5) { $0.reason = .purchase }
        let summary = Self.summary([month, charged, week], signed: 969.5, end: 976.5)
        #expect(!summary.isOutOfDate(at: end + Self.hour))
        #expect(summary.isOutOfDate(at: end + Self.hour + 1))
    }

    @Test(arguments: [(969.5, 970.0), (969.25, 1000)])
    func `A renewal that was refunded before it began leaves the end of the running period`(
        renewalSigned: Double, named: Double
    ) {
        let end = 970 * Self.day
        let month = Self.period("1", 940, 970) { $0.reason = .purchase }
        let charged = Self.period("2", 970, 1000) {
            ($0.reason, $0.signedDate, $0.revocationDate) = (.renewal, Self.date(969.5), Self.date(969.5))
        }
        // The renewal info of the refund, or of the charge before it.
        let summary = Self.summary([month, charged], signed: renewalSigned, end: named)
        #expect(summary.end == end && !summary.isRevoked)
        #expect(!summary.isOutOfDate(at: end + Self.hour))
        #expect(summary.isOutOfDate(at: end + Self.hour + 1))
        // Nothing is left if the running period was refunded too.
        let refunded = Self.period("1", 940, 970) { $0.revocationDate = Self.date(969.5) }
        #expect(Self.summary([refunded, charged], signed: 969.5, end: 970).isRevoked)
    }

    @Test func `A refunded subscription is not out of date, one that a family shares again is`() {
        let now = 980 * Self.day
        let refunded = Self.period("2", 940, 970) { $0.revocationDate = Self.date(950) }
        #expect(!Self.summary([Self.period("1", 910, 940), refunded], signed: 950, end: 970).isOutOfDate(at: now))
        let lost = Self.period("1", 945, 970) {
            $0.ownership = .familyShared
            $0.revocationDate = Self.date(971)
        }
        let shared = Self.period("2", 940, 970) { $0.ownership = .familyShared }
        #expect(Self.summary([lost, shared], signed: 972, end: 970).isOutOfDate(at: now))
    }
}
