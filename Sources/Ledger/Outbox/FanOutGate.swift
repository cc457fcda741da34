/// What of the ledger says whether events can be told in their order yet.
package struct FanOutStatus: Sendable, Hashable {
    /// The oldest notification that is kept and not folded.
    package var oldestWaiting: Int64?
    /// The newest notification that is kept.
    package var newest: Int64
    /// The recoveries under way that close gaps.
    package var recoveries: Set<Int64>

    package init(oldestWaiting: Int64? = nil, newest: Int64, recoveries: Set<Int64>) {
        self.oldestWaiting = oldestWaiting
        self.newest = newest
        self.recoveries = recoveries
    }
}

/// Which events have to wait for a moment, because older ones may be about to become known.
package struct FanOutLimit: Sendable, Hashable {
    /// The events of notifications that came after this one wait.
    package var after: Int64
    /// The events of notifications that a recovery found wait.
    package var holdsRecovered: Bool

    package init(after: Int64, holdsRecovered: Bool) {
        (self.after, self.holdsRecovered) = (after, holdsRecovered)
    }

    /// Nothing waits.
    package static let none = FanOutLimit(after: .max, holdsRecovered: false)
}

/// Holds events back while older ones are about to become known: a recovery reads its windows side by side and what matters
/// most first, and two workers fold side by side.
///
/// It only makes repetitions rare (``DeliveryLanes``), so it never holds for long: what is stuck does not hold up the rest.
package struct FanOutGate {
    /// How long a recovery, and the folding of what it found, may hold events up.
    package static let longestRecovery = Duration.seconds(60)
    /// How long one notification that is not folded may hold up those after it.
    package static let longestFold = Duration.seconds(5)
    /// How long nothing goes because there are always more events to put in order.
    package static let longestCatchUp = Duration.seconds(60)

    package init() {}

    private var recoveries: [Int64: ContinuousClock.Instant] = [:]
    /// Up to which notification all has to be folded, and until when that is waited for.
    private var drain: (through: Int64, until: ContinuousClock.Instant)?
    private var oldest: (notification: Int64, since: ContinuousClock.Instant)?
    private var catchingUpSince: ContinuousClock.Instant?

    package mutating func limit(_ status: FanOutStatus, at now: ContinuousClock.Instant) -> FanOutLimit {
        let waiting = waiting(status, now)
        return FanOutLimit(after: waiting ?? .max, holdsRecovered: holdsRecovered(status, waiting, now))
    }

    /// Records how far making deliveries has come.
    package mutating func record(_ progress: FanOutProgress, at now: ContinuousClock.Instant) {
        catchingUpSince = progress == .more ? catchingUpSince ?? now : nil
    }

    /// Whether there are more events to put in order before anything goes.
    package func isCatchingUp(at now: ContinuousClock.Instant) -> Bool {
        catchingUpSince.map { now - $0 < Self.longestCatchUp } ?? false
    }

    /// The oldest that is not folded, unless it is stuck.
    private mutating func waiting(_ status: FanOutStatus, _ now: ContinuousClock.Instant) -> Int64? {
        guard let waiting = status.oldestWaiting else {
            oldest = nil
            return nil
        }
        guard let oldest, oldest.notification == waiting else {
            oldest = (waiting, now)
            return waiting
        }
        return now - oldest.since < Self.longestFold ? waiting : nil
    }

    /// While a recovery reads, and then until what was kept by its end is folded.
    private mutating func holdsRecovered(
        _ status: FanOutStatus, _ waiting: Int64?, _ now: ContinuousClock.Instant
    ) -> Bool {
        recoveries = recoveries.filter { status.recoveries.contains($0.key) }
        for recovery in status.recoveries where recoveries[recovery] == nil { recoveries[recovery] = now }
        if recoveries.values.contains(where: { now - $0 < Self.longestRecovery }) {
            drain = (status.newest, now + Self.longestRecovery)
            return true
        }
        guard let waiting else {
            drain = nil
            return false
        }
        let drain = drain ?? (status.newest, now + Self.longestRecovery)
        let isDraining = waiting <= drain.through && now < drain.until
        self.drain = isDraining ? drain : nil
        return isDraining
    }
}
