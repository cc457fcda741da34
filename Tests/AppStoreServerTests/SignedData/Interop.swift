import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport

/// Apple's Python library in an environment of its own, asked once for all tests.
enum Interop {
    /// What the library said.
    struct Answers: Decodable, Sendable {
        struct Verdict: Decodable, Sendable {
            let name: String
            let refusal: String?
        }

        let verdicts: [Verdict]
        /// Data that Python signed, by its kind.
        let signed: [String: String]

        /// Why it refused, by the specimen's name.
        var refusals: [String: String] {
            Dictionary(
                uniqueKeysWithValues: verdicts.compactMap { verdict in verdict.refusal.map { (verdict.name, $0) } })
        }
    }

    static let answers = Task { try await ask() }

    private struct Questions: Encodable {
        struct Verification: Encodable {
            let name: String
            let kind: String
            let text: String
            let root: Data
            let environment: String
            let bundleId: String
            let appAppleId: Int64?
        }

        struct Order: Encodable {
            let kind: String
            let payload: String
            let key: String
            let x5c: [Data]
        }

        let verify: [Verification]
        let sign: [Order]
    }

    private static func ask() async throws -> Answers {
        let authority = try TestStore.authority()
        let questions = Questions(
            verify: try (Specimens.forgeries + Specimens.accepted).map(question),
            sign: SignedKind.allCases.map { kind in
                .init(
                    kind: kind.rawValue, payload: Members(kind).json, key: authority.signingKeyPEM,
                    x5c: authority.chain.map { Data($0) })
            })
        return try await PythonEnvironment.ask("opinion.py", questions)
    }

    private static func question(_ specimen: Specimen) throws -> Questions.Verification {
        let made = try specimen.make()
        let environment: AppStoreEnvironment =
            switch specimen.setting {
            case .standard, .sandboxOnly: .sandbox
            case .production, .withoutAppleID: .production
            case .xcodeListed, .xcodeEnrolled, .xcodeUnlisted: .xcode
            }
        return .init(
            name: specimen.name, kind: specimen.kind.rawValue, text: made.text, root: Data(made.authority.root.der),
            environment: environment.rawValue, bundleId: TestStore.bundleId,
            appAppleId: specimen.setting == .withoutAppleID ? nil : TestStore.app.appAppleID)
    }
}
