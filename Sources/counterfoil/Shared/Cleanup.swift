/// Runs `body`, then `cleanUp`, also if `body` throws.
func withCleanup<Value>(_ cleanUp: () async -> Void, _ body: () async throws -> Value) async throws -> Value {
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    await cleanUp()
    return try result.get()
}
