import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport

/// Verifies all cases with Apple's Python library, once for all tests.
enum Interop {
    /// The library's results.
    struct Results: Decodable, Sendable {
        struct Verdict: Decodable, Sendable {
            let name: String
            let refusal: String?
        }

        let verdicts: [Verdict]
        /// Data signed by the Python script, by kind.
        let signed: [String: String]

        /// The reasons of refusals by the cases' names.
        var refusals: [String: String] {
            Dictionary(
                uniqueKeysWithValues: verdicts.compactMap { verdict in verdict.refusal.map { (verdict.name, $0) } })
        }
    }

    static let results = Task { try await verifyAll() }

    private struct Input: Encodable {
        struct Verification: Encodable {
            let name: String
            let kind: String
            let text: String
            let root: Data
            let environment: String
            let bundleId: String
            let appAppleId: Int64?
        }

        struct SigningJob: Encodable {
            let kind: String
            let payload: String
            let key: String
            let x5c: [Data]
        }

        let verify: [Verification]
        let sign: [SigningJob]
    }

    private static func verifyAll() async throws -> Results {
        let authority = try TestStore.authority()
        let input = Input(
            verify: try (VerificationCases.forgeries + VerificationCases.accepted).map(verification),
            sign: SignedKind.allCases.map { kind in
                .init(
                    kind: kind.rawValue, payload: Members(kind).json, key: authority.signingKeyPEM,
                    x5c: authority.chain.map { Data($0) })
            })
        return try await PythonEnvironment.run("verify_signed_data.py", input)
    }

    private static func verification(_ testCase: VerificationCase) throws -> Input.Verification {
        let made = try testCase.make()
        let environment: AppStoreEnvironment =
            switch testCase.setting {
            case .standard, .sandboxOnly: .sandbox
            case .production, .withoutAppleID: .production
            case .xcodeListed, .xcodeEnrolled, .xcodeUnlisted: .xcode
            }
        return .init(
            name: testCase.name, kind: testCase.kind.rawValue, text: made.text, root: Data(made.authority.root.der),
            environment: environment.rawValue, bundleId: TestStore.bundleId,
            appAppleId: testCase.setting == .withoutAppleID ? nil : TestStore.app.appAppleID)
    }
}
