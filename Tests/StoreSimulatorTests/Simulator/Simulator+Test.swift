import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator

extension SimulatorConfiguration {
    /// The example catalogue with a frozen clock, as most tests need it.
    static var frozen: SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date(timeIntervalSince1970: 1_767_225_600))
        // On a busy machine a receiver may respond after minutes.
        (configuration.production.deliveryTimeout, configuration.sandbox.deliveryTimeout) = (600, 600)
        return configuration
    }
}

extension Simulator {
    /// Returns a client of this simulator.
    func client(_ environment: AppStoreEnvironment) throws -> AppStoreServerClient {
        let key = try SigningKey(contentsOf: URL(filePath: information.privateKey), keyID: information.keyID)
        let tokens = try APITokenSource(key: key, issuerID: information.issuerID, bundleID: information.bundleID)
        var configuration = AppStoreServerClient.Configuration()
        configuration.timeout = .seconds(600)
        return AppStoreServerClient(
            tokens: tokens, host: try AppStoreHost(url: information.baseURLs[environment], environment: environment),
            configuration: configuration)
    }
}
