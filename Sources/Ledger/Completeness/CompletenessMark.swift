/// The interval in which no signed notification of a scope is missing. Recovery proves it: it has read and verified
/// every page of the notification history in the interval.
package struct CompletenessMark: Sendable, Hashable {
    package var scope: Int64
    /// The beginning of the interval.
    package var since: Milliseconds
    /// The end of the interval: before the first notification that could not be verified.
    package var until: Milliseconds
    /// When the history was read.
    package var checkedAt: Milliseconds
    /// The end of the history that was read, verified or not.
    package var readUntil: Milliseconds
    /// The signing date of the newest notification that was read; nil if there was none. The date comes from the App
    /// Store's clock, so the history was certainly read up to there, even if the server's clock was wrong.
    package var signedUntil: Milliseconds?

    package init(
        scope: Int64, since: Milliseconds, until: Milliseconds, checkedAt: Milliseconds,
        readUntil: Milliseconds? = nil, signedUntil: Milliseconds? = nil
    ) {
        self.scope = scope
        self.since = since
        self.until = until
        self.checkedAt = checkedAt
        self.readUntil = readUntil ?? until
        self.signedUntil = signedUntil
    }

    /// Whether the interval is empty.
    package var isEmpty: Bool { until < since }

    /// Returns the part of the mark that is valid if the clock shows `now`. If the clock showed a later time when the
    /// history was read, one of the two is wrong, so only the App Store's own dates count.
    package func validPart(at now: Milliseconds) -> CompletenessMark {
        guard now + RecoveryPlan.historyDelay < checkedAt else { return self }
        var mark = self
        mark.readUntil = min(readUntil, signedUntil ?? since - 1)
        mark.until = min(until, mark.readUntil)
        return mark
    }
}
