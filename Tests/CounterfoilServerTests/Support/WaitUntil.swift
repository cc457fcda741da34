import Testing

/// Yields until a condition holds. Throws, and records an issue, if it does not hold within ten minutes.
func waitUntil(
    _ condition: Comment, _ location: SourceLocation = #_sourceLocation, _ isMet: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while try await !isMet() {
        try #require(ContinuousClock.now < deadline, condition, sourceLocation: location)
        await Task.yield()
    }
}
