package import LedgerServices
internal import Ledger
internal import LedgerSQLite
internal import Foundation
internal import Logging

/// A server without a port, for commands that work on the ledger of a server that does not run.
package enum OfflineServer {
    /// Opens the ledger, does `body`, folds what came of it and closes the ledger. Logs as the server does.
    ///
    /// - Parameter patience: How long it waits while nothing can be folded, as where a responder is silent that has to be
    ///   asked. What is left waits for the server.
    /// - Throws: ``StorageError``, `busy` while a server runs on the file; whatever `body` throws.
    package static func run<Value: Sendable>(
        _ configuration: ServerConfiguration, clock: ServerClock? = nil, patience: Duration = .seconds(60),
        _ body: (ServerCore) async throws -> Value
    ) async throws -> Value {
        var options = SQLiteStorage.Options()
        options.isSynchronous = configuration.storage.synchronous == .full
        options.cacheMiB = configuration.storage.cacheMiB
        let storage = try SQLiteStorage(path: configuration.storage.path, options: options)
        let result: Result<Value, any Error>
        do { result = .success(try await work(configuration, storage, clock, patience, body)) } catch {
            result = .failure(error)
        }
        try storage.close()
        return try result.get()
    }

    private static func work<Value: Sendable>(
        _ configuration: ServerConfiguration, _ storage: SQLiteStorage, _ clock: ServerClock?,
        _ patience: Duration, _ body: (ServerCore) async throws -> Value
    ) async throws -> Value {
        let shown: ServerClock
        if let clock { shown = clock } else { shown = try await ServerClock(configuration.clock) }
        let logger = Logger(label: "counterfoil.command") { _ in LogLines(configuration.log) }
        let core = try await ServerCore(configuration, storage: storage, clock: shown, logger: logger)
        let result = await withTaskGroup(of: Void.self) { group in
            group.addTask { await core.writer.run() }
            let result = await fold(core, patience, body)
            // The processor has ended: nobody writes any more.
            core.writer.close()
            return result
        }
        return try result.get()
    }

    private static func fold<Value: Sendable>(
        _ core: ServerCore, _ patience: Duration, _ body: (ServerCore) async throws -> Value
    ) async -> Result<Value, any Error> {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await core.processor.run() }
            defer { core.processor.close() }
            do {
                let value = try await body(core)
                await settle(core, patience)
                let left = try await core.storage.backlog().count
                if left > 0 {
                    core.logger.warning(
                        "notifications are left for the server to process", metadata: ["count": "\(left)"])
                }
                return .success(value)
            } catch { return .failure(error) }
        }
    }

    private static func settle(_ core: ServerCore, _ patience: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await core.processor.settle() }
            group.addTask {
                var processed = -1
                while core.processor.processed != processed {
                    processed = core.processor.processed
                    do { try await Task.sleep(for: patience) } catch { return }
                }
                // Whoever waits for it goes on.
                core.processor.close()
            }
            await group.next()
            group.cancelAll()
        }
    }
}
