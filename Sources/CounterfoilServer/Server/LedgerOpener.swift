package import Ledger
package import LedgerSQLite
package import Logging

/// Opens the ledger of a server with a database engine. This file chooses the engine; the server and its services use
/// only the protocols of `Ledger`.
package struct LedgerOpener: Sendable {
    /// Opens the ledger, or creates it. What the opener has to report later, for example about failing checkpoints, goes
    /// to the logger.
    package let open: @Sendable (ServerConfiguration.Storage, Logger) async throws -> any LedgerEngine

    package init(_ open: @escaping @Sendable (ServerConfiguration.Storage, Logger) async throws -> any LedgerEngine) {
        self.open = open
    }

    /// Opens the ledger with the configured engine. SQLite is the only one, so no setting names it.
    package static let configured: LedgerOpener = sqlite { _ in }

    /// Opens an SQLite file as its only writer.
    ///
    /// - Parameter change: Changes the options that the configuration sets.
    package static func sqlite(_ change: @escaping @Sendable (inout SQLiteStorage.Options) -> Void) -> LedgerOpener {
        LedgerOpener { settings, logger in
            var options = SQLiteStorage.Options(settings)
            options.report(to: logger)
            change(&options)
            let storage = try SQLiteStorage(path: settings.path, options: options)
            if storage.isNew {
                logger.notice(
                    "there was no ledger, so an empty one was created", metadata: ["path": "\(storage.path)"])
            }
            await storage.finishInterruptedImport(logger)
            return storage
        }
    }
}

extension SQLiteStorage.Options {
    /// Logs migrations and failing checkpoints.
    fileprivate mutating func report(to logger: Logger) {
        reportCheckpointError = { error in
            guard let error else { return logger.notice("the ledger's write-ahead log is checkpointed again") }
            logger.error(
                "the ledger's write-ahead log cannot be checkpointed and keeps growing",
                metadata: ["reason": "\(error.logReason)"])
        }
        reportMigration = { from, to, isDone in
            logger.notice(
                isDone
                    ? "the ledger is migrated"
                    : "the ledger is of an older version and is being migrated; a server opens its port after that",
                metadata: ["from": "\(from)", "to": "\(to)"])
        }
    }
}

extension SQLiteStorage {
    /// Removes the names of erased customers if an import was killed before it did.
    fileprivate func finishInterruptedImport(_ logger: Logger) async {
        do { try await finishImport() } catch {
            // A cancelled start ends at the next step. The next one tries again.
            if Task.isCancelled { return }
            logger.error(
                "an interrupted import may have left names of erased customers; import the file again",
                metadata: ["reason": "\(error.logReason)"])
        }
    }
}
