package import Foundation

/// A billing grace period that a renewal info named. Renewal infos that are signed after its end no longer do.
package struct GracePeriod: Sendable, Hashable {
    /// `originalTransactionId` of the subscription.
    package var originalTransactionID: String
    /// `renewalDate`, the end of the period that was paid last.
    package var start: Date
    /// `gracePeriodExpiresDate`.
    package var end: Date

    package init(originalTransactionID: String, start: Date, end: Date) {
        (self.originalTransactionID, self.start, self.end) = (originalTransactionID, start, end)
    }
}

extension RenewalFact {
    /// The grace period that the renewal info names; nil if there is none, and for receipts, which do not contain its
    /// beginning.
    package var gracePeriod: GracePeriod? {
        guard let start = renewalDate, let end = gracePeriodExpiresDate else { return nil }
        return GracePeriod(originalTransactionID: originalTransactionID, start: start, end: end)
    }
}
