/// The state of the ledger that decides whether events can be published in order yet. With several writers a lower row
/// identifier may be committed later: then an event is published too early, and repeated after the late one.
package struct FanOutStatus: Sendable, Hashable {
    /// The lowest row identifier of a pending notification, without different texts.
    package var oldestWaiting: Int64?
    /// The highest row identifier of a notification; 0 without any.
    package var newest: Int64
    /// The row identifiers of the open recoveries of all scopes.
    package var recoveries: Set<Int64>

    package init(oldestWaiting: Int64? = nil, newest: Int64, recoveries: Set<Int64>) {
        self.oldestWaiting = oldestWaiting
        self.newest = newest
        self.recoveries = recoveries
    }
}

/// The events that must wait, because older ones may be about to become known.
package struct FanOutLimit: Sendable, Hashable {
    /// Events of notifications after this one wait.
    package var after: Int64
    /// Whether the events of recovered notifications wait.
    package var holdsRecovered: Bool

    package init(after: Int64, holdsRecovered: Bool) {
        (self.after, self.holdsRecovered) = (after, holdsRecovered)
    }

    /// No event waits.
    package static let none = FanOutLimit(after: .max, holdsRecovered: false)

    /// Whether an event waits.
    ///
    /// - Parameters:
    ///   - notification: The notification that the event comes from. An event without one never waits.
    ///   - origin: Returns the origin of the notification; nil if the ledger does not have it, as in a damaged row. Then
    ///     the event does not wait, because nothing would end that. Called only if it decides.
    package func holds(eventOf notification: Int64?, origin: (Int64) throws -> Origin?) rethrows -> Bool {
        guard let notification else { return false }
        if notification > after { return try origin(notification) != nil }
        return try holdsRecovered && origin(notification) == .recovered
    }
}

/// Holds events back while older ones are about to become known: a recovery reads windows in parallel and urgent types
/// first, and two workers process notifications in parallel.
///
/// The gate only reduces repetitions (``ResendDecision``), so it never holds events back for long, even if a recovery
/// or a notification is stuck.
package struct FanOutGate {
    /// How long a recovery, and the processing of its notifications, may hold events back.
    private static let longestRecovery = Duration.seconds(60)
    /// How long one unprocessed notification may hold back the events after it.
    private static let longestProcessing = Duration.seconds(5)
    /// How long sending may be suspended because there are always more events to sort.
    private static let longestCatchUp = Duration.seconds(60)

    package init() {}

    private var recoveries: [Int64: ContinuousClock.Instant] = [:]
    /// The notification up to which everything has to be processed, and the deadline for it.
    private var drain: (through: Int64, until: ContinuousClock.Instant)?
    private var oldest: (notification: Int64, since: ContinuousClock.Instant)?
    private var catchingUpSince: ContinuousClock.Instant?

    package mutating func limit(_ status: FanOutStatus, at now: ContinuousClock.Instant) -> FanOutLimit {
        let waiting = waiting(status, now)
        // Also events of notifications that arrive after the status was read wait: older ones may be unprocessed.
        return FanOutLimit(after: waiting ?? status.newest, holdsRecovered: holdsRecovered(status, waiting, now))
    }

    /// Records the progress of the fan-out.
    package mutating func record(_ progress: FanOutProgress, at now: ContinuousClock.Instant) {
        catchingUpSince = progress == .more ? catchingUpSince ?? now : nil
    }

    /// Whether sending is suspended because more events have to be sorted first.
    package func isCatchingUp(at now: ContinuousClock.Instant) -> Bool {
        catchingUpSince.map { now - $0 < Self.longestCatchUp } ?? false
    }

    /// Returns the oldest unprocessed notification; nil if it is stuck.
    private mutating func waiting(_ status: FanOutStatus, _ now: ContinuousClock.Instant) -> Int64? {
        guard let waiting = status.oldestWaiting else {
            oldest = nil
            return nil
        }
        guard let oldest, oldest.notification == waiting else {
            oldest = (waiting, now)
            return waiting
        }
        return now - oldest.since < Self.longestProcessing ? waiting : nil
    }

    /// Whether recovered events wait: while a recovery runs, and then until everything that it stored is processed.
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
