import Foundation
import TestSupport

/// Apple's Python library as a client of a simulator.
enum PythonClient {
    /// The contents of the simulator by environment, as Tests/Interop/drive.py reads them.
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
            /// Two more consumables, for refund requests.
            let asked: [String]
            /// All transactions of the customer, in the order of their last change.
            let history: [String]
            /// The notifications so far, by their identifiers.
            let notifications: [String]
            /// Times before and after all purchases, in milliseconds since 1970.
            let start: Int64
            let end: Int64
            /// A transaction of the other environment.
            var elsewhere: String
            /// The customer's receipt, in base64.
            let receipt: String
            /// The same customer's receipts of a volume purchase, and inside a notification of version 1.
            let otherReceipts: [String]
            let realtimeURL: String
        }
    }

    /// The results of a run.
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

    static func drive(_ plan: Plan) async throws -> Report { try await PythonEnvironment.run("drive.py", plan) }
}
