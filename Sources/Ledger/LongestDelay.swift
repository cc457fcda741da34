/// The longest time for which work of a kind is put off.
///
/// If the clock was ahead when work was put off, the work waits until the clock has come there again, perhaps for
/// years. So work that would have to wait for longer than this is due at once.
package struct LongestDelay: Sendable, Hashable {
    package let milliseconds: Milliseconds

    private init(_ milliseconds: Milliseconds) { self.milliseconds = milliseconds }

    /// A delivery waits for its next attempt.
    package static let delivery = LongestDelay(RetrySchedule.longestPause)
    /// A history waits until the App Store is asked for it again.
    package static let historyRequest = LongestDelay(86_400_000)
    /// A question of the App Store before a refund waits for an attempt, or for somebody's word.
    package static let inquiry = LongestDelay(3_600_000)

    /// The last instant that work can wait for.
    package func horizon(at now: Milliseconds) -> Milliseconds {
        let (last, overflow) = now.addingReportingOverflow(milliseconds)
        return overflow ? .max : last
    }

    /// Whether work that waits for an instant is due.
    package func isOver(_ instant: Milliseconds, at now: Milliseconds) -> Bool {
        instant <= now || instant > horizon(at: now)
    }
}
