internal import Basics
package import LedgerServices
internal import Ledger
package import LedgerSQLite
public import CoreMetrics
public import Logging
public import Tracing
internal import Foundation
internal import Hummingbird
internal import HummingbirdTLS
internal import NIOSSL
internal import ServiceLifecycle
public import UnixSignals

/// A running server: receives notifications, keeps the ledger, answers what customers own.
///
/// ```swift
/// let server = try await Server.start(configuration)
/// print("listening on port \(server.port)")
/// try await server.wait()
/// ```
public final class Server: Sendable {
    /// The port it listens on.
    public let port: Int

    package let core: ServerCore
    let identity: Live<TLSIdentity>?
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    private init(
        port: Int, core: ServerCore, identity: Live<TLSIdentity>?, group: ServiceGroup, task: Task<Void, any Error>
    ) {
        self.port = port
        self.core = core
        self.identity = identity
        self.group = group
        self.task = task
    }

    /// Starts a server. It answers requests when this returns.
    ///
    /// - Parameters:
    ///   - configuration: What it serves.
    ///   - logger: Where it logs to.
    ///   - metrics: Where it records its metrics: by default a backend of its own, which `/metrics` shows. With any other,
    ///     `/metrics` answers 404, and what only the ledger knows is recorded every 15 seconds.
    ///   - tracer: Where its spans go: requests (`GET /v1/customers/{id}`), `verify`, `commit`, `fold` and `deliver`. By default
    ///     the tracer of `InstrumentationSystem`, if one was bootstrapped.
    ///   - signals: The signals that end it gracefully; none by default.
    /// - Throws: ``ServerError`` when it cannot begin, with a message that says what to do. `CancellationError` when the task
    ///   was cancelled meanwhile: then the server has ended again.
    public static func start(
        _ configuration: ServerConfiguration, logger: Logger = Logger(label: "counterfoil.server"),
        metrics: any MetricsFactory = PrometheusMetrics(), tracer: any Tracer = InstrumentationSystem.tracer,
        stoppingAt signals: [UnixSignal] = []
    ) async throws -> Server {
        let clock = try await ServerClock(configuration.clock)
        return try await start(
            configuration, clock: clock, logger: logger, metrics: metrics, tracer: tracer, stoppingAt: signals)
    }

    package static func start(
        _ configuration: ServerConfiguration, clock: ServerClock,
        logger: Logger = Logger(label: "counterfoil.server"), metrics: any MetricsFactory = PrometheusMetrics(),
        tracer: any Tracer = InstrumentationSystem.tracer, stoppingAt signals: [UnixSignal] = [],
        ledger change: (inout SQLiteStorage.Options) -> Void = { _ in }
    ) async throws -> Server {
        try HTTPService.requireDescriptors()
        let storage = try open(configuration.storage, logger, change)
        // The port of the API, and nil for the console's, each when requests are accepted there.
        let (ports, opened) = AsyncStream.makeStream(of: Int?.self)
        let core: ServerCore
        let identity: Live<TLSIdentity>?
        let listeners: [any Service]
        do {
            core = try await ServerCore(
                configuration, storage: storage, clock: clock, logger: logger, metrics: metrics, tracer: tracer)
            identity = try configuration.listen.tls.map { Live(try TLSIdentity($0)) }
            listeners = try Self.listeners(core, identity) { opened.yield($0) }
        } catch {
            // Whoever tries again finds the ledger free.
            try storage.close()
            throw error
        }
        let group = group(of: services(core, listeners), stoppingAt: signals, logger)
        let task = Task {
            defer { opened.finish() }
            try await run(group, storage)
        }
        core.warnOfRoots()
        guard let port = await port(from: ports, awaiting: listeners.count) else {
            // It failed, or whoever waits for it gave up.
            await group.triggerGracefulShutdown()
            do { try await task.value } catch { throw ServerError(starting: error) }
            try Task.checkCancellation()
            throw ServerError(.failed, "the server ended before it began")
        }
        return Server(port: port, core: core, identity: identity, group: group, task: task)
    }

