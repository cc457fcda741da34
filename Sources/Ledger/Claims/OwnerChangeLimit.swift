/// Limits how often a purchase, an Apple account or a grant changes its owner.
///
/// The logs of these changes only grow, and each change reads the log of its subject while notifications wait. Without
/// a limit, two customers who keep taking a purchase from each other would fill the disk and stop the server.
package enum OwnerChangeLimit {
    /// The maximum number of changes in a day.
    package static let perDay = 100

    private static let day: Milliseconds = 86_400_000

    /// Whether so many changes happened in the day before an instant that no further one is made.
    ///
    /// - Parameter instants: The instants of the changes, in ascending order.
    static func isReached(_ instants: some BidirectionalCollection<Milliseconds>, at now: Milliseconds) -> Bool {
        instants.dropLast(perDay - 1).last.map { $0 > now - day } ?? false
    }
}
