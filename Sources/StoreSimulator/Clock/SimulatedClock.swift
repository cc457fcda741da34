public import Foundation

/// How time passes in a simulated App Store.
@nonexhaustive
public enum ClockMode: Sendable, Hashable, Codable {
    /// Real time.
    case real
    /// Real time, but subscriptions renew at this rate.
    case accelerated(RenewalRate)
    /// Time stands still at this instant and advances only by command.
    case frozen(Date)

    /// Whether time advances only by command.
    public var isFrozen: Bool { if case .frozen = self { true } else { false } }
}

/// The clock of both environments. It never goes back, even if the system clock does: then it continues from the time
/// that it has shown.
package struct SimulatedClock: Sendable, Codable {
    package let mode: ClockMode
    /// The offset to the real time.
    private var offset: TimeInterval = 0
    /// The latest time that the clock has shown; if it is frozen, the current time.
    private var latest: Date

    package init(_ mode: ClockMode, real: Date) {
        self.mode = mode
        if case .frozen(let date) = mode { latest = date.wholeMilliseconds } else { latest = real.wholeMilliseconds }
    }

    package var isFrozen: Bool { mode.isFrozen }

    /// Returns the simulated time at the real time `real`.
    package func now(real: Date = Date()) -> Date {
        isFrozen ? latest : max(latest, (real + offset).wholeMilliseconds)
    }

    /// Advances the clock to `date`. Does nothing if that is not in the future.
    package mutating func advance(to date: Date, real: Date = Date()) {
        guard date > now(real: real) else { return }
        continueFrom(date, real: real)
    }

    /// Stores the current time, so that it is part of copies and snapshots, and so that the clock continues from there
    /// after the system clock was set back.
    mutating func recordTime(real: Date = Date()) {
        let shown = self.now(real: real)
        if shown > (real + offset).wholeMilliseconds { continueFrom(shown, real: real) } else { latest = shown }
    }

    private mutating func continueFrom(_ date: Date, real: Date) {
        if !isFrozen { offset = date.timeIntervalSince(real) }
        latest = date
    }

    /// Returns a clock of another mode that continues from the latest time this one has shown.
    func resumed(as mode: ClockMode, real: Date = Date()) -> SimulatedClock {
        var clock = SimulatedClock(mode, real: real)
        clock.continueFrom(latest, real: real)
        return clock
    }
}
