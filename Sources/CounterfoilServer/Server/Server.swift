internal import Basics
public import CoreMetrics
internal import Hummingbird
internal import Ledger
package import LedgerServices
public import Logging
internal import ServiceLifecycle
public import Tracing
public import UnixSignals

/// A running server. It receives notifications, maintains the ledger and answers requests about customers' purchases.
///
/// ```swift
/// let server = try await Server.start(configuration)
/// print("listening on port \(server.port)")
/// try await server.wait()
/// ```
public final class Server: Sendable {
    /// The port on which the server listens.
    public let port: Int

    package let core: ServerCore
    let identity: SharedValue<TLSIdentity>?
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    private init(
        port: Int, core: ServerCore, identity: SharedValue<TLSIdentity>?, group: ServiceGroup,
        task: Task<Void, any Error>
    ) {
        self.port = port
        self.core = core
        self.identity = identity
        self.group = group
        self.task = task
    }

    /// Starts a server. When this returns, the server accepts requests.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - logger: The logger of the server. Default: one of `LoggingSystem`. The settings ``ServerConfiguration/log``
    ///     have no effect on it: for them, pass a logger with a ``ServerLogHandler``.
    ///   - metrics: The metrics backend. Default: a new `PrometheusMetrics`, which `/metrics` exposes. With another
    ///     kind of backend, `/metrics` answers 404, and gauges that are read from the ledger are recorded every 15
    ///     seconds.
    ///   - tracer: The tracer for spans: requests (`GET /v1/customers/{id}`), `verify`, `commit`, `process` and
    ///     `deliver`. Default: the tracer of `InstrumentationSystem`, if one was bootstrapped.
    ///   - signals: The signals that begin graceful shutdown. Default: none.
    /// - Throws: ``ServerError`` when the server cannot start, with a message that says what to do. `CancellationError`
    ///   when the task was cancelled; the server has then stopped again.
    public static func start(
        _ configuration: ServerConfiguration, logger: Logger = Logger(label: "counterfoil.server"),
        metrics: any MetricsFactory = PrometheusMetrics(), tracer: any Tracer = InstrumentationSystem.tracer,
        stoppingAt signals: [UnixSignal] = []
    ) async throws -> Server {
        let clock = try await ServerClock(configuration, logger: logger)
        return try await start(
            configuration, clock: clock, logger: logger, metrics: metrics, tracer: tracer, stoppingAt: signals)
    }

    package static func start(
        _ configuration: ServerConfiguration, clock: ServerClock,
        logger: Logger = Logger(label: "counterfoil.server"), metrics: any MetricsFactory = PrometheusMetrics(),
        tracer: any Tracer = InstrumentationSystem.tracer, stoppingAt signals: [UnixSignal] = [],
        ledger: LedgerOpener = .configured
    ) async throws -> Server {
        try HTTPService.requireDescriptors(configuration)
        let storage = try await open(ledger, configuration.storage, logger)
        // Receives the API's port, and nil for the console's port, as each begins to accept requests.
        let (ports, opened) = AsyncStream.makeStream(of: Int?.self)
        let core: ServerCore
        let identity: SharedValue<TLSIdentity>?
        let listeners: [any Service]
        do {
            core = try await ServerCore(
                configuration, storage: storage, clock: clock, logger: logger, metrics: metrics, tracer: tracer)
            identity = try configuration.listen.tls.map { SharedValue(try TLSIdentity($0)) }
            if let identity {
                core.metrics.addGauge(.certificateExpiry) { identity.current.expiry.map { [([], $0)] } ?? [] }
            }
            listeners = try HTTPService.listeners(core, identity) { opened.yield($0) }
        } catch {
            // Close the ledger, so that another attempt can open it.
            try await storage.close()
            if error is CancellationError { throw error }
            throw ServerError(starting: error)
        }
        let group = group(
            of: services(core, listeners), stoppingAt: signals, within: configuration.limits.shutdownTimeout, logger)
        let task = Task {
            defer { opened.finish() }
            try await withCleanup({ try await storage.close() }) { try await group.run() }
        }
        core.warnAboutExpiringRoots()
        await core.warnAboutUnknownGrants()
        guard let port = await port(from: ports, awaiting: listeners.count), !Task.isCancelled else {
            // The server failed to start, or this task was cancelled, maybe when the ports were open already.
            await group.triggerGracefulShutdown()
            do { try await task.value } catch { throw ServerError(starting: error) }
            try Task.checkCancellation()
            throw ServerError(.failed, "the server stopped before it accepted requests")
        }
        return Server(port: port, core: core, identity: identity, group: group, task: task)
    }

