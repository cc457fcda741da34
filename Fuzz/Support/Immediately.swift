import Synchronization

/// Runs what is asynchronous in name only, on this thread: another thread would have its share of the coverage, and cost
/// more than most inputs do.
package func immediately<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let result = Outcome<Value>()
    _ = Task(executorPreference: CallingThread.shared) {
        let value = await body()
        result.value.withLock { $0 = value }
    }
    guard let value = result.value.withLock({ $0 }) else { Property.fail("nothing waits") }
    return value
}

private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

private final class CallingThread: TaskExecutor {
    static let shared = CallingThread()

    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}
