/// The longest delay before the next attempt, for each kind of work.
///
/// If the clock was ahead when an attempt was scheduled, its due time may be years in the future. So work that is
/// scheduled further ahead than this limit is due at once.
package struct LongestDelay: Sendable, Hashable {
    package let milliseconds: Milliseconds

    private init(_ milliseconds: Milliseconds) { self.milliseconds = milliseconds }

    /// The next attempt of a webhook delivery.
    package static let delivery = LongestDelay(RetrySchedule.longestPause)
    /// The next request for a transaction history to the App Store.
    package static let historyRequest = LongestDelay(86_400_000)
    /// The next attempt to answer a consumption request, with or without new information.
    package static let inquiry = LongestDelay(3_600_000)

    /// Returns the instants for which work is scheduled that is due, in the order in which it is done: up to now, then
    /// after the latest instant for which work can be scheduled.
    package func dueTimes(at now: Milliseconds) -> [ClosedRange<Milliseconds>] {
        let (horizon, overflow) = now.addingReportingOverflow(milliseconds)
        let past = Milliseconds.min...now
        return overflow || horizon == .max ? [past] : [past, horizon + 1...Milliseconds.max]
    }
}
