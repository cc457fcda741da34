package import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import ConfigurationReading
package import Foundation
package import Ledger
package import LedgerSQLite
internal import LedgerServices

/// Opens a server's ledger for maintenance commands. They work on the SQLite file itself; services use
/// ``LedgerOpener``.
package enum LedgerMaintenance {
    /// Opens the SQLite file of a configuration. Unless `creating` is true, the file must exist.
    ///
    /// - Parameters:
    ///   - isOnlyWriter: Whether to lock the ledger as its only writer. Pass false only to read, for example while a
    ///     server runs.
    ///   - migrates: Whether the only writer migrates a ledger of an older version. If false, it is refused.
    package static func openSQLite(
        _ configuration: ServerConfiguration, isOnlyWriter: Bool, creating: Bool = false, migrates: Bool = true
    ) throws(StorageError) -> SQLiteStorage {
        let path = configuration.storage.path
        if !creating, let problem = FileReachability.problem(at: path) {
            throw StorageError(.cannotOpen, "the ledger \(path) \(problem)")
        }
        var options = SQLiteStorage.Options(configuration.storage)
        options.isOnlyWriter = isOnlyWriter
        options.migrates = migrates
        return try SQLiteStorage(path: path, options: options)
    }

    /// Returns the verifier for stored signed data. It validates certificates as of the signing date. It does not check
    /// revocation: data that was accepted on arrival stays accepted.
    package static func verifier(_ configuration: ServerConfiguration) throws -> SignedDataVerifier {
        var configuration = configuration
        configuration.trust.revocation = .off
        // The simulator's clock may be ahead of the system's, and the simulator may not be running now.
        let clock: ServerClock =
            configuration.clock == .system ? .system : .showing { Date(timeIntervalSince1970: 7_000_000_000) }
        return try configuration.verifier(validationTime: .signingDate, clock)
    }

    /// Returns the time of the configured clock. If a simulator's clock cannot be read, returns the system's time.
    package static func now(_ configuration: ServerConfiguration) async throws -> Date {
        do { return try await ServerClock(configuration).now() } catch is ServerError { return Date() }
    }
}

extension SQLiteStorage.Options {
    /// Creates the options that a configuration sets.
    init(_ settings: ServerConfiguration.Storage) {
        self.init()
        isSynchronous = settings.synchronous == .full
        cacheMiB = settings.cacheMiB
    }
}

extension LoadedConfiguration {
    /// Returns itself, with a warning if the folder of `storage.path` does not exist. Throws if the path leads to a
    /// folder, with which the server would not start.
    package func requiringLedgerFile() throws(ConfigurationError) -> LoadedConfiguration {
        let ledger = configuration.storage.path
        let path = "storage.path"
        do throws(StorageError) { try StorageError.refuseFolder(at: ledger) } catch {
            throw ConfigurationError(problems: [issue(error.message, of: path)])
        }
        let folder = URL(filePath: ledger).deletingLastPathComponent().path
        guard FileReachability.problem(at: folder) == FileReachability.absence else { return self }
        var loaded = self
        let message =
            "the folder \(folder) does not exist, and the server does not create it (a systemd unit can, with "
            + "StateDirectory)"
        loaded.warnings.append(issue(message, of: path))
        return loaded
    }
}
