internal import AsyncHTTPClient
internal import Basics
package import Foundation
internal import Ledger
internal import NIOCore
internal import NIOHTTP1
internal import ServiceLifecycle
internal import Synchronization

/// The server's clock: the system's clock, or that of a simulated App Store, in which a year can pass in seconds.
package struct ServerClock: Sendable {
    /// Returns the current time.
    package let now: @Sendable () -> Date
    /// The simulator's clock that this clock follows; nil for the system's clock.
    package let followed: FollowedClock?
    /// Whether the clock runs evenly; nil for a clock that may jump.
    let steadiness: ClockSteadiness?

    /// The system's clock.
    package static let system = ServerClock(
        now: { Date() }, followed: nil, steadiness: ClockSteadiness(showing: Date()))

    /// Returns a clock that shows the result of `now`, for tests.
    package static func showing(
        _ now: @escaping @Sendable () -> Date, steadiness: ClockSteadiness? = nil
    ) -> ServerClock {
        ServerClock(now: now, followed: nil, steadiness: steadiness)
    }

    /// Whether the clock is steady: see ``ClockSteadiness``. A simulator's clock always is: its jumps are intended.
    package var isSteady: Bool { steadiness?.isSteady(showing: now()) ?? true }

    /// Returns the arrival time of data that the App Store signed at `instant`. A followed simulator's clock is
    /// advanced to that instant first, because it may have jumped since it was last read.
    package func arrival(ofSigned instant: Date) -> Date {
        followed?.advance(to: instant)
        return now()
    }

    /// Returns a clock that follows the simulator with this control URL.
    ///
    /// - Parameter onDelay: Called once if the simulator has not answered after a second.
    package static func following(
        _ controlURL: String, onDelay: @escaping @Sendable () -> Void = {}
    ) async throws -> ServerClock {
        let clock = FollowedClock(controlURL)
        let delay = Task {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
            onDelay()
        }
        defer { delay.cancel() }
        var attempt = 1
        while true {
            do {
                try await clock.read()
                return ServerClock(now: { clock.now() }, followed: clock, steadiness: nil)
            } catch {
                // The simulator may be starting at the same time, or be busy.
                guard attempt < 4 else { throw error }
                attempt += 1
                try await Task.sleep(for: .milliseconds(250))
            }
        }
    }
}

extension ServerClock {
    /// The interval at which ``wait(for:)`` checks for a jump.
    private static let slice = Duration.milliseconds(250)
    /// The deviation from elapsed time, in seconds, that counts as a jump. Smaller ones may be delays in reading the
    /// clock.
    private static let jump = 1.0

    /// Waits for `pause` of real time, or until the clock jumps, as a simulator's clock does and as the system's clock
    /// does when it is corrected. A frozen clock does not extend the wait.
    ///
    /// - Returns: Whether the clock jumped. A caller that waits for an instant must then check the time again.
    /// - Throws: `CancellationError`.
    @discardableResult
    package func wait(for pause: Duration) async throws -> Bool {
        let (begun, start) = (now(), ContinuousClock.now)
        var (shown, seen) = (begun, start)
        while seen < start + pause {
            try await Task.sleep(until: min(start + pause, seen + Self.slice))
            let (time, instant) = (now(), ContinuousClock.now)
            // A jump within the last slice, or a clock that runs faster since the start.
            let isAhead =
                time.timeIntervalSince(shown) > seen.duration(to: instant).seconds + Self.jump
                || time.timeIntervalSince(begun) > start.duration(to: instant).seconds + Self.jump
            if isAhead || time.timeIntervalSince(begun) < -Self.jump { return true }
            (shown, seen) = (time, instant)
        }
        return false
    }

    /// Returns a pause that begins now.
    package func pause(of length: Duration) -> Pause {
        Pause(end: .now + length, begun: now().milliseconds, length: Milliseconds(length.seconds * 1000))
    }

    /// Whether a pause is over, in real time or by this clock. Also true if the clock was set back before its start.
    package func isOver(_ pause: Pause) -> Bool {
        let passed = now().milliseconds - pause.begun
        return pause.end <= .now || passed >= pause.length || passed < 0
    }

    /// A pause before a failed operation is tried again.
    package struct Pause: Sendable {
        fileprivate var end: ContinuousClock.Instant
        fileprivate var begun: Milliseconds
        fileprivate var length: Milliseconds

        /// The remaining real time, unless the clock jumps.
        package var remaining: Duration { ContinuousClock.now.duration(to: end) }

        /// The end of the pause by the server's clock, unless the clock jumps.
        var until: Milliseconds { begun + length }
    }
}

/// Follows the clock of a simulator. It reads the clock four times a second and extrapolates in between, unless the
/// simulator's clock is frozen.
package final class FollowedClock: Service {
    private struct Reading {
        var shown: Date
        var readAt: ContinuousClock.Instant
        var mode: String

        func shown(at instant: ContinuousClock.Instant) -> Date {
            mode == "frozen" ? shown : shown + readAt.duration(to: instant).seconds
        }
    }

    private struct ClockResponse: Decodable {
        var now: Milliseconds
        var mode: String
        /// The date of the newest signature. While the clock is frozen, the simulator signs each change a millisecond
        /// after the previous one, so this may be later than `now`.
        var lastSigned: Milliseconds?
    }

    private let url: String
    private let timeout: Duration
    private let reading = Mutex<Reading?>(nil)

    /// - Parameter timeout: The time limit of one reading.
    package init(_ controlURL: String, timeout: Duration = .seconds(5)) {
        (url, self.timeout) = (controlURL + "/clock", timeout)
    }

    package func now() -> Date {
        reading.withLock { reading in
            reading?.shown(at: .now) ?? Date()
        }
    }

    /// Advances the clock to an instant that the simulator's clock has reached. Never sets it back.
    package func advance(to instant: Date) {
        reading.withLock { reading in
            guard let last = reading, last.shown(at: .now) < instant else { return }
            reading = Reading(shown: instant, readAt: .now, mode: last.mode)
        }
    }

    /// The mode of the simulator's clock, such as `frozen`; nil before the first read.
    package var mode: String? { reading.withLock { $0?.mode } }

    /// Reads the simulator's clock. Afterwards this clock shows at least the date of the newest signature. Otherwise,
    /// work due at that date would stay in the future while the simulator's clock is frozen.
    package func read() async throws {
        let before = reading.withLock { $0?.readAt }
        let response = try await TimeLimit.run(timeout) { [url] in
            let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), deadline: .distantFuture)
            guard response.status == .ok else { throw Unreadable() }
            let body = try await response.body.collect(upTo: 1 << 16)
            return try JSONDecoder().decode(ClockResponse.self, from: Data(body.readableBytesView))
        }
        guard let response else { throw Unreadable() }
        let shown = Date(milliseconds: max(response.now, response.lastSigned ?? response.now))
        reading.withLock { reading in
            // If a notification advanced the clock meanwhile, this response may be older.
            guard reading?.readAt == before else { return }
            reading = Reading(shown: shown, readAt: .now, mode: response.mode)
        }
    }

    /// Follows the simulator's clock until the server shuts down.
    package func run() async throws { await cancelWhenGracefulShutdown { await self.follow() } }

    private func follow() async {
        while !Task.isCancelled {
            do { try await read() } catch {
                // The clock keeps extrapolating until the simulator answers again.
            }
            do { try await Task.sleep(for: .milliseconds(250)) } catch { return }
        }
    }

    private struct Unreadable: Error {}
}
