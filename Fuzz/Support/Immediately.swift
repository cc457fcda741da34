import Synchronization

/// Runs an asynchronous function that never suspends, on the calling thread. A thread switch would distort the coverage
/// and take longer than most inputs.
package func immediately<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let result = Outcome<Value>()
    _ = Task(executorPreference: CallingThread.shared) {
        let value = await body()
        result.value.withLock { $0 = value }
    }
    guard let value = result.value.withLock({ $0 }) else { Property.fail("the function does not suspend") }
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
