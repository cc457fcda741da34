import Foundation
import TestSupport

/// Apple's Python library as a client of a simulator.
enum PythonClient {
    /// Why the suite is skipped.
    static let absence = "needs the Python environment that `make test` sets up with Tests/Interop/setup"

    /// Whether the environment is there.
    static let isReady = FileManager.default.isExecutableFile(atPath: python.path)

    /// Whether a missing environment is a failure: where it must not go unnoticed.
    static let isRequired = ProcessInfo.processInfo.environment["COUNTERFOIL_INTEROP"] == "required"

    private static let python = Fixtures.package.appending(path: ".build/interop-venv/bin/python")

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// What there is in the simulator, by environment, as Tests/Interop/drive.py wants to know it.
    struct Plan: Encodable, Sendable {
        /// The path of `simulator.json`.
        let simulator: String
        let stores: [String: Store]

        struct Store: Encodable, Sendable {
            let customer: String
            let product: String
            /// The only transaction of the customer's subscription.
            let subscription: String
            let appTransaction: String
            /// The order of the subscription's transaction.
            let order: String
            /// A consumable, not finished.
            let coin: String
            /// A consumable that was refunded.
            let refunded: String
            /// Two more consumables, for refunds to be asked for.
            let asked: [String]
            /// All transactions of the customer, in the order of their last change.
            let history: [String]
            /// The notifications so far, by their identifiers.
            let notifications: [String]
            /// Before and after everything, in milliseconds.
            let start: Int64
            let end: Int64
            /// A transaction of the other environment.
            var elsewhere: String
            /// The customer's receipt, in base64.
            let receipt: String
            let realtimeURL: String
        }
    }

    /// What came of it.
    struct Report: Decodable, Sendable {
        /// All methods of the library's client.
        let methods: [String]
        /// How often each of them returned.
        let returned: [String: Int]
        let checks: Int
        /// How many signed texts were verified, with online checks.
        let verified: Int
        /// The members of `APIError` that were seen.
        let errors: [String]
        let failures: [String]
    }

    static func drive(_ plan: Plan, in folder: URL) async throws -> Report {
        guard isReady else { throw Failure(description: absence) }
        let (input, output) = (folder.appending(path: "plan.json"), folder.appending(path: "report.json"))
        try JSONEncoder().encode(plan).write(to: input)
        let script = Fixtures.package.appending(path: "Tests/Interop/drive.py").path
        // -B: nothing is to be written beside the scripts.
        let outcome = try await Tool.run(python.path, ["-B", script, input.path, output.path])
        guard outcome.status == 0 else { throw Failure(description: outcome.errors) }
        return try JSONDecoder().decode(Report.self, from: Data(contentsOf: output))
    }
}
