internal import AppStoreModels
internal import AppStoreServer
package import AppStoreTrust
internal import Foundation
package import StoreSimulator

/// One input of a verifier and the expected result.
///
/// The tables are data: the forgery suite verifies each case with our verifier, the interop suite with Apple's
/// Python library.
package struct VerificationCase: Sendable, CustomStringConvertible {
    package let name: String
    package let kind: SignedKind
    package let setting: Setting
    /// The code of the expected error; nil if the case must be accepted.
    package let code: VerificationError.Code?
    private let made: @Sendable () throws -> Input

    package var description: String { name }

    /// A signed text, and the authority whose root the verifier must trust.
    package struct Input: Sendable {
        package let text: String
        package let authority: Authority
    }

    /// The configuration of the verifier.
    package enum Setting: Sendable, Hashable {
        /// The app, in sandbox and production.
        case standard
        /// The same, for production data: Apple's library accepts one environment at a time.
        case production
        /// The app, without its Apple ID.
        case withoutAppleID
        /// The sandbox only.
        case sandboxOnly
        /// The app lists Xcode as an environment, but no certificate is enrolled.
        case xcodeListed
        /// The app lists Xcode as an environment, and its certificate is enrolled.
        case xcodeEnrolled
        /// Xcode's certificate is enrolled, but the app does not list the environment.
        case xcodeUnlisted
    }

    package init(
        _ name: String, _ code: VerificationError.Code?, _ kind: SignedKind = .transaction,
        _ setting: Setting = .standard, made: @escaping @Sendable () throws -> Input
    ) {
        (self.name, self.code, self.kind, self.setting, self.made) = (name, code, kind, setting, made)
    }

    /// A case that the shared authority signs.
    package init(
        _ name: String, _ code: VerificationError.Code?, _ kind: SignedKind = .transaction,
        _ setting: Setting = .standard, text: @escaping @Sendable (Authority) throws -> String
    ) {
        self.init(name, code, kind, setting) {
            let authority = try TestStore.authority()
            return Input(text: try text(authority), authority: authority)
        }
    }

    /// Creates the signed text.
    package func make() throws -> Input { try made() }

    /// Returns the error with which the verifier refuses a text, or nil if it accepts the text.
    package func verdict(on made: Input, revocation: RevocationOptions? = nil) async throws -> VerificationError? {
        let verifier = try verifier(trusting: made.authority, revocation)
        do {
            _ = try await verifier.trace(of: made.text, as: kind)
            return nil
        } catch {
            return error
        }
    }

    private func verifier(
        trusting authority: Authority, _ revocation: RevocationOptions?
    ) throws -> SignedDataVerifier {
        try TestStore.verifier(trusting: authority, apps: .only([app])) {
            $0.revocation = revocation
            if setting == .xcodeEnrolled || setting == .xcodeUnlisted {
                $0.enrolledXcodeCertificates = [Data(try XcodeSigner.shared().certificate.der)]
            }
        }
    }

    private var app: App {
        let (id, number) = (TestStore.bundleId, TestStore.app.appAppleID)
        return switch setting {
        case .standard, .production, .xcodeUnlisted: TestStore.app
        case .withoutAppleID: App(bundleID: id)
        case .sandboxOnly: App(bundleID: id, appAppleID: number, environments: [.sandbox])
        case .xcodeListed, .xcodeEnrolled:
            App(bundleID: id, appAppleID: number, environments: [.production, .sandbox, .xcode, .localTesting])
        }
    }
}
