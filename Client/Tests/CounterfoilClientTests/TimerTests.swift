import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

/// A clock that a test can hold: then the client handles no event.
private actor HeldScheduler: ClientScheduler {
    let clock = ManualScheduler(t0)
    private var isHeld = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    var hasWaitingClient: Bool { !waiting.isEmpty }

    func hold() { isHeld = true }

    func release() {
        isHeld = false
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func now() async -> Date {
        if isHeld { await withCheckedContinuation { waiting.append($0) } }
        return await clock.now()
    }

    func sleep(for seconds: TimeInterval) async throws { try await clock.sleep(for: seconds) }
}

@Suite(.timeLimit(.minutes(10)))
struct `Timers of the client` {
    /// The timer elapses while the client has not yet handled the sign-in that schedules it again.
    @Test func `The time limit of one customer does not make the client ready for the next one`() async throws {
        let scheduler = HeldScheduler()
        let backend = FlakyBackend(MemoryBackend(scheduler: scheduler))
        // Nothing else makes the client ready.
        await backend.enqueueFaults(Array(repeating: .hang, count: 8))
        let client = PurchaseClient(
            store: ScriptedStore(), backend: backend, storage: MemoryStorage(), scheduler: scheduler)
        client.start()
        try client.signIn(anna, token: "token")
        try await waitUntil { await backend.requests > 0 }
        try await waitUntil { await scheduler.clock.nextWake == 2 }
        await scheduler.hold()
        try client.signIn("ben", token: "token")
        try await waitUntil { await scheduler.hasWaitingClient }
        await scheduler.clock.advance(by: 2)
        await scheduler.release()
        try await waitUntil { await client.current.id == "ben" }
        // The client has time to handle the timer.
        for _ in 0..<1000 {
            await Task.yield()
            let current = await client.current
            try #require(current.readiness == .checking)
        }
        // The customer's own time limit still applies.
        try await waitUntil { await scheduler.clock.nextWake == 2 }
        await scheduler.clock.advance(by: 2)
        try await waitUntil { await client.current.readiness != .checking }
        await client.stop()
    }
}
