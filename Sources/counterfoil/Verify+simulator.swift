import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator

extension Verify {
    /// Whom a running simulator makes to be believed: its roots, its app in both environments, its clock, its responder.
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
        configuration.validAt = trust.asOf ?? .now
        configuration.revocation = revocationOptions(
            revocation ?? .soft, hosts: [URL(string: information.controlURL)?.host()].compactMap(\.self))
        return configuration
    }
}
