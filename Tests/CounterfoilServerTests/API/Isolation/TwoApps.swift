import AppStoreModels
import AppStoreTrust
import Basics
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// A server with two apps, each in both environments. Customers with the same names and account tokens buy at random in
/// all four places.
struct TwoApps {
    /// An app in an environment.
    struct Place: Sendable, CustomStringConvertible {
        var app: String
        var environment: AppStoreEnvironment

        var description: String { "\(app) \(environment.rawValue)" }
        /// The parameters of requests about this place.
        var query: String { "app=\(app)&environment=\(environment.rawValue)" }
        /// The name of the webhook endpoint and of the key of this place.
        var name: String { "\(app).\(environment.rawValue)" }
    }

    static let otherApp = "com.example.other"
    static let names = ["anna", "ben", "carl"]

    /// The server, and the App Store of the first app.
    let world: World
    /// The App Store of the other app.
    let other: Simulator

    /// The customer identifiers of the server: the account tokens.
    static func customer(_ index: Int) -> String { "00000000-0000-4000-8000-00000000000\(index)" }

    func simulator(of place: Place) -> Simulator { place.app == Self.otherApp ? other : world.simulator }

    var places: [Place] {
        [world.simulator.information.bundleID, Self.otherApp].flatMap { app in
            [AppStoreEnvironment.production, .sandbox].map { Place(app: app, environment: $0) }
        }
    }

    func appEnvironment(_ place: Place) throws -> AppEnvironment {
        try #require(try world.server.core.scopes[place.app, place.environment])
    }

    /// A client with a key for some of the places.
    func client(_ key: String) -> TestAPIClient { TestAPIClient(url: world.url, key: key) }

    private struct Addition: Sendable {
        var app: ServerConfiguration.App
        var anchors: TrustAnchors
        /// The URL of the webhook receiver.
        var receiver: String
    }

    /// Calls `body` with two apps whose customers made random purchases.
    ///
    /// - Parameter seed: The seed of the purchases and of the first app's identifiers, an odd number.
    static func run(seed: UInt64, _ body: (TwoApps) async throws -> Void) async throws {
        let other = try await Simulator.start(configuration(seed + 1))
        try await withCleanup({ await other.stop() }) {
            try await WebhookReceiver.run { receiver in try await run(other, receiver.url, seed, body) }
        }
    }

    private static func run(
        _ other: Simulator, _ receiver: String, _ seed: UInt64, _ body: (TwoApps) async throws -> Void
    ) async throws {
        // The root certificates of both simulators are known only when both run.
        let addition = Mutex<Addition?>(nil)
        try await World.run(
            simulator: { $0 = Self.configuration(seed) },
            server: { configuration in
                TestAPIClient.configure(&configuration)
                if let found = addition.withLock({ $0 }) { Self.add(found, to: &configuration) }
            },
            { world in
                let roots = try World.roots(of: world.simulator) + World.roots(of: other)
                let added = Addition(
                    app: try World.app(of: other), anchors: try TrustAnchors(certificates: roots), receiver: receiver)
                addition.withLock { $0 = added }
                try await world.stopServer()
                try await world.startServer()
                let url = world.url + "/apple/notifications"
                for environment in [AppStoreEnvironment.production, .sandbox] {
                    other.configure(environment) { $0.notificationURL = url }
                }
                let apps = TwoApps(world: world, other: other)
                try await apps.buy(seed)
                try await body(apps)
            })
    }

    private static func configuration(_ seed: UInt64) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        if seed.isMultiple(of: 2) {
            configuration.app = SimulatedApp(bundleID: otherApp, appAppleID: 987_654_321)
        }
        configuration.seed = seed
        configuration.clock = .frozen(World.start)
        for settings in [\SimulatorConfiguration.production, \SimulatorConfiguration.sandbox] {
            configuration[keyPath: settings].deliveryTimeout = 600
            configuration[keyPath: settings].maximumRenewalLeadTime = 0
            configuration[keyPath: settings].enforcesRateLimits = false
        }
        return configuration
    }

    /// Adds the other app, and for each app, each environment and each place a key and an endpoint with its name.
    private static func add(_ addition: Addition, to configuration: inout ServerConfiguration) {
        configuration.apps.append(addition.app)
        configuration.trust.anchors = addition.anchors
        configuration.trust.receiptAnchors = addition.anchors
        configuration.console.isEnabled = true
        configuration.limits.requestsPerSecond = 100_000
        configuration.limits.requestsPerSecondOfCustomer = 100_000
        let environments: [AppStoreEnvironment] = [.production, .sandbox]
        var limits: [(name: String, apps: Set<String>?, environments: Set<AppStoreEnvironment>?)] = []
        for environment in environments { limits.append((environment.rawValue, nil, [environment])) }
        for app in configuration.apps.map(\.bundleID) {
            limits.append((app, [app], nil))
            for environment in environments {
                limits.append((Place(app: app, environment: environment).name, [app], [environment]))
            }
        }
        for limit in limits {
            configuration.keys.append(
                .init(
                    name: limit.name, hash: APIKeyText.hash(of: limit.name), scopes: Set(APIScope.all),
                    apps: limit.apps, environments: limit.environments))
            var webhook = World.webhook(limit.name, addition.receiver + "/" + limit.name)
            (webhook.apps, webhook.environments) = (limit.apps, limit.environments)
            configuration.webhooks.append(webhook)
        }
    }

    private static let products = [
        "com.example.premium.yearly", "com.example.news.monthly", "com.example.coins.100", "com.example.unlock",
        "com.example.season.pass", "com.example.basic.monthly",
    ]

    /// Each customer subscribes in each place, and buys more at random.
    private func buy(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        for place in places {
            for (index, name) in Self.names.enumerated() {
                let token = AppAccountToken(UUID(uuidString: Self.customer(index)))
                var products = ["com.example.premium.monthly"]
                for _ in 0..<2 { products.append(Self.products.randomElement(using: &random) ?? Self.products[0]) }
                for product in products {
                    // The simulator refuses what the customer has already.
                    do {
                        try await simulator(of: place).perform(
                            .purchase(
                                customer: name, product: product, introductory: false, appAccountToken: token),
                            in: place.environment)
                    } catch is StoreError {}
                }
            }
        }
        try await world.deliverWebhooks()
    }
}
