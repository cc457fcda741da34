public import CounterfoilClient
public import Foundation

/// A clock that stands still until a test advances it.
public actor ManualScheduler: ClientScheduler {
    private struct Sleeper {
        var due: Date
        var waiting: CheckedContinuation<Bool, Never>
    }

    private var date: Date
    private var sleepers: [UUID: Sleeper] = [:]

    /// Makes a clock that shows `date`.
    public init(_ date: Date = Date(timeIntervalSince1970: 1_750_000_000)) { self.date = date }

    /// Returns the time of the clock.
    public func now() -> Date { date }

    /// The time until the next sleeping task is due: 0 if ``set(to:)`` has moved the clock past it, nil if no task
    /// sleeps.
    public var nextWake: TimeInterval? { sleepers.values.map { max(0, $0.due.timeIntervalSince(date)) }.min() }

    /// Waits until the clock was advanced by `seconds`. Returns at once if that is no time.
    public func sleep(for seconds: TimeInterval) async throws {
        try Task.checkCancellation()
        guard seconds > 0 else { return }
        let id = UUID()
        let due = date.addingTimeInterval(seconds)
        let isAwake = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                // The task was cancelled before it started to wait: the cancellation handler has run already.
                if Task.isCancelled { return waiting.resume(returning: false) }
                sleepers[id] = Sleeper(due: due, waiting: waiting)
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
        if !isAwake { throw CancellationError() }
    }

    /// Advances the clock, and resumes the tasks that are due, in order.
    public func advance(by seconds: TimeInterval) {
        date = date.addingTimeInterval(seconds)
        for (id, sleeper) in sleepers.sorted(by: { $0.value.due < $1.value.due }) where sleeper.due <= date {
            sleepers[id] = nil
            sleeper.waiting.resume(returning: true)
        }
    }

    /// Sets the clock, as a customer can in the settings. Resumes no task.
    public func set(to date: Date) { self.date = date }

    private func cancel(_ id: UUID) { sleepers.removeValue(forKey: id)?.waiting.resume(returning: false) }
}

/// A storage in memory.
public actor MemoryStorage: ClientStorage {
    private var contents: [String: Data] = [:]

    /// Makes an empty storage.
    public init() {}

    /// Returns the data saved under a name.
    public func load(_ name: String) -> Data? { contents[name] }

    /// Replaces the data under a name; nil removes it.
    public func save(_ data: Data?, as name: String) { contents[name] = data }
}
