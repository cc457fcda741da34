internal import Basics
import Foundation
internal import Ledger
import StoreSimulator

/// One customer with two devices: purchases made on the old device appear on the new one without a restore.
extension DemoRun {
    /// The report that an app sends to the server. The package in `Client/` sends it automatically.
    struct DeviceReport: Encodable {
        var signed_transactions: [String]
        var app_transaction: String?
        var restore: Bool?
    }

    private struct DeviceResponse: Decodable {
        struct Entitlement: Decodable {
            var key: String
            var isActive: Bool
            var until: Int64?
        }

        var entitlements: [Entitlement]
        var kept: [String]
    }

    private static let name = "mia"
    private static let products = ["com.example.premium.monthly", "com.example.season.pass"]

    /// Buys on the old device and starts the app on the new one.
    ///
    /// - Returns: Whether the new device has every entitlement and no unfinished transaction.
    func simulateNewDevice() async throws -> Bool {
        output.heading("\(Self.name.capitalized) buys on the old phone and opens the app on the new one")
        for product in Self.products {
            let outcome = try await services.simulator.perform(
                .purchase(customer: Self.name, product: product, appAccountToken: .absent, device: "old-phone"))
            output.line("old phone  buys \(product)")
            guard let bought = outcome.transaction else { return false }
            let response = try await report(DeviceReport(signed_transactions: [bought.signedTransactionInfo]))
            for transaction in response.kept {
                // Finish a transaction only after the server has stored it.
                try await services.simulator.perform(
                    .finish(customer: Self.name, transaction: transaction, device: "old-phone"))
                output.line("old phone  transaction \(transaction.printable) stored by the server, then finished")
            }
        }
        let device: DeviceContents = try await ControlClient(services.simulator.information).call(
            "GET", ["production", "customers", Self.name, "devices", "new-phone"])
        output.line(
            "new phone  starts: StoreKit has \(device.current.count) \(device.current.count.noun("transaction")); "
                + "no sign-in, no Restore button"
        )
        let response = try await report(
            DeviceReport(
                signed_transactions: device.current.map(\.signedTransactionInfo),
                app_transaction: device.signedAppTransactionInfo, restore: false))
        let active = response.entitlements.filter(\.isActive)
        for entitlement in active {
            let until = entitlement.until.map { " until " + Date(milliseconds: $0).readable.prefix(16) } ?? ""
            output.line("new phone  \(output.good(entitlement.key.printable))\(until)")
        }
        return Set(["premium", "season"]).isSubset(of: active.map(\.key)) && device.unfinished.isEmpty
    }

    private func report(_ report: DeviceReport) async throws -> DeviceResponse {
        try await services.client.post("/v1/customers/\(Self.name)/purchases", report)
    }
}
