internal import Synchronization

/// A token bucket with a capacity of one second or one hour. Its state is one number: the instant at which it is full
/// again.
package final class RateMeter: Sendable {
    private let fullAgain = Atomic<Int64>(0)
    /// The nanoseconds in which the bucket fills.
    private let capacity: Int64
    /// The nanoseconds in which one token is added.
    private let interval: Int64

    package convenience init(perSecond: Int) { self.init(perSecond, in: 1_000_000_000) }

    package convenience init(perHour: Int) { self.init(perHour, in: 3_600_000_000_000) }

    private init(_ count: Int, in period: Int64) {
        capacity = period
        interval = period / max(1, min(Int64(count), period))
    }

    /// Takes one token. Returns nil on success, or else the milliseconds until a token is available.
    ///
    /// - Parameter now: Nanoseconds of a monotonic clock, see ``now``.
    package func take(at now: Int64) -> Int? {
        var known = fullAgain.load(ordering: .relaxed)
        while true {
            let next = max(known, now) + interval
            guard next - now <= capacity else { return Int((next - now - capacity) / 1_000_000) + 1 }
            let (isDone, found) = fullAgain.compareExchange(expected: known, desired: next, ordering: .relaxed)
            if isDone { return nil }
            known = found
        }
    }

    /// Subtracts `count` tokens, at most 1000. The balance may become negative; later refills cover it.
    package func charge(_ count: Int, at now: Int64) {
        let cost = Int64(max(0, min(count, 1000))) * interval
        guard cost > 0 else { return }
        var known = fullAgain.load(ordering: .relaxed)
        while true {
            let (isDone, found) = fullAgain.compareExchange(
                expected: known, desired: max(known, now) + cost, ordering: .relaxed)
            if isDone { return }
            known = found
        }
    }

    /// The time for ``take(at:)`` and ``charge(_:at:)``, in nanoseconds.
    package static var now: Int64 {
        let since = start.duration(to: .now).components
        return since.seconds * 1_000_000_000 + since.attoseconds / 1_000_000_000
    }

    private static let start = ContinuousClock.now
}

/// A fixed number of meters for any number of names. Names with the same hash share a meter.
package struct RateMeters: Sendable {
    private let meters: [RateMeter]

    package init(perSecond: Int) { meters = (0..<1024).map { _ in RateMeter(perSecond: perSecond) } }

    package subscript(name: String) -> RateMeter? {
        // Swift seeds hashes at random, so a client cannot choose a name that shares another client's meter.
        var hasher = Hasher()
        hasher.combine(name)
        let place = Int(hasher.finalize().magnitude % UInt(max(meters.count, 1)))
        return meters.indices.contains(place) ? meters[place] : nil
    }
}
