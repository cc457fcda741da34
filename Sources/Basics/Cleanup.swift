/// Runs `body`, then `cleanUp`, also if `body` throws. An error of `cleanUp` replaces one of `body`.
package func withCleanup<Value>(
    _ cleanUp: () async throws -> Void, _ body: () async throws -> Value
) async throws -> Value {
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    try await cleanUp()
    return try result.get()
}
