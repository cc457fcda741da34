import AppStoreModels
import Entitlements
import Foundation
import TestSupport
import Testing

@Suite struct `Segments` {
    /// The memberships of a purchase as `segment from…until since reason`, in days; `-` means none.
    private static func memberships(
        _ transactions: [TransactionFact], _ renewals: [RenewalFact] = [], of original: String = "1"
    ) -> [String] {
        let facts = CustomerFacts(transactions: transactions, renewals: renewals)
        return SegmentMembership.memberships(of: original, in: facts).map { one in
            func text(_ date: Date?) -> String {
                date.map { "\(Int(($0.timeIntervalSince(day(0)) / 86_400).rounded()))" } ?? "-"
            }
            return "\(one.entry.segment.name) \(text(one.from))…\(text(one.until)) \(text(one.entry.since)) "
                + (one.entry.reason?.rawValue ?? "-")
        }
    }

    private static let month = period("1", 0, 30)
    private static let trial = period("1", 0, 7) { ($0.offerType, $0.offerDiscountType) = (.introductory, .freeTrial) }

    @Test func `A renewing subscription is in no segment`() {
        #expect(Self.memberships([Self.month], [renewal(on: 0)]) == [])
        #expect(Self.memberships([Self.month]) == [])
        #expect(Self.memberships([]) == [])
    }

