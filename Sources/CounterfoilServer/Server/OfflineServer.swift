package import LedgerServices
internal import LedgerSQLite
internal import Foundation
package import Logging

/// A server without a port, for commands that work on the ledger of a server that does not run.
package enum OfflineServer {
    /// Opens the ledger, does `body`, folds what came of it and closes the ledger.
    ///
    /// - Throws: ``StorageError``, `busy` while a server runs on the file; whatever `body` throws.
    package static func run<Value: Sendable>(
        _ configuration: ServerConfiguration, clock: ServerClock? = nil,
        logger: Logger = Logger(label: "counterfoil.command"), _ body: (ServerCore) async throws -> Value
    ) async throws -> Value {
        var options = SQLiteStorage.Options()
        options.isSynchronous = configuration.storage.synchronous == .full
        options.cacheMiB = configuration.storage.cacheMiB
        let storage = try SQLiteStorage(path: configuration.storage.path, options: options)
        let result: Result<Value, any Error>
        do { result = .success(try await work(configuration, storage, clock, logger, body)) } catch {
            result = .failure(error)
        }
        try storage.close()
        return try result.get()
    }

    private static func work<Value: Sendable>(
        _ configuration: ServerConfiguration, _ storage: SQLiteStorage, _ clock: ServerClock?, _ logger: Logger,
        _ body: (ServerCore) async throws -> Value
    ) async throws -> Value {
        let shown: ServerClock
        if let clock { shown = clock } else { shown = try await ServerClock(configuration.clock) }
        let core = try await ServerCore(configuration, storage: storage, clock: shown, logger: logger)
        let result = await withTaskGroup(of: Void.self) { group in
            group.addTask { await core.writer.run() }
            let result = await fold(core, body)
            // The processor has ended: nobody writes any more.
            core.writer.close()
            return result
        }
        return try result.get()
    }

    private static func fold<Value: Sendable>(
        _ core: ServerCore, _ body: (ServerCore) async throws -> Value
    ) async -> Result<Value, any Error> {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await core.processor.run() }
            defer { core.processor.close() }
            do {
                let value = try await body(core)
                await core.processor.settle()
                return .success(value)
            } catch { return .failure(error) }
        }
    }
}
