internal import LedgerServices
package import LedgerSQLite
package import Ledger
package import AppStoreServer
internal import AppStoreTrust
package import Foundation

/// Opens a server's ledger for those who look after it.
package enum LedgerKeeping {
    /// Opens the ledger of a configuration, which has to be there.
    ///
    /// - Parameter isOnlyWriter: Whether nobody else may write to it meanwhile, no server above all.
    package static func open(
        _ configuration: ServerConfiguration, isOnlyWriter: Bool, creating: Bool = false
    ) throws(StorageError) -> SQLiteStorage {
        let path = configuration.storage.path
        guard creating || FileManager.default.fileExists(atPath: path) else {
            throw StorageError(.cannotOpen, "there is no ledger at \(path)")
        }
        var options = SQLiteStorage.Options()
        options.isSynchronous = configuration.storage.synchronous == .full
        options.cacheMiB = configuration.storage.cacheMiB
        options.isOnlyWriter = isOnlyWriter
        return try SQLiteStorage(path: path, options: options)
    }

    /// Judges what a configuration's server has kept, at the instants at which it was signed. Nobody is asked whether
    /// certificates were revoked since: what was believed when it came stays.
    package static func verifier(_ configuration: ServerConfiguration) throws -> SignedDataVerifier {
        var configuration = configuration
        configuration.trust.revocation = .off
        // A simulator's clock may have run ahead, and need not run now.
        let clock: ServerClock =
            configuration.clock == .system ? .system : .showing { Date(timeIntervalSince1970: 7_000_000_000) }
        return try ServerCore.verifier(configuration, validAt: .signingDate, clock)
    }

    /// The time of a configuration's server. A simulator need not run for what reads it here: without it, it is the system's.
    package static func now(_ configuration: ServerConfiguration) async throws -> Date {
        do { return try await ServerClock(configuration.clock).now() } catch is ServerError { return Date() }
    }

    /// The apps and environments of a configuration.
    package static func scopes(
        _ configuration: ServerConfiguration, in storage: SQLiteStorage
    ) async throws -> ScopeRegistry {
        try await storage.scopes(of: ServerCore.environments(configuration))
    }
}
