internal import Foundation
internal import Synchronization

/// A token bucket that holds as much as comes in a second, as one number: the instant at which it would be full again.
package final class RateMeter: Sendable {
    private let fullAgain = Atomic<Int64>(0)
    private let interval: Int64

    package init(perSecond: Int) { interval = 1_000_000_000 / Int64(max(1, min(perSecond, 1_000_000_000))) }

    /// Takes one; nil if there is one, else how many milliseconds it takes until there is.
    ///
    /// - Parameter now: Nanoseconds of a clock that only goes forward.
    package func take(at now: Int64) -> Int? {
        let capacity: Int64 = max(1_000_000_000, interval)
        var known = fullAgain.load(ordering: .relaxed)
        while true {
            let next = max(known, now) + interval
            guard next - now <= capacity else { return Int((next - now - capacity) / 1_000_000) + 1 }
            let (isDone, found) = fullAgain.compareExchange(expected: known, desired: next, ordering: .relaxed)
            if isDone { return nil }
            known = found
        }
    }

    /// Takes so many, whether they are there or not: what has been done is paid for by what comes in later.
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

    /// The clock that meters go by.
    package static var now: Int64 {
        let since = start.duration(to: .now).components
        return since.seconds * 1_000_000_000 + since.attoseconds / 1_000_000_000
    }

    private static let start = ContinuousClock.now
}

/// Meters for more customers than anybody wants to remember: those whose names come to the same place share one.
package struct RateMeters: Sendable {
    private let meters: [RateMeter]

    package init(perSecond: Int) { meters = (0..<1024).map { _ in RateMeter(perSecond: perSecond) } }

    package subscript(name: String) -> RateMeter? {
        // Hashes are seeded at random: nobody can choose a name that shares a meter with somebody else's.
        var hasher = Hasher()
        hasher.combine(name)
        let place = Int(hasher.finalize().magnitude % UInt(max(meters.count, 1)))
        return meters.indices.contains(place) ? meters[place] : nil
    }
}
