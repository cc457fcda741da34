import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Basics
import CoreMetrics
import CounterfoilServer
import Entitlements
import Foundation
import Logging
import MemoryLedger
import StoreSimulator
import Synchronization
import TestSupport
import Tracing

@testable import Ledger
@testable import LedgerServices

/// A simulated App Store and a server that receives its notifications, on loopback, with a shared clock that only the
/// test advances.
final class World: Sendable {
    static let start = Date(timeIntervalSince1970: 1_780_000_000)

    let simulator: Simulator
    let folder: URL
    private let change: @Sendable (inout ServerConfiguration) -> Void
    private let metrics: @Sendable () -> any MetricsFactory
    private let tracer: any Tracer
    let ledger: LedgerOpener
    private let logger: Logger
    private let state = Mutex<(server: Server?, port: Int)>((nil, 0))
    /// The number of seconds by which the server's clock is ahead of the App Store's.
    let clockLead = Mutex(0.0)

    private init(
        _ simulator: Simulator, _ folder: URL, _ logger: Logger,
        _ metrics: @escaping @Sendable () -> any MetricsFactory, _ tracer: any Tracer,
        _ ledger: LedgerOpener, _ change: @escaping @Sendable (inout ServerConfiguration) -> Void
    ) {
        self.simulator = simulator
        self.folder = folder
        self.logger = logger
        self.metrics = metrics
        self.tracer = tracer
        self.ledger = ledger
        self.change = change
    }

    /// Calls `body` with a world that runs until `body` returns.
    static func run<Value>(
        simulator changeSimulator: (inout SimulatorConfiguration) -> Void = { _ in },
        server changeServer: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        metrics: @escaping @Sendable () -> any MetricsFactory = { PrometheusMetrics() },
        tracer: any Tracer = NoOpTracer(),
        ledger: LedgerOpener? = nil,
        logger: Logger? = nil, _ body: (World) async throws -> Value
    ) async throws -> Value {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(start)
        // Responses may be slow on a busy machine, and with a stopped clock the simulator would not send again.
        (configuration.production.deliveryTimeout, configuration.sandbox.deliveryTimeout) = (600, 600)
        // Most tests do not depend on renewals before the end of a period.
        (configuration.production.maximumRenewalLeadTime, configuration.sandbox.maximumRenewalLeadTime) = (0, 0)
        changeSimulator(&configuration)
        let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = World(
            try await Simulator.start(configuration), folder, logger ?? quietLogger, metrics, tracer,
            ledger ?? newLedger(),
            changeServer)
        return try await withCleanup({
            await world.simulator.stop()
            try await world.stopServer()
        }) {
            try await world.startServer()
            return try await body(world)
        }
    }

    /// Whether worlds that name no engine use the ledger in memory: see `make test-memory`.
    static let usesMemory = ProcessInfo.processInfo.environment["COUNTERFOIL_ENGINE"] == "memory"

    /// Returns a new ledger of the engine under test.
    private static func newLedger() -> LedgerOpener {
        guard usesMemory else { return .configured }
        // Row identifiers have gaps, like those of a database to which several servers write.
        let memory = MemoryLedger(step: 3)
        return LedgerOpener { _, _ in memory }
    }

    private static let quietLogger: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    /// The running server.
    var server: Server {
        get throws {
            guard let server = state.withLock({ $0.server }) else { throw StorageError(.failed, "no server runs") }
            return server
        }
    }

    /// The base URL of the server.
    var url: String { "http://127.0.0.1:\(state.withLock { $0.port })" }

    /// Returns the configuration of a server that trusts only the simulator.
    func configuration() throws -> ServerConfiguration {
        var configuration = ServerConfiguration(apps: [try Self.app(of: simulator)])
        configuration.listen.port = state.withLock { $0.port }
        configuration.trust.anchors = try TrustAnchors(certificates: Self.roots(of: simulator))
        configuration.trust.receiptAnchors = configuration.trust.anchors
        configuration.trust.revocation = .off
        configuration.storage.path = folder.appending(path: "counterfoil.sqlite").path
        // Other tests cover synchronous commits.
        configuration.storage.synchronous = .normal
        configuration.storage.cacheMiB = 4
        // On a busy machine a request may take minutes.
        configuration.limits.requestTimeout = .seconds(600)
        configuration.limits.historyTimeout = .seconds(600)
        configuration.limits.appStoreTimeout = .seconds(600)
        configuration.limits.sendingTime = .seconds(600)
        configuration.limits.idleTime = .seconds(600)
        configuration.limits.webhookTimeout = .seconds(600)
        // Tests of recovery start it themselves.
        configuration.recovery.isEnabled = false
        change(&configuration)
        return configuration
    }

    /// Returns the settings of a simulator's app.
    static func app(of simulator: Simulator) throws -> ServerConfiguration.App {
        let information = simulator.information
        var app = ServerConfiguration.App(bundleID: information.bundleID, appAppleID: information.appAppleID)
        let pem = try String(contentsOfFile: information.privateKey, encoding: .utf8)
        app.key = .init(
            issuerID: information.issuerID, signingKey: try SigningKey(pem: pem, keyID: information.keyID))
        for environment in [AppStoreEnvironment.production, .sandbox] {
            app.hosts[environment] = try AppStoreHost(
                url: information.baseURLs[environment], environment: environment)
        }
        app.catalogue.entitlements = ["premium": ["com.example.premium.monthly", "com.example.premium.yearly"]]
        return app
    }

    /// Returns the root certificates of a simulator.
    static func roots(of simulator: Simulator) throws -> [Data] {
        try simulator.information.rootCertificates.map { try Data(contentsOf: URL(filePath: $0)) }
    }

    /// Starts the server on a free port, and makes both environments notify it.
    func startServer() async throws {
        let simulator = simulator
        var configuration = try configuration()
        // The previous port may be in use by another test or a connection.
        configuration.listen.port = 0
        let server = try await Server.start(
            configuration, clock: .showing { simulator.core.now + self.clockLead.withLock { $0 } },
            logger: logger, metrics: metrics(), tracer: tracer, ledger: ledger)
        state.withLock { $0 = (server, server.port) }
        let url = url
        for environment in [AppStoreEnvironment.production, .sandbox] {
            simulator.configure(environment) { $0.notificationURL = url + "/apple/notifications" }
        }
        // If its first check takes longer than half a second, as on a busy machine, the ledger counts as stalled until the
        // check ends.
        let readiness = server.core.readiness
        try await waitUntil("the ledger is checked") { await readiness.ledgerProblem() != "storage_stalled" }
    }

    /// Stops the server. Its ledger stays.
    func stopServer() async throws {
        let server = state.withLock { state in
            defer { state.server = nil }
            return state.server
        }
        try await server?.stop()
    }

    /// Returns the simulator's app in an environment.
    func appEnvironment(_ environment: AppStoreEnvironment = .production) throws -> AppEnvironment {
        guard let appEnvironment = try server.core.scopes[simulator.information.bundleID, environment] else {
            throw StorageError(.failed, "no such app and environment")
        }
        return appEnvironment
    }

    /// Waits until all received notifications are processed.
    func waitUntilIdle() async throws {
        let processor = try server.core.processor
        try await waitForEnd("all received notifications are processed") { await processor.waitUntilIdle() }
    }
}
