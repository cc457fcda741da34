/// Runs an operation to its end even if the calling task is cancelled. The ledger does not write for a cancelled task,
/// and some operations must not stop halfway because a request took too long or the server stops.
package func uncancelled<Value: Sendable>(
    _ work: @escaping @Sendable @concurrent () async throws -> Value
) async throws -> Value {
    try await Task(operation: work).value
}
