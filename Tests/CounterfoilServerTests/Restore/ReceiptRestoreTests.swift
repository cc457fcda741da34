import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Restoring receipts` {
    @Test func `A receipt leads to the Apple account's history, and restores its own purchases without it`()
        async throws
    {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true }, server: { $0.keys = [World.backend] }
        ) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            _ = try await `Reported purchases are restored`.buy(world, "anna")
            let receipt = try world.simulator.receipt(of: "anna")
            try await world.simulator.advance(by: Period.month)
            let fault = try world.simulator.add(Fault("route:transaction-history", .error(code: 4_040_002)))
            try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.unlock", appAccountToken: .absent))
            let fresh = try world.simulator.receipt(of: "anna")
            let alone = try await world.call(.POST, "/v1/customers/anna/purchases", ["receipt": fresh])
            #expect(alone.status == 200)
            #expect(alone.text("history.state") == "pending")
            #expect(alone.flag("entitlements.0.is_active") == true)
            try world.simulator.removeFault(fault)
            let complete = try await world.call(.POST, "/v1/customers/anna/purchases", ["receipt": receipt])
            #expect(complete["history"] == nil)
            #expect(complete.flag("subscriptions.0.will_renew") == true)
            #expect(complete.text("purchases.0.product_id") == "com.example.unlock")
        }
    }

    @Test func `Without a key, a receipt's purchases are stored until signed transactions replace them`() async throws {
        let coins = "com.example.coins.100"
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { configuration in
                configuration.keys = [World.backend]
                configuration.apps[0].key = nil
                configuration.apps[0].catalogue.consumables = [coins]
            }
        ) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let id = try await `Reported purchases are restored`.buy(world, "anna", coins)
            let receipt = try world.simulator.receipt(of: "anna")
            let path = "/v1/customers/anna"
            let answer = try await world.call(.POST, path + "/purchases", ["receipt": receipt])
            #expect(answer.text("history.state") == "not_configured")
            #expect(answer.text("purchases.0.transaction_id") == id)
            #expect(try await world.call(.GET, path).text("purchases.0.transaction_id") == id)
            // Reporting the receipt again changes nothing.
            let storage = try world.server.core.storage
            let digest = try await storage.digest()
            _ = try await world.call(.POST, path + "/purchases", ["receipt": receipt])
            #expect(try await storage.digest() == digest)
            // A signed transaction contains more data and proof than the receipt. It replaces the receipt's fact.
            try world.simulator.removeFault()
            try await world.simulator.perform(.requestRefund(customer: "anna"))
            try await world.simulator.processDueEvents()
            try await world.waitUntilIdle()
            let sources = try await world.server.core.storage.sources(
                of: [FactSelection(id)], notifications: true, in: world.appEnvironment().id)
            #expect(!sources.isEmpty && !sources.contains { if case .signedFact = $0.source { true } else { false } })
            #expect(try await world.storedSignedFacts() == 0)
            #expect(try await world.call(.GET, path).text("purchases.0.transaction_id") == id)
        }
    }

    @Test func `Of two receipts of one second the one with the refund counts, in any order`() async throws {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { configuration in
                configuration.keys = [World.backend]
                configuration.apps[0].key = nil
            }
        ) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            for (customer, isRefundFirst) in [("anna", false), ("otto", true)] {
                _ = try await `Reported purchases are restored`.buy(world, customer, "com.example.unlock")
                let before = try world.simulator.receipt(of: customer)
                try await world.simulator.perform(.approveRefund(customer: customer))
                let after = try world.simulator.receipt(of: customer)
                let path = "/v1/customers/\(customer)/purchases"
                for receipt in isRefundFirst ? [after, before] : [before, after] {
                    let answer = try await world.call(.POST, path, ["receipt": receipt])
                    #expect(answer.status == 200)
                    #expect(answer.flag("purchases.0.has_access") == (receipt == before && !isRefundFirst))
                }
            }
        }
    }
}
