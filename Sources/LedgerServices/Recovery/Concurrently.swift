internal import AppStoreServer

/// Work on many things, a few at a time.
enum Concurrently {
    /// Does something with each, a few at a time; throws the first failure after all have ended.
    ///
    /// While the App Store fails, one call tries whether it is back and the client makes no others. Those end first: the
    /// failure of the call that was made says why, and is the one that counts.
    static func forEach<Item: Sendable>(
        _ items: [Item], atOnce limit: Int, _ body: @escaping @Sendable (Item) async throws -> Void
    ) async throws {
        let failure = await withTaskGroup(of: (any Error)?.self) { group in
            var failure: (any Error)?
            for (index, item) in items.enumerated() {
                if index >= max(limit, 1), let ended = await group.next() { failure = Self.first(failure, ended) }
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
