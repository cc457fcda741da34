internal import LedgerServices
internal import Ledger
import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Entitlements
import Foundation
import Logging
import StoreSimulator

/// The two parties of the demo: a simulated App Store and a server, on loopback, that know each other over HTTP only.
final class DemoWorld {
    /// The first of January 2026, nine o'clock in UTC.
    static let start = Date(timeIntervalSince1970: 1_767_258_000)

    let simulator: Simulator
    private let folder: URL
    private let key = APIKeyText.make()
    private var server: Server?
    private var port = 0

    private init(in folder: URL) async throws {
        self.folder = folder
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Self.start)
        configuration.directory = folder.appending(path: "simulator")
        configuration.production.gracePeriod = .sixteenDays
        // The clock stands still while the server asks, and an hour's quota would last for ever.
        configuration.production.enforcesRateLimits = false
        simulator = try await Simulator.start(configuration)
    }

    /// Has both live through `story` in a temporary folder, and be looked at in `afterwards`. The folder goes in the end, also
    /// where Ctrl-C or SIGTERM ends the process while they start, live or stop.
    static func run<Value>(
        _ story: (DemoWorld) async throws -> Value, afterwards: (DemoWorld, Value) async -> Void
    ) async throws -> Value {
        try await TemporaryFolder.use { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let world = try await DemoWorld(in: folder)
            do {
                try await world.startServer()
                let value = try await story(world)
                await afterwards(world, value)
                await world.stop()
                return value
            } catch {
                await world.stop()
                throw error
            }
        }
    }

    private func stop() async {
        do { try await stopServer() } catch { Output.error("the server did not end well") }
        await simulator.stop()
    }

    /// Where the server is.
    var url: String { "http://127.0.0.1:\(port)" }
    /// The ledger.
    var database: String { folder.appending(path: "counterfoil.sqlite").path }
    /// Where the simulator keeps what its commands need.
    var simulatorFolder: String { folder.appending(path: "simulator").path }
    /// Asks the server.
    var client: DemoServerClient { DemoServerClient(url: url, key: key) }

    /// Starts the server, at the port that it had, and has it notified.
    func startServer() async throws {
        var logger = Logger(label: "demo")
        logger.logLevel = .critical
        let server = try await Server.start(try configuration(), logger: logger)
        (self.server, port) = (server, server.port)
        let url = url
        simulator.configure { $0.notificationURL = url + "/apple/notifications" }
    }

    /// Stops the server; its file stays.
    func stopServer() async throws {
        let running = server
        server = nil
        try await running?.stop()
    }

    /// Waits until the server has read all that it received, and has looked at the clock.
    func settle() async throws {
        try await simulator.settle()
        guard let core = server?.core else { return }
        try await core.clock.followed?.read()
        await core.processor.settle()
    }

    /// Has the server look now for what it has missed, as it does by itself when it starts and every quarter of an hour.
    func recover() async throws {
        guard let core = server?.core else { return }
        try await core.clock.followed?.read()
        try await core.recovery.runNow()
        await core.processor.settle()
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
        // By the machine's clock, on which the thirteen months are seconds. The demo says when.
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
