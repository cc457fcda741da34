public import Foundation

/// How the time of a simulated App Store passes.
@nonexhaustive
public enum ClockMode: Sendable, Hashable, Codable {
    /// As everywhere.
    case real
    /// As everywhere, but subscriptions last as long as this rate says.
    case accelerated(RenewalRate)
    /// Not at all, but by command. It begins at this instant.
    case frozen(Date)

    /// Whether time passes by command only.
    public var isFrozen: Bool { if case .frozen = self { true } else { false } }
}

/// The one clock of both environments. It never goes back, whatever the system's clock does.
package struct SimulatedClock: Sendable, Codable {
    package let mode: ClockMode
    /// How far it is ahead of the real time.
    private var offset: TimeInterval = 0
    /// The latest time that it is known to have shown; if it is frozen, the time that it shows.
    private var shown: Date

    package init(_ mode: ClockMode, real: Date) {
        self.mode = mode
        if case .frozen(let date) = mode { shown = date.wholeMilliseconds } else { shown = real.wholeMilliseconds }
    }

    package var isFrozen: Bool { mode.isFrozen }

    /// What it shows when the real time is `real`.
    package func now(real: Date = Date()) -> Date {
        isFrozen ? shown : max(shown, (real + offset).wholeMilliseconds)
    }

    /// Puts it forward.
    package mutating func advance(to date: Date, real: Date = Date()) {
        let distance = date.timeIntervalSince(now(real: real))
        guard distance > 0 else { return }
        if !isFrozen { offset += distance }
        shown = date
    }

    /// Notes what it shows, so that a copy knows.
    mutating func hold(real: Date = Date()) { shown = now(real: real) }

    /// A clock of another mode that goes on from the time that this one has shown.
    func resumed(as mode: ClockMode, real: Date = Date()) -> SimulatedClock {
        var clock = SimulatedClock(mode, real: real)
        clock.shown = shown
        if !mode.isFrozen { clock.offset = shown.timeIntervalSince(real) }
        return clock
    }
}
