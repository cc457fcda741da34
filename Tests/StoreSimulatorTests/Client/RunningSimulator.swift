import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Basics
import Foundation
import StoreSimulator

/// Helpers for tests with a running simulator.
extension Simulator {
    /// The time at which the clocks of the tests are frozen.
    static let start = Date(timeIntervalSince1970: 1_780_000_000)

    /// Runs a simulator while `body` runs.
    static func run<Value>(
        _ change: (inout SimulatorConfiguration) -> Void = { _ in }, _ body: (Simulator) async throws -> Value
    ) async throws -> Value {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(start)
        // Most tests do not need renewals that are charged before the period ends.
        (configuration.production.maximumRenewalLeadTime, configuration.sandbox.maximumRenewalLeadTime) = (0, 0)
        // On a busy machine a receiver may respond after minutes.
        (configuration.production.deliveryTimeout, configuration.sandbox.deliveryTimeout) = (600, 600)
        change(&configuration)
        let simulator = try await Simulator.start(configuration)
        return try await withCleanup({ await simulator.stop() }) { try await body(simulator) }
    }

    /// Runs a simulator, and a receiver for the notifications of both environments.
    static func runWithReceiver<Value>(
        _ change: (inout SimulatorConfiguration) -> Void = { _ in },
        _ body: (Simulator, Receiver) async throws -> Value
    ) async throws -> Value {
        try await Receiver.run { receiver in
            try await run { configuration in
                configuration.production.notificationURL = receiver.url
                configuration.sandbox.notificationURL = receiver.url
                change(&configuration)
            } _: { simulator in
                try await body(simulator, receiver)
            }
        }
    }

    /// The developer's key.
    var key: SigningKey {
        get throws {
            try SigningKey(
                pem: String(contentsOfFile: information.privateKey, encoding: .utf8), keyID: information.keyID)
        }
    }

    /// Returns a client for an environment. By default it has no rate limit, no circuit breaker and no retries.
    func client(
        _ environment: AppStoreEnvironment = .production, key: SigningKey? = nil,
        _ change: (inout AppStoreServerClient.Configuration) -> Void = { _ in }
    ) throws -> AppStoreServerClient {
        var configuration = AppStoreServerClient.Configuration()
        configuration.rateLimit = nil
        configuration.circuitBreaker = nil
        configuration.retry = .never
        configuration.timeout = .seconds(600)
        change(&configuration)
        let tokens = try APITokenSource(
            key: key ?? self.key, issuerID: information.issuerID, bundleID: information.bundleID)
        let host = try AppStoreHost(url: information.baseURLs[environment], environment: environment)
        return AppStoreServerClient(tokens: tokens, host: host, configuration: configuration)
    }

    /// Returns a verifier that trusts this simulator only.
    func verifier(
        _ change: (inout SignedDataVerifier.Configuration) -> Void = { _ in }
    ) throws -> SignedDataVerifier {
        let app = App(bundleID: information.bundleID, appAppleID: information.appAppleID)
        var configuration = SignedDataVerifier.Configuration(apps: .only([app]))
        let roots = try information.rootCertificates.map { try Data(contentsOf: URL(filePath: $0)) }
        configuration.anchors = try TrustAnchors(certificates: roots)
        change(&configuration)
        return try SignedDataVerifier(configuration)
    }

    /// Buys a product. Returns the transaction's identifier.
    @discardableResult
    func buy(
        _ product: String, for customer: String = "anna", in environment: AppStoreEnvironment = .production
    ) async throws -> String {
        let outcome = try await perform(
            .purchase(customer: customer, product: product, introductory: false), in: environment)
        guard let id = outcome.transactionID else { throw StoreError(.unknownTransaction, "nothing was bought") }
        return id
    }
}
