internal import Basics
internal import Ledger
package import LedgerServices
internal import Logging

/// A server without a port, for commands that work on a ledger while no server runs.
package enum OfflineServer {
    /// Opens the ledger, runs `body`, processes the notifications that it stored and closes the ledger. Logs like the
    /// server.
    ///
    /// - Parameter timeout: How long to wait without any progress, for example because an OCSP responder does not
    ///   answer. The server processes the remaining notifications later.
    /// - Throws: ``StorageError``, with the code `busy` while a server uses the file. Rethrows errors of `body`.
    package static func run<Value: Sendable>(
        _ configuration: ServerConfiguration, clock: ServerClock? = nil, ledger: LedgerOpener = .configured,
        timeout: Duration = .seconds(60), _ body: (ServerCore) async throws -> Value
    ) async throws -> Value {
        let logger = Logger(label: "counterfoil.command") { _ in ServerLogHandler(configuration.log) }
        let storage = try await ledger.open(configuration.storage, logger)
        return try await withCleanup({ try await storage.close() }) {
            try await runServices(configuration, storage, clock, logger, timeout, body)
        }
    }

    private static func runServices<Value: Sendable>(
        _ configuration: ServerConfiguration, _ storage: any LedgerEngine, _ clock: ServerClock?,
        _ logger: Logger, _ timeout: Duration, _ body: (ServerCore) async throws -> Value
    ) async throws -> Value {
        let serverClock: ServerClock
        if let clock { serverClock = clock } else { serverClock = try await ServerClock(configuration) }
        let core = try await ServerCore(configuration, storage: storage, clock: serverClock, logger: logger)
        let result = await withTaskGroup(of: Void.self) { group in
            group.addTask { await core.writer.run() }
            let result = await runProcessor(core, timeout, body)
            // The processor has ended, so there are no more writes.
            core.writer.close()
            return result
        }
        return try result.get()
    }

    private static func runProcessor<Value: Sendable>(
        _ core: ServerCore, _ timeout: Duration, _ body: (ServerCore) async throws -> Value
    ) async -> Result<Value, any Error> {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await core.processor.run() }
            defer { core.processor.close() }
            do {
                let value = try await body(core)
                await waitForProcessing(core.processor, timeout)
                let left = try await core.storage.backlog().count
                if left > 0 {
                    core.logger.warning(
                        "some notifications were not processed; the server will process them",
                        metadata: ["count": "\(left)"])
                }
                return .success(value)
            } catch { return .failure(error) }
        }
    }

    private static func waitForProcessing(_ processor: NotificationProcessor, _ timeout: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await processor.waitUntilIdle() }
            group.addTask {
                var processed = -1
                while processor.processed != processed {
                    processed = processor.processed
                    do { try await Task.sleep(for: timeout) } catch { return }
                }
                // Closing the processor ends `waitUntilIdle()`.
                processor.close()
            }
            await group.next()
            group.cancelAll()
        }
    }
}
