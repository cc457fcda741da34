/// Limits how often a purchase, an Apple account or a grant changes its owner.
///
/// The logs of these changes only grow, and each change reads the log of its subject while notifications wait. Without
/// a limit, two customers who keep taking a purchase from each other would fill the disk and stop the server.
enum OwnerChangeLimit {
    /// The number of events in a day after which no further change is made. A change that keeps other owners adds an
    /// event for each of them and counts as many, because the length of the log is what costs.
    private static let perDay = 100

    private static let day: Milliseconds = 86_400_000

    /// Whether so many events happened in the day before an instant that no further change is made.
    ///
    /// Events with a later instant, from a clock that was ahead, count too. Nothing tells when they happened, and later
    /// changes get later instants still: without them, there would be no limit until that date. The team can still make
    /// a change.
    ///
    /// - Parameter instants: The instants of the events, in ascending order.
    static func isReached(_ instants: some BidirectionalCollection<Milliseconds>, at now: Milliseconds) -> Bool {
        instants.dropLast(perDay - 1).last.map { $0 > now - day } ?? false
    }
}
