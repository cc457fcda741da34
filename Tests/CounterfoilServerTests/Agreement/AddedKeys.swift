import AppStoreServer
import CounterfoilServer
import Synchronization

@testable import LedgerServices

/// The In-App Purchase keys that are added in a random history.
final class AddedKeys: Sendable {
    private let keys = Mutex<[SigningKey]>([])

    /// The number of added keys.
    var count: Int { keys.withLock(\.count) }

    /// Adds a key.
    ///
    /// - Returns: The identifier of the previous key, if that was added here.
    func add(_ make: (_ id: String) throws -> SigningKey) rethrows -> String? {
        try keys.withLock { added in
            added.append(try make("LIFE\(100_000 + added.count)"))
            return added.dropLast().last?.keyID
        }
    }

    /// Configures the newest key, with the previous one as the former key.
    func configure(_ app: inout ServerConfiguration.App) {
        let keys = keys.withLock(\.self)
        guard let last = keys.last, let first = app.key?.signingKey else { return }
        app.key?.signingKey = last
        app.key?.formerKey = keys.dropLast().last ?? first
        app.offerKey = last
    }
}
