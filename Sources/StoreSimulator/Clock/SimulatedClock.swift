public import Foundation

/// How the time of a simulated App Store passes.
public enum ClockMode: Sendable, Hashable, Codable {
    /// As everywhere.
    case real
    /// As everywhere, but subscriptions last as long as this rate says.
    case accelerated(RenewalRate)
    /// Not at all, but by command. It begins at this instant.
    case frozen(Date)
}

/// The one clock of both environments.
package struct SimulatedClock: Sendable, Codable {
    package let mode: ClockMode
    /// How far it has been put forward, or, if it is frozen, the time that it shows.
    private var offset: TimeInterval = 0
    private var instant: Date

    package init(_ mode: ClockMode, real: Date) {
        self.mode = mode
        if case .frozen(let date) = mode { instant = date.wholeMilliseconds } else { instant = real }
    }

    package var isFrozen: Bool { if case .frozen = mode { true } else { false } }

    /// What it shows when the real time is `real`.
    package func now(real: Date = Date()) -> Date { isFrozen ? instant : (real + offset).wholeMilliseconds }

    /// Puts it forward. It never goes back.
    package mutating func advance(to date: Date, real: Date = Date()) {
        let distance = date.timeIntervalSince(now(real: real))
        guard distance > 0 else { return }
        if isFrozen { instant = date } else { offset += distance }
    }
}
