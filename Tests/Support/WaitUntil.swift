/// A condition that did not hold within ten minutes.
package struct ConditionNotMet: Error, CustomStringConvertible {
    package let condition: String

    package var description: String { "not within ten minutes: \(condition)" }
}

private let longestWait = Duration.seconds(600)

/// Yields until a condition holds.
///
/// - Parameter condition: What the test waits for, as a clause.
/// - Throws: ``ConditionNotMet`` after ten minutes, `CancellationError` if the task is cancelled.
package func waitUntil(_ condition: String, _ isMet: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + longestWait
    while try await !isMet() {
        try Task.checkCancellation()
        guard ContinuousClock.now < deadline else { throw ConditionNotMet(condition: condition) }
        await Task.yield()
    }
}

/// Waits for the end of work that may never end and may ignore cancellation, such as the wait for a task. A test that
/// waits for it directly does not fail if it never ends: its time limit only cancels it.
///
/// - Parameter condition: What the test waits for, as a clause.
/// - Throws: The error of the work; ``ConditionNotMet`` after ten minutes, `CancellationError` if the task is cancelled.
///   The work is then cancelled too, and may continue.
@discardableResult
package func waitForEnd<Value: Sendable>(
    _ condition: String, of work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (outcomes, outcome) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
    let working = Task {
        do { outcome.yield(.success(try await work())) } catch { outcome.yield(.failure(error)) }
    }
    let limit = Task {
        // The sleep is cancelled when the work has ended.
        do { try await Task.sleep(for: longestWait) } catch { return }
        outcome.yield(.failure(ConditionNotMet(condition: condition)))
    }
    defer {
        working.cancel()
        limit.cancel()
    }
    for await first in outcomes { return try first.get() }
    throw CancellationError()
}
