import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator

extension Verify {
    /// Returns a configuration that trusts a running simulator: its roots, app, clock and OCSP responder.
    func configuration(of client: ControlClient) async throws -> SignedDataVerifier.Configuration {
        let information = client.information
        let clock: ClockLine = try await client.call("GET", ["clock"])
        let now = clock.now
        let environments = environments.isEmpty ? EnvironmentName.allCases : environments
        var configuration: SignedDataVerifier.Configuration
        do {
            configuration = try information.verifierConfiguration(accepting: Set(environments.map(\.environment)))
        } catch {
            throw Refusal(code: "\(error.code)", message: "the simulator's certificates: \(error.message)")
        }
        configuration.now = { now }
        configuration.validationTime = trust.asOf ?? .now
        configuration.revocation = revocationOptions(
            revocation ?? .soft, hosts: [URL(string: information.controlURL)?.host()].compactMap(\.self))
        return configuration
    }
}
