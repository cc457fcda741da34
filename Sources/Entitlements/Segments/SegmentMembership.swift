internal import AppStoreModels
package import Foundation

/// That a purchase is in a segment from an instant until another, as long as nothing new is signed about it.
///
/// Time passing is no event: an index of memberships, asked for those that began and have not ended, tells who is in a
/// segment at any later instant without being written again.
package struct SegmentMembership: Sendable, Hashable {
    /// The segment, since when, and why.
    package var entry: SegmentEntry
    /// When it begins; nil if it has begun, whatever the clock of the host shows: see ``CustomerFacts/present(now:)``.
    package var from: Date?
    /// When it ends; nil if time alone does not end it.
    package var until: Date?

    package init(_ entry: SegmentEntry, from: Date? = nil, until: Date? = nil) {
        self.entry = entry
        self.from = from
        self.until = until
    }

    /// The instant that gives it its place in the list of the segment: the end of what ends by itself, otherwise since when.
    package var instant: Date? { entry.segment.endsByItself ? until : entry.since }
}

extension SegmentMembership {
    /// How many changes to come are looked at. Two are the rule: the end of a period and that of grace.
    private static let horizon = 16

    /// The segments that a purchase is in at present, and those that it will be in when time has passed.
    ///
    /// - Parameters:
    ///   - originalTransactionId: The purchase.
    ///   - facts: Of each fact the newest version: those of the purchase, and the transactions of others that go on with
    ///     it, if there are any.
    package static func of(_ originalTransactionID: String, in facts: CustomerFacts) -> [SegmentMembership] {
        guard let present = facts.newestSignedDate, facts.mayBeInSegments(present: present) else { return [] }
        let changes = Set(facts.changes.filter { $0 > present }).sorted()
        let instants = [present] + changes.prefix(horizon)
        var memberships: [SegmentMembership] = []
        for (index, instant) in instants.enumerated() {
            let until = index < changes.count ? changes[index] : nil
            for entry in facts.segments(of: originalTransactionID, asOf: instant) {
                if let known = memberships.firstIndex(where: { $0.entry == entry && $0.until == instant }) {
                    memberships[known].until = until
                } else {
                    memberships.append(
                        SegmentMembership(entry, from: index == 0 ? nil : instant, until: until))
                }
            }
        }
        return memberships
    }
}

extension CustomerFacts {
    /// Whether there is anything at all by which a purchase could be in a segment from an instant on. Nearly always there is
    /// not, and a look at each fact tells: this is asked at every renewal of a subscription with years of periods.
    fileprivate func mayBeInSegments(present: Date) -> Bool {
        renewals.contains { renewal in
            !renewal.willRenew || renewal.isInBillingRetry || renewal.gracePeriodExpiresDate != nil
                || renewal.priceIncreaseStatus == .pending || !renewal.eligibleWinBackOfferIDs.isEmpty
        }
            || transactions.indices.contains { index in
                // By its place: a fact is dear to copy.
                if transactions[index].revocationDate != nil { return true }
                guard transactions[index].offerDiscountType != nil else { return false }
                return transactions[index].expiresDate.map { $0 > present } ?? true
            }
    }

    /// The instants at which time alone may change how things stand.
    fileprivate var changes: [Date] {
        transactions.flatMap { [$0.purchaseDate, $0.expiresDate].compactMap(\.self) }
            + renewals.compactMap(\.gracePeriodExpiresDate)
    }

    /// The segments that a purchase is in at an instant, each once.
    fileprivate func segments(of originalTransactionID: String, asOf: Date) -> [SegmentEntry] {
        let counting = CountingFacts(self, asOf: asOf)
        let own = counting.transactions.filter {
            counting.fact($0).originalTransactionID == originalTransactionID
        }
        let periods = own.filter { counting.fact($0).type == .autoRenewableSubscription }
        var entries =
            counting.currentPeriod(of: periods[...]).map { counting.subscription($0, periods[...]).segments } ?? []
        for other in own where counting.fact(other).type != .autoRenewableSubscription {
            // What is taken back with another transaction is in the list by that one.
            let fact = counting.fact(other)
            entries +=
                PurchaseState(fact, revokedBy: other.isRevoked ? fact : nil, endDate: nil, asOf: asOf).segments
        }
        // A purchase with several transactions is in a list by the latest of them.
        return Segment.allCases.compactMap { segment in
            entries.filter { $0.segment == segment }
                .max { ($0.since ?? .distantPast) < ($1.since ?? .distantPast) }
        }
    }
}
