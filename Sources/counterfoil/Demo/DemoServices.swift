import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Basics
import CounterfoilServer
import Entitlements
import Foundation
internal import Ledger
internal import LedgerServices
import Logging
import StoreSimulator

/// The demo's simulated App Store and its server, on loopback. They communicate only over HTTP.
final class DemoServices {
    /// 2026-01-01 09:00:00 UTC.
    static let start = Date(timeIntervalSince1970: 1_767_258_000)

    let simulator: Simulator
    private let folder: URL
    /// A key of the server's API.
    let key = APIKeyText.make()
    private var server: Server?
    private var port = 0

    private init(in folder: URL) async throws {
        self.folder = folder
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Self.start)
        configuration.directory = folder.appending(path: "simulator")
        configuration.production.gracePeriod = .sixteenDays
        // The simulated clock does not move while the server sends requests, so an hourly quota would never reset.
        configuration.production.enforcesRateLimits = false
        simulator = try await Simulator.start(configuration)
    }

    /// Starts both in a temporary folder, runs `body`, then `afterwards`, and stops both.
    ///
    /// The folder is removed in every case, also if a signal ends the process.
    static func run<Value>(
        _ body: (DemoServices) async throws -> Value, afterwards: (DemoServices, Value) async -> Void
    ) async throws -> Value {
        try await TemporaryFolder.use { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let services = try await DemoServices(in: folder)
            return try await withCleanup({ await services.stop() }) {
                try await services.startServer()
                let value = try await body(services)
                await afterwards(services, value)
                return value
            }
        }
    }

    private func stop() async {
        do { try await stopServer() } catch { Output.error("the server reported an error while stopping") }
        await simulator.stop()
    }

    /// The server's URL.
    var url: String { "http://127.0.0.1:\(port)" }
    /// The path of the ledger.
    var database: String { folder.appending(path: "counterfoil.sqlite").path }
    /// The path of the simulator's folder, which `--simulator` takes.
    var simulatorFolder: String { folder.appending(path: "simulator").path }
    /// A client for the server's API.
    var client: DemoServerClient { DemoServerClient(server: ServerClient(url: url, key: key)) }

    /// Starts the server, on its previous port after a restart, and sets the simulator's notification URL to it.
    func startServer() async throws {
        var logger = Logger(label: "demo")
        logger.logLevel = .critical
        let server = try await Server.start(try configuration(), logger: logger)
        (self.server, port) = (server, server.port)
        let url = url
        simulator.configure { $0.notificationURL = url + "/apple/notifications" }
    }

    /// Stops the server. The ledger stays.
    func stopServer() async throws {
        let running = server
        server = nil
        try await running?.stop()
    }

    /// Waits until the server has processed all received notifications and has read the simulator's clock.
    func waitUntilIdle() async throws {
        try await simulator.processDueEvents()
        guard let core = server?.core else { return }
        try await core.clock.followed?.read()
        await core.processor.waitUntilIdle()
    }

    /// Runs recovery now. A server normally runs it by itself at start and every 15 minutes.
    func recover() async throws {
        guard let core = server?.core else { return }
        try await core.clock.followed?.read()
        try await core.recovery.runNow()
        await core.processor.waitUntilIdle()
    }

    private func configuration() throws -> ServerConfiguration {
        let information = simulator.information
        var app = ServerConfiguration.App(bundleID: information.bundleID, appAppleID: information.appAppleID)
        let pem = try String(contentsOfFile: information.privateKey, encoding: .utf8)
        app.key = .init(
            issuerID: information.issuerID, signingKey: try SigningKey(pem: pem, keyID: information.keyID))
        for environment in [AppStoreEnvironment.production, .sandbox] {
            app.hosts[environment] = try AppStoreHost(
                url: information.baseURLs[environment], environment: environment)
        }
        app.catalogue.entitlements = Self.entitlements
        if let season = Period(3, .month) { app.catalogue.durations = ["com.example.season.pass": season] }
        var configuration = ServerConfiguration(apps: [app])
        configuration.listen.port = port
        let roots = try information.rootCertificates.map { try Data(contentsOf: URL(filePath: $0)) }
        configuration.trust.anchors = try TrustAnchors(certificates: roots)
        configuration.trust.receiptAnchors = configuration.trust.anchors
        configuration.trust.revocation = .off
        configuration.storage.path = database
        configuration.console.isEnabled = true
        configuration.clock = .simulator(information.controlURL)
        // Recovery is scheduled by the real clock, on which the 13 months last seconds. The demo starts it explicitly.
        configuration.recovery.isEnabled = false
        configuration.keys = [
            .init(name: "demo", hash: APIKeyText.hash(of: key), scopes: Set(APIScope.all))
        ]
        return configuration
    }

    private static let entitlements: [String: Set<String>] = [
        "premium": ["com.example.premium.monthly", "com.example.premium.yearly", "com.example.unlock"],
        "basic": [
            "com.example.basic.monthly", "com.example.premium.monthly", "com.example.premium.yearly",
            "com.example.unlock",
        ],
        "news": ["com.example.news.monthly"],
        "season": ["com.example.season.pass"],
    ]
}
