public import CounterfoilClient
public import Foundation

/// A clock that stands still until a test puts it forward.
public actor ManualScheduler: ClientScheduler {
    private struct Sleeper {
        var due: Date
        var waiting: CheckedContinuation<Bool, Never>
    }

    private var date: Date
    private var sleepers: [UUID: Sleeper] = [:]

    /// Starts at an instant.
    public init(_ date: Date = Date(timeIntervalSince1970: 1_750_000_000)) { self.date = date }

    /// What the clock shows.
    public func now() -> Date { date }

    /// How long until somebody wants to be woken; nil when nobody sleeps.
    public var nextWake: TimeInterval? { sleepers.values.map { $0.due.timeIntervalSince(date) }.min() }

    /// Waits until the clock was put forward.
    public func sleep(for seconds: TimeInterval) async throws {
        let id = UUID()
        let due = date.addingTimeInterval(seconds)
        let isAwake = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                // Cancelled before it lay down: nobody would wake it.
                if Task.isCancelled { return waiting.resume(returning: false) }
                sleepers[id] = Sleeper(due: due, waiting: waiting)
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
        if !isAwake { throw CancellationError() }
    }

    /// Puts the clock forward, and wakes who is due, in order.
    public func advance(by seconds: TimeInterval) {
        date = date.addingTimeInterval(seconds)
        for (id, sleeper) in sleepers.sorted(by: { $0.value.due < $1.value.due }) where sleeper.due <= date {
            sleepers[id] = nil
            sleeper.waiting.resume(returning: true)
        }
    }

    /// Sets the clock, as a customer may in the settings. Nobody is woken.
    public func set(to date: Date) { self.date = date }

    private func cancel(_ id: UUID) { sleepers.removeValue(forKey: id)?.waiting.resume(returning: false) }
}

/// Remembers until the test is over.
public actor MemoryStorage: ClientStorage {
    private var contents: [String: Data] = [:]

    /// Makes an empty storage.
    public init() {}

    /// What was saved under a name.
    public func load(_ name: String) -> Data? { contents[name] }

    /// Replaces what is there under a name.
    public func save(_ data: Data?, as name: String) { contents[name] = data }
}
