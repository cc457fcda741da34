/// Carries something out to its end, even where whoever waits for it has been cancelled: the ledger writes nothing for a
/// cancelled task, and some things must not be left half done because a request took too long.
func uncancelled<Value: Sendable>(
    _ work: @escaping @Sendable @concurrent () async throws -> Value
) async throws -> Value {
    try await Task(operation: work).value
}