    @Test func `A subscription that will not renew is in a segment with the reason until it ends`() {
        #expect(
            Self.memberships([Self.month], [renewal(on: 5, renews: false)]) == ["will_not_renew -…30 - cancelled"])
        let priced = renewal(on: 5, renews: false) { $0.priceIncreaseStatus = .pending }
        #expect(Self.memberships([Self.month], [priced]) == ["will_not_renew -…30 - price_consent_pending"])
        let unavailable = renewal(on: 5, renews: false) { $0.expirationIntent = .productNotAvailable }
        #expect(Self.memberships([Self.month], [unavailable]) == ["will_not_renew -…30 - product_not_available"])
        // A family member cannot change the renewal.
        let shared = period("1", 0, 30) { $0.ownership = .familyShared }
        #expect(Self.memberships([shared], [renewal(on: 5, renews: false)]) == [])
    }

    @Test func `A failed payment is in the grace segment first, then in the billing retry segment`() {
        let failed = EntitlementsTests.failure(on: 30, grace: 46)
        #expect(
            Self.memberships([Self.month], [failed]) == ["in_grace_period -…46 30 -", "in_billing_retry 46…- 46 -"])
        #expect(Self.memberships([Self.month], [EntitlementsTests.failure(on: 30)]) == ["in_billing_retry -…- 30 -"])
        // The failure was signed a day before the period ends, and counts from the end.
        #expect(
            Self.memberships([Self.month], [EntitlementsTests.failure(on: 29)]) == ["in_billing_retry 30…- 30 -"])
    }

    @Test func `An expired subscription is in the win-back segment if the App Store names an offer`() {
        let offers: (inout RenewalFact) -> Void = {
            $0.expirationIntent = .customerCancelled
            $0.eligibleWinBackOfferIDs = ["comeback"]
        }
        #expect(
            Self.memberships([Self.month], [renewal(on: 40, renews: false, change: offers)])
                == ["win_back_eligible -…- 30 cancelled"])
        #expect(Self.memberships([Self.month], [renewal(on: 40, renews: false)]) == [])
        for (intent, reason) in [
            (ExpirationIntent.priceIncreaseNotAccepted, "price_increase_not_accepted"),
            (.productNotAvailable, "product_not_available"),
        ] {
            let info = renewal(on: 40, renews: false) {
                ($0.expirationIntent, $0.eligibleWinBackOfferIDs) = (intent, ["comeback"])
            }
            #expect(Self.memberships([Self.month], [info]) == ["win_back_eligible -…- 30 \(reason)"])
        }
    }

    @Test func `A pending price increase is in a segment until the period ends`() {
        let pending = renewal(on: 5) { $0.priceIncreaseStatus = .pending }
        #expect(Self.memberships([Self.month], [pending]) == ["price_consent_pending -…30 - -"])
        let agreed = renewal(on: 6) { $0.priceIncreaseStatus = .accepted }
        #expect(Self.memberships([Self.month], [agreed]) == [])
    }

    @Test func `A free trial is in its segment, and in a second one if it will not renew`() {
        #expect(Self.memberships([Self.trial], [renewal(on: 0)]) == ["trial_ending -…7 0 -"])
        #expect(
            Self.memberships([Self.trial], [renewal(on: 1, renews: false)])
                == ["will_not_renew -…7 - cancelled", "trial_ending -…7 0 -"])
        let paid = period("1", 0, 7) { ($0.offerType, $0.offerDiscountType) = (.introductory, .payUpFront) }
        #expect(Self.memberships([paid], [renewal(on: 0)]) == [])
        // The grace period after a trial is not part of it.
        #expect(
            Self.memberships([Self.trial], [EntitlementsTests.failure(on: 7, grace: 13)])
                == ["in_grace_period -…13 7 -", "in_billing_retry 13…- 13 -"])
    }

    @Test func `Every refunded purchase is in the refunded segment, and a revoked one is not`() {
        let refunded = period("1", 0, 30) { $0.refund(on: 9, type: .refundFull) }
        #expect(Self.memberships([refunded]) == ["refunded -…- 9 -"])
        let map = purchase("4", "map", .nonConsumable, on: 1) { $0.refund(on: 3) }
        #expect(Self.memberships([map], of: "4") == ["refunded -…- 3 -"])
        let revoked = period("1", 0, 30) {
            $0.ownership = .familyShared
            $0.refund(on: 9, type: .familyRevoke)
        }
        #expect(Self.memberships([revoked]) == [])
        // A refund of an earlier period does not count.
        let earlier = period("1", 0, 30) { $0.refund(on: 35, type: .refundFull) }
        #expect(Self.memberships([earlier, period("2", 30, 60)], [renewal(on: 30)]) == [])
    }

    @Test func `A subscription that continues under another identifier is in no segment`() {
        let renewals = [renewal(on: 5, renews: false)]
        let new = period("9", of: "9", 10, 40) { $0.previousOriginalTransactionID = "1" }
        #expect(Self.memberships([Self.month], renewals) != [])
        #expect(Self.memberships([Self.month, new], renewals) == [])
    }

    @Test func `A period paid ahead extends the segment to its end`() {
        let next = period("2", 30, 60, signed: 29)
        #expect(
            Self.memberships([Self.month, next], [renewal(on: 29, renews: false) { $0.renewalDate = day(60) }])
                == ["will_not_renew -…60 - cancelled"])
    }

    /// The segment index and the state must agree at every instant from the present on.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `Segment members at any later instant are those whose state has the segment`(_ part: UInt64) async {
        var seen: Set<Segment> = []
        for await seed in Yielding(0..<300 as Range<UInt64>) {
            var random = SeededGenerator(seed: seed * 4 + part)
            let all = CustomerFacts.random(&random)
            for original in Set(all.transactions.map(\.originalTransactionID)).sorted() {
                var facts = CustomerFacts(
                    transactions: all.transactions.filter { $0.originalTransactionID == original },
                    renewals: all.renewals.filter { $0.originalTransactionID == original })
                if Bool.random(using: &random), var last = facts.renewals.popLast() {
                    last.eligibleWinBackOfferIDs = ["comeback"]
                    last.priceIncreaseStatus = .pending
                    facts.renewals.append(last)
                }
                let memberships = SegmentMembership.memberships(of: original, in: facts)
                let present = facts.evaluationDate(now: .distantPast)
                for date in [present] + (0..<25).map({ _ in day(.random(in: -5...200, using: &random).rounded()) }) {
                    let states = engine.state(of: facts, asOf: max(date, present))
                    let entries = states.subscriptions.flatMap(\.segments) + states.purchases.flatMap(\.segments)
                    let members = memberships.filter {
                        $0.from.map { $0 <= date } ?? true && $0.until.map { date < $0 } ?? true
                    }
                    #expect(
                        Set(members.map(\.entry.segment)) == Set(entries.map(\.segment)), "seed \(seed) \(original)")
                    seen.formUnion(entries.map(\.segment))
                }
            }
        }
        #expect(seen.count > 4, "\(seen)")
    }
}
