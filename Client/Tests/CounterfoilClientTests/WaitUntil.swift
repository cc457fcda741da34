/// Yields until a condition holds.
///
/// - Throws: `CancellationError` if the task is cancelled, as by the time limit of a test.
func waitUntil(_ condition: () async -> Bool) async throws {
    while await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
