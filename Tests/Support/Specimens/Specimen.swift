internal import AppStoreModels
internal import AppStoreServer
package import AppStoreTrust
internal import Foundation
package import StoreSimulator

/// One input to a verifier and what has to come of it.
///
/// The tables of specimens are data: the forgery suite runs each against our verifier, the interop suite runs the same
/// against Apple's Python library.
package struct Specimen: Sendable, CustomStringConvertible {
    package let name: String
    package let kind: SignedKind
    package let setting: Setting
    /// The reason for the refusal; nil for what has to be accepted.
    package let code: VerificationError.Code?
    private let made: @Sendable () throws -> Made

    package var description: String { name }

    /// A text, and who has to be trusted for everything else about it to be right.
    package struct Made: Sendable {
        package let text: String
        package let authority: Authority
    }

    /// How the verifier is configured.
    package enum Setting: Sendable, Hashable {
        /// The app in sandbox and production.
        case standard
        /// The same, and the data is for production: Apple's library knows one environment at a time.
        case production
        /// The app without its Apple ID.
        case withoutAppleID
        /// The sandbox alone.
        case sandboxOnly
        /// Xcode is an environment of the app, but its certificate is not enrolled.
        case xcodeListed
        /// Xcode is an environment of the app and its certificate is enrolled.
        case xcodeEnrolled
        /// The certificate is enrolled, but the app does not list the environment.
        case xcodeUnlisted
    }

    package init(
        _ name: String, _ code: VerificationError.Code?, _ kind: SignedKind = .transaction,
        _ setting: Setting = .standard, made: @escaping @Sendable () throws -> Made
    ) {
        (self.name, self.code, self.kind, self.setting, self.made) = (name, code, kind, setting, made)
    }

    /// A specimen of the shared authority.
    package init(
        _ name: String, _ code: VerificationError.Code?, _ kind: SignedKind = .transaction,
        _ setting: Setting = .standard, text: @escaping @Sendable (Authority) throws -> String
    ) {
        self.init(name, code, kind, setting) {
            let authority = try TestStore.authority()
            return Made(text: try text(authority), authority: authority)
        }
    }

    /// Makes the text.
    package func make() throws -> Made { try made() }

    /// What a verifier says to a text: nil for accepted, else the reason.
    package func verdict(on made: Made, revocation: RevocationOptions? = nil) async throws -> VerificationError? {
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
