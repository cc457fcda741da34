internal import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import Crypto
package import Foundation
package import StoreSimulator

/// The store that tests share: one authority, one app, one instant.
package enum TestStore {
    /// The instant of every test.
    package static let now = Date(timeIntervalSince1970: 1_760_000_000)
    /// The same instant as in signed data.
    package static let signedDate = "1760000000000"
    package static let bundleId = "com.example.app"
    package static let appAppleId = "1234567890"

    private static let shared = Result { try Authority(now: now) }

    /// The signing authority, created once per run.
    package static func authority() throws -> Authority { try shared.get() }

    /// The app, in sandbox and production.
    package static let app = App(bundleID: bundleId, appAppleID: 1_234_567_890)

    /// Returns a verifier that trusts `authority` (default: the shared one) at ``now``.
    package static func verifier(
        trusting authority: Authority? = nil, apps: AcceptedApps = .only([app]),
        _ change: (inout SignedDataVerifier.Configuration) throws -> Void = { _ in }
    ) throws -> SignedDataVerifier {
        var configuration = SignedDataVerifier.Configuration(apps: apps)
        configuration.anchors = try TrustAnchors(certificates: [Data((authority ?? Self.authority()).root.der)])
        configuration.now = { now }
        try change(&configuration)
        return try SignedDataVerifier(configuration)
    }
}
