public import AppStoreModels
public import AppStoreServer
internal import AppStoreTrust
internal import Foundation

/// What a developer's server talks to the simulator with: the parts that it talks to the App Store with.
extension Simulator {
    /// A verifier that trusts this simulator and nobody else, for its app in both environments.
    ///
    /// Revocation is not asked about; set `revocation` of ``trust()`` to rehearse it.
    public func verifier() throws(VerificationError) -> SignedDataVerifier { try SignedDataVerifier(trust()) }

    /// What ``verifier()`` is made of, to be changed.
    public func trust() throws(VerificationError) -> SignedDataVerifier.Configuration {
        var configuration = SignedDataVerifier.Configuration(
            apps: .only([App(bundleID: information.bundleID, appAppleID: information.appAppleID)]))
        configuration.anchors = try TrustAnchors(
            contentsOf: information.rootCertificates.map { URL(filePath: $0) })
        let core = core
        configuration.now = { core.now }
        return configuration
    }

    /// A client of this simulator's App Store Server API, with its In-App Purchase key.
    ///
    /// - Throws: `SigningError` where the key's file in the simulator's folder is gone.
    public func client(_ environment: AppStoreEnvironment = .production) throws -> AppStoreServerClient {
        let key = try SigningKey(contentsOf: URL(filePath: information.privateKey), keyID: information.keyID)
        var configuration = AppStoreServerClient.Configuration()
        let core = core
        configuration.now = { core.now }
        return AppStoreServerClient(
            tokens: try APITokenSource(key: key, issuerID: information.issuerID, bundleID: information.bundleID),
            host: try AppStoreHost(url: information.baseURLs[environment], environment: environment),
            configuration: configuration)
    }
}
