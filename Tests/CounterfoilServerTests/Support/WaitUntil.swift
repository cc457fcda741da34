import Testing

/// Yields until a condition holds. Throws, and records an issue, if it does not hold within `limit`.
func waitUntil(
    _ condition: Comment, within limit: Duration = .seconds(600), _ location: SourceLocation = #_sourceLocation,
    _ isMet: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !isMet() {
        try #require(ContinuousClock.now < deadline, condition, sourceLocation: location)
        await Task.yield()
    }
}
