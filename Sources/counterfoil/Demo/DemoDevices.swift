internal import Ledger
import Foundation
import StoreSimulator

/// One customer on two devices: what is bought on the old one is on the new one, without a tap.
extension DemoStory {
    /// What an app reports. The kit in `Client/` does this by itself.
    private struct DeviceReport: Encodable {
        var signed_transactions: [String]
        var app_transaction: String?
        var restore: Bool?
    }

    private struct DeviceAnswer: Decodable {
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

    /// Whether the new device shows everything.
    func tellDevices() async throws -> Bool {
        teller.chapter("\(Self.name.capitalized) buys on the old phone and opens the app on the new one")
        for product in Self.products {
            let outcome = try await world.simulator.perform(
                .purchase(customer: Self.name, product: product, appAccountToken: .absent, device: "old-phone"))
            teller.line("old phone  buys \(product)")
            guard let bought = outcome.transaction else { return false }
            let answer = try await report(DeviceReport(signed_transactions: [bought.signedTransactionInfo]))
            for transaction in answer.kept {
                // Only what the server keeps is finished.
                try await world.simulator.perform(
                    .finish(customer: Self.name, transaction: transaction, device: "old-phone"))
                teller.line("old phone  transaction \(transaction.printable) is kept, and finished")
            }
        }
        let device: DeviceContents = try await ControlClient(world.simulator.information).call(
            "GET", ["production", "customers", Self.name, "devices", "new-phone"])
        teller.line(
            "new phone  starts: StoreKit has \(device.current.count) transactions, and nobody is asked for anything")
        let answer = try await report(
            DeviceReport(
                signed_transactions: device.current.map(\.signedTransactionInfo),
                app_transaction: device.signedAppTransactionInfo, restore: false))
        let active = answer.entitlements.filter(\.isActive)
        for entitlement in active {
            let until = entitlement.until.map { " until " + Date(milliseconds: $0).readable.prefix(16) } ?? ""
            teller.line("new phone  \(teller.good(entitlement.key.printable))\(until)")
        }
        return Set(["premium", "season"]).isSubset(of: active.map(\.key)) && device.unfinished.isEmpty
    }

    private func report(_ report: DeviceReport) async throws -> DeviceAnswer {
        try await world.client.post("/v1/customers/\(Self.name)/purchases", report)
    }
}
