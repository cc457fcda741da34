import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator

extension SimulatorConfiguration {
    /// The example catalogue with a frozen clock, as most tests need it.
    static var frozen: SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date(timeIntervalSince1970: 1_767_225_600))
        return configuration
    }
}

extension Simulator {
    /// Returns a client of this simulator.
    func client(_ environment: AppStoreEnvironment) throws -> AppStoreServerClient {
        let key = try SigningKey(contentsOf: URL(filePath: information.privateKey), keyID: information.keyID)
        let tokens = try APITokenSource(key: key, issuerID: information.issuerID, bundleID: information.bundleID)
        return AppStoreServerClient(
            tokens: tokens,
            host: try AppStoreHost(url: information.baseURLs[environment], environment: environment))
    }
}
