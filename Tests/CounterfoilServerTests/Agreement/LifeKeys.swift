@testable import LedgerServices
import AppStoreServer
import CounterfoilServer
import Synchronization

/// The In-App Purchase keys that a team makes in the course of a life.
final class LifeKeys: Sendable {
    private let made = Mutex<[SigningKey]>([])

    /// How many were made.
    var count: Int { made.withLock(\.count) }

    /// Adds a key.
    ///
    /// - Returns: The identifier of the one before, if that was made in this life.
    func add(_ make: (_ id: String) throws -> SigningKey) rethrows -> String? {
        try made.withLock { keys in
            keys.append(try make("LIFE\(100_000 + keys.count)"))
            return keys.dropLast().last?.keyID
        }
    }

    /// What the server is configured with.
    func configure(_ app: inout ServerConfiguration.App) {
        let keys = made.withLock(\.self)
        guard let last = keys.last, let first = app.key?.signingKey else { return }
        app.key?.signingKey = last
        app.key?.formerKey = keys.dropLast().last ?? first
        app.offerKey = last
    }
}
