package import Foundation
internal import Synchronization

/// A clock that moves only when a test moves it or, if `skipsSleeps` is true, jumps to the deadline of each sleep.
package final class ManualClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        package var offset: Duration
        package func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        package func duration(to other: Self) -> Duration { other.offset - offset }
        package static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var lastID = 0
        var sleepers: [Sleeper] = []
        var sleepDurations: [Duration] = []
    }

    private let skipsSleeps: Bool
    private let state = Mutex(State())

    package init(skipsSleeps: Bool = false) { self.skipsSleeps = skipsSleeps }

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// The requested durations of all sleeps so far.
    package var sleepDurations: [Duration] { state.withLock { $0.sleepDurations } }

    /// The clock's time as a date. It starts on 14 November 2023.
    package var date: Date {
        let parts = now.offset.components
        return Date(timeIntervalSince1970: 1_700_000_000 + Double(parts.seconds) + Double(parts.attoseconds) / 1e18)
    }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.sleepDurations.append(state.now.duration(to: deadline))
            if skipsSleeps { state.now = max(state.now, deadline) }
            state.lastID += 1
            return state.lastID
        }
        if skipsSleeps { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until `count` tasks sleep.
    package func waitForSleepers(_ count: Int) async throws {
        try await waitUntil("\(count) tasks sleep") { state.withLock { $0.sleepers.count >= count } }
    }

    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        due.forEach { $0.continuation.resume() }
    }
}
