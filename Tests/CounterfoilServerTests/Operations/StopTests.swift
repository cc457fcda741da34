import Foundation
import LedgerServices
import Logging
import ServiceLifecycle
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import CounterfoilServer

/// Tests what remains after a server has stopped.
@Suite struct `A stopped server` {
    @Test func `A stopped server releases all its objects`() async throws {
        weak var server: Server?
        weak var metrics: ServerMetrics?
        weak var webhooks: WebhookDispatcher?
        weak var recovery: LedgerServices.Recovery?
        weak var simulator: Simulator?
        try await World.run { world in
            try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", introductory: false))
            try await world.waitUntilIdle()
            server = try world.server
            metrics = try world.server.core.metrics
            webhooks = try world.server.core.webhooks
            recovery = try world.server.core.recovery
            simulator = world.simulator
        }
        // The event loop of a connection may release its last objects a moment later.
        try await waitUntil("the server is released") {
            server == nil && metrics == nil && webhooks == nil && recovery == nil
        }
        // The server's clock referred to the simulator.
        try await waitUntil("the simulator is released") { simulator == nil }
    }

    /// A connection that is accepted just before the end, and has no handler yet, could crash the process.
    @Test func `A server stops while clients connect`() async throws {
        try await World.run { world in
            for _ in 0..<10 {
                let port = try world.server.port
                #expect(try await ConnectionFlood.flood(port) { try await world.stopServer() } > 0)
                try await world.startServer()
            }
        }
    }

    @Test func `A server that cannot listen does not log that the inbox cannot be read`() async throws {
        try await World.run { world in
            try await world.stopServer()
            var configuration = try world.configuration()
            // RFC 5737: no machine has this address.
            configuration.listen.host = "192.0.2.1"
            let lines = LogCapture()
            let error = await #expect(throws: ServerError.self) {
                _ = try await Server.start(
                    configuration, clock: .showing { World.start }, logger: lines.logger(ServerConfiguration.Log()))
            }
            #expect(error?.code == .addressUnavailable)
            #expect(!lines.text.contains("the inbox cannot be read"), "\(lines.text)")
            try await world.startServer()
        }
    }

    @Test func `A server that cannot use a key in its configuration throws a server error`() async throws {
        try await World.run { world in
            try await world.stopServer()
            var configuration = try world.configuration()
            for index in configuration.apps.indices { configuration.apps[index].key?.issuerID = "" }
            let unusable = configuration
            let error = await #expect(throws: ServerError.self) {
                _ = try await Server.start(unusable, clock: .showing { World.start })
            }
            #expect(error?.code == .failed && error?.message.contains("the issuer ID is empty") == true)
            try await world.startServer()
        }
    }

    @Test func `A server that stops while events of expired grants are due does not log an error`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let log = LogCapture()
            let readings = Mutex(0)
            // The wait reads the clock twice, and ends at the jump. The third reading begins the work.
            let clock = ServerClock.showing {
                let count = readings.withLock { count in
                    count += 1
                    return count
                }
                if count > 2 { withUnsafeCurrentTask { $0?.cancel() } }
                return World.start + Double(count) * 10
            }
            let service = GrantExpiryService(
                storage: ledger.storage, clock: clock, logger: log.logger(ServerConfiguration.Log()), wakeWebhooks: {})
            try await service.run()
            #expect(readings.withLock(\.self) == 3)
            #expect(log.text == "")
            try await ledger.storage.close()
        }
    }

    @Test func `A server stops when a task that waits for it is cancelled`() async throws {
        try await World.run { world in
            let server = try world.server
            let waiting = Task { try await server.wait() }
            waiting.cancel()
            try await waitForEnd("the server has stopped") { try await waiting.value }
            // Another server can open the ledger.
            try await world.startServer()
        }
    }

    @Test func `A server that a service waits for stops with the service group`() async throws {
        struct Waiter: Service {
            let server: Server
            let begin: AsyncStream<Void>.Continuation

            func run() async throws {
                begin.finish()
                try await server.wait()
            }
        }
        try await World.run { world in
            let (begins, begin) = AsyncStream.makeStream(of: Void.self)
            let waiter = Waiter(server: try world.server, begin: begin)
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [.init(service: waiter)], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            )
            let running = Task { try await group.run() }
            for await _ in begins {}
            await group.triggerGracefulShutdown()
            try await waitForEnd("the service group has ended") { try await running.value }
            try await world.startServer()
        }
    }

    @Test func `Cancelling the start of a server releases the ledger`() async throws {
        try await World.run { world in
            try await world.stopServer()
            let configuration = try world.configuration()
            let starting = Mutex<Task<Server, any Error>?>(nil)
            var log = ServerConfiguration.Log()
            log.level = .debug
            let lines = ServerLogHandler(log, now: { World.start }) { line, _ in
                // The server logs this before it listens, and after every step that a cancelled task cannot perform.
                guard String(decoding: line, as: UTF8.self).contains("Starting service lifecycle") else { return }
                starting.withLock { $0?.cancel() }
            }
            let (begins, begin) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for await _ in begins {}
                return try await Server.start(
                    configuration, clock: .showing { World.start }, logger: Logger(label: "test") { _ in lines })
            }
            starting.withLock { $0 = task }
            begin.finish()
            let result = try await waitForEnd("the start has ended") { await task.result }
            #expect(throws: CancellationError.self) { try result.get() }
            try await world.startServer()
        }
    }
}
