internal import Entitlements
internal import Foundation

/// As much of a subscription or purchase as it takes to see that something about it must be missing.
package struct LineageSummary: Sendable, Hashable {
    package var originalTransactionID: String
    /// When its last period ends or ended; nil for what does not end.
    package var end: Milliseconds?
    /// Whether its latest transaction was revoked.
    package var isRevoked = false
    /// When the newest renewal info was signed; nil when none is known.
    package var renewalSigned: Milliseconds?
    package var willRenew = false
    package var isInRetry = false
    package var graceDate: Milliseconds?
    /// When the App Store was last asked about it.
    package var askedAt: Milliseconds?
    /// Whether the ledger's record of it cannot be read.
    package var isDamaged = false

    package init(_ originalTransactionID: String) { self.originalTransactionID = originalTransactionID }

    private static let hour: Milliseconds = 3_600_000
    private static let day: Milliseconds = 24 * hour
    /// How long the App Store tries to charge.
    private static let retryPeriod: Milliseconds = 60 * day
    /// Long enough after the end nothing comes by itself any more.
    private static let settled: Milliseconds = 70 * day

    /// Whether the App Store is to be asked about it, because it must have signed something that the ledger does not
    /// have. Where the record cannot be read, it may have.
    ///
    /// - Parameter everyoneSince: Everything is out of date that was not asked about since then.
    package func isOutOfDate(at now: Milliseconds, everyoneSince: Milliseconds? = nil) -> Bool {
        if isDamaged { return true }
        // What was asked by a clock that was ahead may have been asked at any time.
        let askedAt = askedAt.flatMap { $0 > now ? nil : $0 }
        if let everyoneSince { return (askedAt ?? .min) < everyoneSince }
        guard let end, !isRevoked, end + Self.hour < now else { return false }
        if let askedAt {
            // Once a day, and no more when nothing can have changed since.
            guard askedAt + Self.day <= now, askedAt < end + Self.settled else { return false }
        }
        guard let renewalSigned else { return true }
        if isInRetry {
            if let graceDate, graceDate + Self.hour < now, renewalSigned < graceDate { return true }
            return end + Self.retryPeriod + Self.hour < now
        }
        // Whatever comes of the end of a period, the App Store signs something about it.
        return willRenew || renewalSigned < end
    }
}

extension LineageSummary {
    /// One whose record cannot be read.
    package init(damaged originalTransactionID: String) {
        self.init(originalTransactionID)
        isDamaged = true
    }

    /// What can be seen of a purchase.
    package init(_ lineage: Lineage, askedAt: Milliseconds?) {
        self.init(lineage.originalTransactionID)
        self.askedAt = askedAt
        if let renewal = lineage.renewal {
            (renewalSigned, end) = (renewal.signedDate.milliseconds, renewal.renewalDate?.milliseconds)
            (willRenew, isInRetry) = (renewal.willRenew, renewal.isInBillingRetry)
            graceDate = renewal.gracePeriodExpiresDate?.milliseconds
        }
        let latest = lineage.transactions.max { ($0.expiresDate ?? .distantPast) < ($1.expiresDate ?? .distantPast) }
        guard let latest else { return }
        end = [end, latest.expiresDate?.milliseconds].compactMap(\.self).max()
        isRevoked = latest.revocationDate != nil
    }
}
