internal import AppStoreModels
package import Foundation

/// The membership of a purchase in a segment between two instants, as long as no new fact about it arrives.
///
/// The passing of time causes no write: a query for memberships that have begun and not ended returns the members at
/// any later instant.
package struct SegmentMembership: Sendable, Hashable {
    /// The segment, since when, and the reason.
    package var entry: SegmentEntry
    /// When it begins; nil if it has begun, whatever the host's clock shows.
    /// See ``CustomerFacts/evaluationDate(now:)``.
    package var from: Date?
    /// When it ends; nil if it does not end by time alone.
    package var until: Date?

    /// The instant by which the segment's list is sorted: the end, if membership ends by time alone; otherwise the
    /// beginning.
    package var instant: Date? { entry.segment.endsWithTime ? until : entry.since }
}

extension SegmentMembership {
    /// The maximum number of future changes to evaluate. Usually there are two: the end of the period and the end of
    /// the grace period.
    private static let maximumChanges = 16

    /// Returns the segments that a purchase is in at present, and those that it will enter as time passes.
    ///
    /// - Parameters:
    ///   - originalTransactionID: The purchase.
    ///   - facts: The newest version of each fact: those of the purchase, and the transactions of other subscriptions
    ///     that continue it, if there are any.
    package static func memberships(of originalTransactionID: String, in facts: CustomerFacts) -> [SegmentMembership] {
        guard let present = facts.newestSignedDate, facts.mayBeInSegments(present: present) else { return [] }
        let changes = Set(facts.changes.filter { $0 > present }).sorted()
        let instants = [present] + changes.prefix(maximumChanges)
        var memberships: [SegmentMembership] = []
        for (index, instant) in instants.enumerated() {
            let until = index < changes.count ? changes[index] : nil
            for entry in facts.segments(of: originalTransactionID, asOf: instant) {
                if let known = memberships.firstIndex(where: { $0.entry == entry && $0.until == instant }) {
                    memberships[known].until = until
                } else {
                    memberships.append(
                        SegmentMembership(entry: entry, from: index == 0 ? nil : instant, until: until))
                }
            }
        }
        return memberships
    }
}

extension CustomerFacts {
    /// Whether the purchase can be in a segment at or after an instant. This quick check is false for nearly all
    /// purchases. It runs at every renewal, even of subscriptions with years of periods.
    fileprivate func mayBeInSegments(present: Date) -> Bool {
        renewals.contains { renewal in
            !renewal.willRenew || renewal.isInBillingRetry || renewal.gracePeriodExpiresDate != nil
                || renewal.priceIncreaseStatus == .pending || !renewal.eligibleWinBackOfferIDs.isEmpty
        }
            || transactions.indices.contains { index in
                // Access by index: copying a fact is expensive.
                if transactions[index].revocationDate != nil { return true }
                guard transactions[index].offerDiscountType != nil else { return false }
                return transactions[index].expiresDate.map { $0 > present } ?? true
            }
    }

    /// The instants at which the state can change by time alone.
    fileprivate var changes: [Date] {
        transactions.flatMap { [$0.purchaseDate, $0.expiresDate].compactMap(\.self) }
            + renewals.compactMap(\.gracePeriodExpiresDate)
    }

    /// Returns the segments that a purchase is in at an instant, at most one entry for each segment.
    fileprivate func segments(of originalTransactionID: String, asOf: Date) -> [SegmentEntry] {
        let effective = EffectiveFacts(self, asOf: asOf)
        let own = effective.transactions.filter {
            effective.fact($0).originalTransactionID.isExactly(originalTransactionID)
        }
        let periods = own.filter { effective.fact($0).type == .autoRenewableSubscription }
        var entries =
            effective.currentPeriod(of: periods[...]).map { effective.subscription($0, periods[...]).segments } ?? []
        for other in own where effective.fact(other).type != .autoRenewableSubscription {
            // A purchase that was revoked together with another transaction is listed under that transaction.
            let fact = effective.fact(other)
            entries +=
                PurchaseState(fact, revokedBy: other.isRevoked ? fact : nil, endDate: nil, asOf: asOf).segments
        }
        // A purchase with several transactions is listed by the latest of them.
        return Segment.allCases.compactMap { segment in
            entries.filter { $0.segment == segment }
                .max { ($0.since ?? .distantPast) < ($1.since ?? .distantPast) }
        }
    }
}
