internal import ServiceLifecycle
internal import Basics
internal import Ledger
internal import AsyncHTTPClient
package import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// The server's time: the system's, or, to rehearse, that of a simulated App Store, in which a year can pass in seconds.
package struct ServerClock: Sendable {
    /// What it shows.
    package let now: @Sendable () -> Date
    /// The simulator's clock that it follows.
    package let followed: FollowedClock?

    /// The system's clock.
    package static let system = ServerClock(now: { Date() }, followed: nil)

    /// A clock that shows what `now` says: for tests.
    package static func showing(_ now: @escaping @Sendable () -> Date) -> ServerClock {
        ServerClock(now: now, followed: nil)
    }

    /// The time at which something arrived that the App Store signed at an instant. A simulator has reached that instant, even
    /// where its clock has jumped and was not read since.
    package func arrival(ofSigned instant: Date) -> Date {
        followed?.reach(instant)
        return now()
    }

    private init(now: @escaping @Sendable () -> Date, followed: FollowedClock?) {
        self.now = now
        self.followed = followed
    }

    /// A clock that follows the simulator whose control URL this is.
    package static func following(_ controlURL: String) async throws -> ServerClock {
        let clock = FollowedClock(controlURL)
        var attempt = 1
        while true {
            do {
                try await clock.read()
                return ServerClock(now: { clock.now() }, followed: clock)
            } catch {
                // It may be about to start beside the server, or be busy.
                guard attempt < 4 else { throw error }
                attempt += 1
                try await Task.sleep(for: .milliseconds(250))
            }
        }
    }
}

extension ServerClock {
    /// How soon a jump is noticed.
    private static let slice = Duration.milliseconds(250)
    /// By how much the clock has to go other than time does, for that to be a jump: it may be read late.
    private static let jump = 1.0

    /// Waits: for so long, or until the clock jumps, as a simulator's does and as the system's does when it is put right. A
    /// clock that stands still does not keep anybody waiting.
    ///
    /// - Returns: Whether it jumped. Whoever waits for an instant then looks again what time it is.
    /// - Throws: `CancellationError`.
    @discardableResult
    package func wait(for pause: Duration) async throws -> Bool {
        let (begun, start) = (now(), ContinuousClock.now)
        var (shown, seen) = (begun, start)
        while seen < start + pause {
            try await Task.sleep(until: min(start + pause, seen + Self.slice))
            let (time, instant) = (now(), ContinuousClock.now)
            // All at once, or little by little, as a clock does that goes faster.
            let isAhead =
                time.timeIntervalSince(shown) > seen.duration(to: instant).seconds + Self.jump
                || time.timeIntervalSince(begun) > start.duration(to: instant).seconds + Self.jump
            if isAhead || time.timeIntervalSince(begun) < -Self.jump { return true }
            (shown, seen) = (time, instant)
        }
        return false
    }

    /// A pause that begins now.
    package func pause(of length: Duration) -> Pause {
        Pause(end: .now + length, begun: now().milliseconds, length: Milliseconds(length.seconds * 1000))
    }

    /// Whether a pause is over: really, or by the clock if that has jumped.
    package func isOver(_ pause: Pause) -> Bool {
        let passed = now().milliseconds - pause.begun
        return pause.end <= .now || passed >= pause.length || passed < 0
    }

    /// Before something that failed is tried again.
    package struct Pause: Sendable {
        fileprivate var end: ContinuousClock.Instant
        fileprivate var begun: Milliseconds
        fileprivate var length: Milliseconds

        /// How long it lasts unless the clock jumps.
        package var remaining: Duration { ContinuousClock.now.duration(to: end) }

        /// When it ends by the clock, if that goes on as time does.
        var until: Milliseconds { begun + length }
    }
}

/// Follows the clock of a simulator: asks it often, and goes on by itself in between unless it is frozen.
package final class FollowedClock: Service {
    private struct Reading {
        var shown: Date
        var taken: ContinuousClock.Instant
        var mode: String

        func shown(at instant: ContinuousClock.Instant) -> Date {
            mode == "frozen" ? shown : shown + taken.duration(to: instant).seconds
        }
    }

    private struct Answer: Decodable {
        var now: Milliseconds
        var mode: String
        /// While its clock stands still, the simulator signs each change a millisecond later than the one before.
        var lastSigned: Milliseconds?
    }

    private let url: String
    private let reading = Mutex<Reading?>(nil)

    package init(_ controlURL: String) { url = controlURL + "/clock" }

    package func now() -> Date {
        reading.withLock { reading in
            reading?.shown(at: .now) ?? Date()
        }
    }

    /// Goes on from an instant that the simulator's clock has reached.
    package func reach(_ instant: Date) {
        reading.withLock { reading in
            guard let last = reading, last.shown(at: .now) < instant else { return }
            reading = Reading(shown: instant, taken: .now, mode: last.mode)
        }
    }

    /// How the simulator's clock goes, in its own word such as `frozen`; nil before it was read.
    package var mode: String? { reading.withLock { $0?.mode } }

    /// Asks the simulator. Afterwards the clock shows at least the instant at which the simulator signed last: what became due
    /// when that arrived would otherwise lie in the future for as long as the simulator's clock stands still.
    package func read() async throws {
        let before = reading.withLock { $0?.taken }
        let answer = try await TimeLimit.run(.seconds(5)) { [url] in
            let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), deadline: .distantFuture)
            guard response.status == .ok else { throw Unreadable() }
            let body = try await response.body.collect(upTo: 1 << 16)
            return try JSONDecoder().decode(Answer.self, from: Data(body.readableBytesView))
        }
        guard let answer else { throw Unreadable() }
        let shown = Date(milliseconds: max(answer.now, answer.lastSigned ?? answer.now))
        reading.withLock { reading in
            // What has arrived meanwhile may be newer than this answer.
            guard reading?.taken == before else { return }
            reading = Reading(shown: shown, taken: .now, mode: answer.mode)
        }
    }

    /// Follows until the server ends.
    package func run() async throws { await cancelWhenGracefulShutdown { await self.follow() } }

    private func follow() async {
        while !Task.isCancelled {
            do { try await read() } catch {
                // Until the simulator answers again the clock goes on as it did.
            }
            do { try await Task.sleep(for: .milliseconds(250)) } catch { return }
        }
    }

    private struct Unreadable: Error {}
}
