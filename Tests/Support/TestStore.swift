internal import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import Crypto
package import Foundation
package import StoreSimulator

/// The store that tests share: one authority, one app, one instant.
package enum TestStore {
    /// The instant at which everything happens.
    package static let now = Date(timeIntervalSince1970: 1_760_000_000)
    /// The same as signed data writes it.
    package static let signedDate = "1760000000000"
    package static let bundleId = "com.example.app"
    package static let appAppleId = "1234567890"

    private static let shared = Result { try Authority(now: now) }

    /// The authority that signs, made once a run.
    package static func authority() throws -> Authority { try shared.get() }

    /// The app in both environments.
    package static let app = App(bundleID: bundleId, appAppleID: 1_234_567_890)

    /// A verifier that trusts `authority` (default: the shared one) at ``now``.
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
