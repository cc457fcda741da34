internal import Entitlements
internal import Foundation

/// The properties of a subscription or purchase that show whether newer data about it must exist.
package struct LineageSummary: Sendable, Hashable {
    package var originalTransactionID: String
    /// When the earliest known transaction was made; nil if none is known.
    package var purchasedAt: Milliseconds?
    /// The end of the last period; nil if the purchase does not end.
    package var end: Milliseconds?
    /// Whether the current or last period was revoked.
    package var isRevoked = false
    /// The signing date of the newest renewal info; nil if there is none.
    package var renewalSigned: Milliseconds?
    package var willRenew = false
    package var isInRetry = false
    package var graceDate: Milliseconds?
    /// When the App Store was last asked about the purchase.
    package var requestedAt: Milliseconds?
    /// Whether the ledger's record of the purchase is corrupt.
    package var isDamaged = false

    package init(_ originalTransactionID: String) { self.originalTransactionID = originalTransactionID }

    private static let hour: Milliseconds = 3_600_000
    private static let day: Milliseconds = 24 * hour
    /// How long the App Store tries to charge the customer.
    package static let retryPeriod: Milliseconds = 60 * day
    /// How long after the end the App Store may still sign new data.
    private static let lastChangeAfter: Milliseconds = 70 * day

    /// Whether to request the history of the purchase, because the App Store must have signed data that the ledger does
    /// not have. True if the record is corrupt.
    ///
    /// - Parameter staleBefore: If given, every purchase is out of date whose history was not requested since.
    package func isOutOfDate(at now: Milliseconds, staleBefore: Milliseconds? = nil) -> Bool {
        if isDamaged { return true }
        // A request in the future was recorded with a wrong clock, so its time is unknown.
        let requestedAt = requestedAt.flatMap { $0 > now ? nil : $0 }
        if let staleBefore { return (requestedAt ?? .min) < staleBefore }
        guard let end, !isRevoked, end + Self.hour < now else { return false }
        if let requestedAt {
            // At most one request a day, and none once nothing can have changed since the last.
            guard requestedAt + Self.day <= now, requestedAt < end + Self.lastChangeAfter else { return false }
        }
        guard let renewalSigned else { return true }
        if isInRetry {
            if let graceDate, graceDate + Self.hour < now, renewalSigned < graceDate { return true }
            return end + Self.retryPeriod + Self.hour < now
        }
        // The App Store signs data at the end of each period, whether the subscription renews or not.
        return willRenew || renewalSigned < end
    }
}

extension LineageSummary {
    /// Whether the purchase is older than the notification history that the ledger has read, which begins at `limit`,
    /// and its history was not requested since: nothing tells what was missed before.
    package func mayLackChanges(before limit: Milliseconds, at now: Milliseconds) -> Bool {
        (purchasedAt ?? .max) < limit && isOutOfDate(at: now, staleBefore: limit)
    }

    /// Creates the summary of a corrupt record.
    package init(damaged originalTransactionID: String) {
        self.init(originalTransactionID)
        isDamaged = true
    }

    /// Creates the summary of a purchase.
    package init(_ lineage: Lineage, requestedAt: Milliseconds?) {
        self.init(lineage.originalTransactionID)
        self.requestedAt = requestedAt
        let current = Self.current(lineage.transactions)
        if let renewal = lineage.renewal {
            renewalSigned = renewal.signedDate.milliseconds
            // An older renewal info may name the end of a longer period that was upgraded or refunded since, or of a
            // renewal that was refunded before it began.
            let isOlder = lineage.transactions.contains {
                ($0 == current || $0.wasRefundedAhead) && $0.signedDate > renewal.signedDate
            }
            if !isOlder { end = renewal.renewalDate?.milliseconds }
            (willRenew, isInRetry) = (renewal.willRenew && !renewal.hasEnded, renewal.isInBillingRetry)
            graceDate = renewal.gracePeriodExpiresDate?.milliseconds
        }
        purchasedAt = lineage.transactions.map(\.purchaseDate.milliseconds).min()
        guard let current else { return }
        end = [end, current.expiresDate?.milliseconds].compactMap(\.self).max()
        isRevoked = current.revocationDate != nil
    }

    /// Returns the transaction of the current or last period. A longer one that was upgraded or refunded may end later.
    private static func current(_ transactions: [TransactionFact]) -> TransactionFact? {
        guard transactions.count > 1 else { return transactions.first }
        func isEarlier(_ one: TransactionFact, _ other: TransactionFact) -> Bool {
            (one.purchaseDate, one.expiresDate ?? .distantPast)
                < (other.purchaseDate, other.expiresDate ?? .distantPast)
        }
        var valid = transactions.filter { !$0.isUpgraded && !$0.wasRefundedAhead }
        guard var latest = valid.max(by: isEarlier) else { return transactions.max(by: isEarlier) }
        // A renewal that was charged ahead, and replaced before it began, is rarely signed again.
        while transactions.contains(where: { latest.wasReplacedAhead(by: $0) }) {
            valid.removeAll { $0 == latest }
            guard let before = valid.max(by: isEarlier) else { break }
            latest = before
        }
        guard latest.revocationDate != nil else { return latest }
        // A customer who rejoins a family during the grace period gets the old period again, from its beginning.
        return valid.last { $0.revocationDate == nil && $0.expiresDate == latest.expiresDate } ?? latest
    }
}