    private static func open(
        _ ledger: LedgerOpener, _ settings: ServerConfiguration.Storage, _ logger: Logger
    ) async throws -> any LedgerEngine {
        do { return try await ledger.open(settings, logger) } catch {
            if error is CancellationError { throw error }
            throw ServerError(starting: error)
        }
    }

    /// Returns all services. They shut down in reverse order: first the listeners, then the services that process what
    /// the requests caused.
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
        services += [core.recovery, core.consumption, core.grantExpiry, core.retention] as [any Service]
        services += listeners
        // Shuts down before the listeners, because it ends their open event streams.
        services.append(ChangeService(core: core))
        services.append(DrainService(readiness: core.readiness))
        return services
    }

    private static func group(
        of services: [any Service], stoppingAt signals: [UnixSignal], within timeout: Duration, _ logger: Logger
    ) -> ServiceGroup {
        var plan = ServiceGroupConfiguration(
            services: services.map { .init(service: NamedService(service: $0)) }, gracefulShutdownSignals: signals,
            logger: logger)
        // A client that sends a byte a minute must not prevent the shutdown.
        plan.maximumGracefulShutdownDuration = timeout
        return ServiceGroup(configuration: plan)
    }

    /// Waits until `count` listeners accept requests and returns the API's port; nil if the server ended before.
    private static func port(from ports: AsyncStream<Int?>, awaiting count: Int) async -> Int? {
        var (port, awaited) = (Int?.none, count)
        for await opened in ports {
            port = opened ?? port
            awaited -= 1
            if awaited == 0 { return port }
        }
        return nil
    }

    /// The operations of the API, such as `GET /v1/customers/{id}`.
    package var operations: Set<String> {
        Set(ServerRoutes.router(core).routes.map { "\($0.method.rawValue) \($0.path.description)" })
    }

    /// Stops gracefully: accepts no more requests, finishes the requests in progress and the work that they caused.
    /// Returns when the server has stopped, also if the task is cancelled.
    ///
    /// - Throws: The error with which the server failed, if it did.
    public func stop() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }

    /// Waits until the server has stopped. If the waiting task is cancelled, or its service group shuts down, the server
    /// stops as with ``stop()``, for all that wait for it.
    ///
    /// - Throws: The error with which the server failed, if it did.
    public func wait() async throws {
        let group = group
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await task.value
        } onCancelOrGracefulShutdown: {
            // The handler cannot wait. `task` ends when the shutdown is complete.
            Task { await group.triggerGracefulShutdown() }
        }
    }
}

/// A service whose description is only its type's name. The default description in logs would include all its
/// properties.
private struct NamedService: Service, CustomStringConvertible {
    let service: any Service

    var description: String { "\(type(of: service))" }

    func run() async throws { try await service.run() }
}

/// Records the gauges periodically, for backends that do not call back when they are read.
private struct GaugeService: Service {
    let metrics: ServerMetrics

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                await metrics.sampleGauges()
                // Cancellation ends the service.
                do { try await Task.sleep(for: .seconds(15)) } catch { return }
            } while !Task.isCancelled
        }
    }
}

/// Marks the server as draining when graceful shutdown begins, before the other services shut down.
private struct DrainService: Service {
    let readiness: Readiness

    func run() async throws {
        do { try await gracefulShutdown() } catch is CancellationError {}
        readiness.startDraining()
    }
}
