import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite(.enabled(if: PythonEnvironment.isEnabled, "\(PythonEnvironment.absence)"))
struct `Apple's Python client against the simulator` {
    private static let product = "com.example.premium.monthly"

    @Test func `Every method of Apple's Python library works against the simulator, in both environments`() async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let directory = folder.appending(path: "simulator")
            try await Simulator.runWithReceiver {
                $0.directory = directory
            } _: { simulator, receiver in
                var production = try await prepare(simulator, receiver, .production)
                var sandbox = try await prepare(simulator, receiver, .sandbox)
                (production.elsewhere, sandbox.elsewhere) = (sandbox.subscription, production.subscription)
                let plan = PythonClient.Plan(
                    simulator: directory.appending(path: "simulator.json").path,
                    stores: ["Production": production, "Sandbox": sandbox])
                let report = try await PythonClient.drive(plan)
                #expect(report.failures == [])
                #expect(report.methods.filter { report.returned[$0] == nil } == [], "never returned")
                #expect(report.methods.count >= 30, "methods of the library's client")
                #expect(report.checks > 300)
                #expect(report.verified > 200)
                #expect(report.errors.count >= 20)
                print("Apple's Python library: \(report.methods.count) methods, \(report.checks) checks")
            }
        }
    }

    /// Creates a customer with a subscription and 27 consumables, one of them refunded.
    private func prepare(
        _ simulator: Simulator, _ receiver: Receiver, _ environment: AppStoreEnvironment
    ) async throws -> PythonClient.Plan.Store {
        var notifications: [String] = []
        func perform(_ command: StoreCommand) async throws -> String {
            let outcome = try await simulator.perform(command, in: environment)
            notifications += outcome.notifications.map(\.notificationUUID)
            return try #require(outcome.transactionID)
        }
        let subscription = try await perform(
            .purchase(customer: "anna", product: Self.product, introductory: false))
        var coins: [String] = []
        for _ in 0..<27 {
            coins.append(try await perform(.purchase(customer: "anna", product: "com.example.coins.100")))
        }
        let refunded = coins.removeLast()
        _ = try await perform(.approveRefund(customer: "anna", transaction: refunded))
        let (order, appTransaction) = try simulator.core.read(environment) { store, _ in
            (
                try #require(store.transactions[subscription]?.order),
                try #require(store.customers["anna"]?.appTransactionID)
            )
        }
        let now = try #require(simulator.now.millisecondsSince1970)
        let receipt = try simulator.receipt(of: "anna", in: environment)
        try await simulator.perform(.assignVolumePurchase(customer: "anna"), in: environment)
        let others = [
            try simulator.receipt(of: "anna", on: "phone", in: environment),
            try await version1(simulator, receiver, environment),
        ]
        return PythonClient.Plan.Store(
            customer: "anna", product: Self.product, subscription: subscription, appTransaction: appTransaction,
            order: order, coin: coins[0], refunded: refunded, asked: [coins[1], coins[2]],
            history: [subscription] + coins + [refunded], notifications: notifications, start: now - 86_400_000,
            end: now + 86_400_000, elsewhere: "", receipt: receipt, otherReceipts: others,
            realtimeURL: receiver.url)
    }

    private struct Version1: Decodable {
        struct Unified: Decodable { let latest_receipt: String }
        let unified_receipt: Unified
    }

    /// Returns the receipt inside a version 1 notification about another customer.
    private func version1(
        _ simulator: Simulator, _ receiver: Receiver, _ environment: AppStoreEnvironment
    ) async throws -> String {
        simulator.configure(environment) { $0.notificationVersion = .one }
        try await simulator.perform(.purchase(customer: "zoe", product: "com.example.coins.100"), in: environment)
        try await simulator.perform(.requestRefund(customer: "zoe"), in: environment)
        let body = try #require(receiver.bodies.last)
        try await simulator.perform(.declineRefund(customer: "zoe"), in: environment)
        simulator.configure(environment) { $0.notificationVersion = .two }
        return try JSONDecoder().decode(Version1.self, from: body).unified_receipt.latest_receipt
    }
}