    private static func open(
        _ settings: ServerConfiguration.Storage, _ logger: Logger, _ change: (inout SQLiteStorage.Options) -> Void
    ) throws(ServerError) -> SQLiteStorage {
        var options = SQLiteStorage.Options()
        options.isSynchronous = settings.synchronous == .full
        options.cacheMiB = settings.cacheMiB
        options.reportLog = { error in
            guard let error else {
                return logger.notice("the ledger's log is brought into its file again")
            }
            logger.error(
                "the ledger's log cannot be brought into its file, and gets longer",
                metadata: ["reason": "\(error.logReason)"])
        }
        change(&options)
        do { return try SQLiteStorage(path: settings.path, options: options) } catch {
            throw ServerError(.noLedger, error.message)
        }
    }

    /// What listens: the console, if it has an address of its own, and the API.
    ///
    /// - Parameter onOpen: Is called when requests are accepted, with the API's port, and with nil for the console's.
    private static func listeners(
        _ core: ServerCore, _ identity: Live<TLSIdentity>?, onOpen: @escaping @Sendable (Int?) -> Void
    ) throws -> [any Service] {
        let console = core.configuration.console.isEnabled ? try Console(core) : nil
        var listeners: [any Service] = []
        if let console, let address = console.settings.listen {
            listeners.append(try HTTPService.application(of: console, at: address, identity) { onOpen(nil) })
        }
        let configured = core.configuration.listen.port
        listeners.append(try HTTPService.application(core, identity, console) { onOpen($0 ?? configured) })
        return listeners
    }

    /// They end in reverse order: first no more requests, then what they caused.
    private static func services(_ core: ServerCore, _ listeners: [any Service]) -> [any Service] {
        var services: [any Service] = [
            core.writer, core.webhooks, core.processor, core.refusals, core.audit, core.watch,
        ]
        if core.metrics.exposition == nil {
            services.append(GaugeService(metrics: core.metrics))
        } else {
            services.append(MetricHistoryService(history: core.history, metrics: core.metrics))
        }
        if let followed = core.clock.followed { services.append(followed) }
        services.append(core.recovery)
        services.append(core.consumption)
        services.append(core.grantExpiry)
        services += listeners
        // It ends before those who wait for its streams.
        services.append(ChangeService(core))
        services.append(DrainService(readiness: core.readiness))
        return services
    }

    private static func group(
        of services: [any Service], stoppingAt signals: [UnixSignal], _ logger: Logger
    ) -> ServiceGroup {
        var plan = ServiceGroupConfiguration(
            services: services.map { .init(service: NamedService(service: $0)) }, gracefulShutdownSignals: signals,
            logger: logger)
        // Who sends a byte a minute must not keep the server from ending.
        plan.maximumGracefulShutdownDuration = .seconds(25)
        return ServiceGroup(configuration: plan)
    }

    /// The API's port, when requests are accepted at so many addresses; nil when the server ended before.
    private static func port(from ports: AsyncStream<Int?>, awaiting count: Int) async -> Int? {
        var (port, awaited) = (Int?.none, count)
        for await opened in ports {
            port = opened ?? port
            awaited -= 1
            if awaited == 0 { return port }
        }
        return nil
    }

    /// Runs until everything has ended, then gives the ledger back.
    private static func run(_ group: ServiceGroup, _ storage: SQLiteStorage) async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await group.run()) } catch { result = .failure(error) }
        try storage.close()
        try result.get()
    }

    /// Every operation that it answers, as `GET /v1/customers/{id}`.
    package var operations: Set<String> {
        Set(ServerRoutes.router(core).routes.map { "\($0.method.rawValue) \($0.path.description)" })
    }

    /// Takes no more requests, finishes those under way and what they caused, and ends.
    public func stop() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }

    /// Waits until it has ended.
    public func wait() async throws { try await task.value }
}

/// A service of which logs tell nothing but the name: the others would be described with all that is in them.
private struct NamedService: Service, CustomStringConvertible {
    let service: any Service

    var description: String { "\(type(of: service))" }

    func run() async throws { try await service.run() }
}

/// Samples the gauges for a backend that does not say when it is read.
private struct GaugeService: Service {
    let metrics: ServerMetrics

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                await metrics.sampleGauges()
                // Cancelled is the end.
                do { try await Task.sleep(for: .seconds(15)) } catch { return }
            } while !Task.isCancelled
        }
    }
}

/// Says that the server is about to end, before anything else does.
private struct DrainService: Service {
    let readiness: Readiness

    func run() async throws {
        do { try await gracefulShutdown() } catch is CancellationError {}
        readiness.startDraining()
    }
}
