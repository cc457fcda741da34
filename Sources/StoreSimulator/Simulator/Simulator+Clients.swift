public import AppStoreModels
public import AppStoreReceipts
public import AppStoreServer
internal import AppStoreTrust
internal import Foundation

// The verifiers and the client with which a developer's server uses the simulator in place of the App Store.
extension Simulator {
    /// Returns a verifier that trusts only this simulator, for its app in both environments.
    ///
    /// The verifier does not check revocation. To rehearse revocation, set `revocation` in the result of
    /// ``verifierConfiguration()``.
    public func verifier() throws(VerificationError) -> SignedDataVerifier {
        try SignedDataVerifier(verifierConfiguration())
    }

    /// Returns the configuration of ``verifier()``, for changes before a verifier is made from it.
    public func verifierConfiguration() throws(VerificationError) -> SignedDataVerifier.Configuration {
        var configuration = try information.verifierConfiguration(accepting: [.production, .sandbox])
        let core = core
        configuration.now = { core.now }
        return configuration
    }

    /// Returns a validator that trusts only this simulator's receipts, for its app in both environments.
    ///
    /// - Throws: ``SimulatorError`` if the certificate authority of receipts, which is created for the first receipt,
    ///   cannot be created or written.
    public func receiptValidator() throws -> ReceiptValidator {
        let core = core
        let root = Data(try core.receiptAuthority().root.der)
        return ReceiptValidator(
            anchors: try TrustAnchors(certificates: [root]), bundleIDs: [information.bundleID],
            environments: [.production, .sandbox], now: { core.now })
    }

    /// Returns a client of this simulator's App Store Server API that signs with its In-App Purchase key.
    ///
    /// - Throws: `SigningError` if the key file is missing from the simulator's folder.
    public func client(_ environment: AppStoreEnvironment = .production) throws -> AppStoreServerClient {
        try client(environment, configuration: AppStoreServerClient.Configuration())
    }

    /// Returns a client of this simulator's App Store Server API with its own configuration. Pauses between retries take
    /// real time, so a test with faults sets `retry` or `clock`.
    ///
    /// - Parameters:
    ///   - environment: Production or the sandbox.
    ///   - configuration: The configuration of the client. Its `now` becomes the simulator's clock.
    /// - Throws: `SigningError` if the key file is missing from the simulator's folder.
    public func client(
        _ environment: AppStoreEnvironment = .production, configuration: AppStoreServerClient.Configuration
    ) throws -> AppStoreServerClient {
        let key = try SigningKey(contentsOf: URL(filePath: information.privateKey), keyID: information.keyID)
        var configuration = configuration
        let core = core
        configuration.now = { core.now }
        return AppStoreServerClient(
            tokens: try APITokenSource(key: key, issuerID: information.issuerID, bundleID: information.bundleID),
            host: try AppStoreHost(url: information.baseURLs[environment], environment: environment),
            configuration: configuration)
    }
}

extension SimulatorInformation {
    /// Returns a configuration that trusts the simulator's roots and accepts its app.
    package func verifierConfiguration(
        accepting environments: Set<AppStoreEnvironment>
    ) throws(VerificationError) -> SignedDataVerifier.Configuration {
        let app = App(bundleID: bundleID, appAppleID: appAppleID, environments: environments)
        var configuration = SignedDataVerifier.Configuration(apps: .only([app]))
        configuration.anchors = try TrustAnchors(contentsOf: rootCertificates.map { URL(filePath: $0) })
        return configuration
    }
}
