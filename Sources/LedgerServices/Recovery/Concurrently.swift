internal import AppStoreServer

/// Runs work on many items with limited concurrency.
package enum Concurrently {
    /// Runs `body` for each item, at most `limit` at a time. Throws the first failure after all calls have ended.
    ///
    /// A `circuitOpen` failure counts only if there is no other. While the circuit breaker is open, the client makes
    /// one probe request and fails all others at once with `circuitOpen`. Only the failure of the probe tells the
    /// cause.
    ///
    /// - Parameter shareKey: Whether all items are requested with the same key. Then no further call begins after the
    ///   App Store has refused the key, or every request because of the quota.
    package static func forEach<Item: Sendable>(
        _ items: [Item], atOnce limit: Int, shareKey: Bool = false,
        _ body: @escaping @Sendable (Item) async throws -> Void
    ) async throws {
        let failure = await withTaskGroup(of: (any Error)?.self) { group in
            var failure: (any Error)?
            for (index, item) in items.enumerated() {
                if index >= max(limit, 1), let ended = await group.next() {
                    failure = Self.first(failure, ended)
                    if shareKey, (ended as? AppStoreServerError)?.concernsKey == true { break }
                }
                group.addTask {
                    do { try await body(item) } catch { return error }
                    return nil
                }
            }
            for await ended in group { failure = Self.first(failure, ended) }
            return failure
        }
        if let failure { throw failure }
        try Task.checkCancellation()
    }

    private static func first(_ known: (any Error)?, _ next: (any Error)?) -> (any Error)? {
        let wasNotMade = (known as? AppStoreServerError)?.code == .circuitOpen
        return wasNotMade ? next ?? known : known ?? next
    }
}
