/// A condition that did not hold within ten minutes.
package struct ConditionNotMet: Error, CustomStringConvertible {
    package let condition: String

    package var description: String { "not within ten minutes: \(condition)" }
}

/// Yields until a condition holds.
///
/// - Parameter condition: What the test waits for, as a clause.
/// - Throws: ``ConditionNotMet`` after ten minutes, `CancellationError` if the task is cancelled.
package func waitUntil(_ condition: String, _ isMet: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while try await !isMet() {
        try Task.checkCancellation()
        guard ContinuousClock.now < deadline else { throw ConditionNotMet(condition: condition) }
        await Task.yield()
    }
}
