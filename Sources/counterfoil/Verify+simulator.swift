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
        let app = App(
            bundleID: information.bundleID, appAppleID: information.appAppleID,
            environments: Set(environments.map(\.environment)))
        var configuration = SignedDataVerifier.Configuration(apps: .only([app]))
        do {
            configuration.anchors = try TrustAnchors(
                contentsOf: information.rootCertificates.map { URL(filePath: $0) })
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
