import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport

/// Apple's Python library in an environment of its own, asked once for all tests.
enum Interop {
    /// Why the suite is skipped.
    static let absence = "needs the Python environment that `make test` sets up with Tests/Interop/setup"

    /// Whether the environment is there.
    static let isReady = FileManager.default.isExecutableFile(atPath: python.path)

    /// Whether a missing environment is a failure: where it must not go unnoticed.
    static let isRequired = ProcessInfo.processInfo.environment["COUNTERFOIL_INTEROP"] == "required"

    private static let python = Fixtures.package.appending(path: ".build/interop-venv/bin/python")

    struct Missing: Error, CustomStringConvertible { let description = absence }

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
        return try JSONDecoder().decode(Answers.self, from: await run("opinion.py", JSONEncoder().encode(questions)))
    }

    /// Runs a script of Tests/Interop on questions in JSON and returns its answers in JSON.
    static func run(_ script: String, _ questions: Data) async throws -> Data {
        guard isReady else { throw Missing() }
        return try await Tool.inTemporaryFolder { folder in
            let (input, output) = (folder.appending(path: "questions.json"), folder.appending(path: "answers.json"))
            try questions.write(to: input)
            let script = Fixtures.package.appending(path: "Tests/Interop/\(script)").path
            let outcome = try await Tool.run(python.path, [script, input.path, output.path])
            guard outcome.status == 0 else { throw Failure(description: outcome.errors) }
            return try Data(contentsOf: output)
        }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

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
            appAppleId: specimen.setting == .withoutAppleID ? nil : TestStore.app.appAppleId)
    }
}
