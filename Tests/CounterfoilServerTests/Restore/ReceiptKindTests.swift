import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Receipt kinds` {
    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func `A receipt of a volume purchase is accepted until it expires or is revoked`(_ environment: AppStoreEnvironment)
        async throws
    {
        let product = "com.example.premium.monthly"
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true }, server: { $0.keys = [World.backend] }
        ) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let path = "/v1/customers/anna/purchases" + (environment == .sandbox ? "?environment=Sandbox" : "")
            func report(_ receipt: String) async throws -> APIResponse {
                try await world.call(.POST, path, ["receipt": receipt])
            }
            let end = world.simulator.now + 40 * 86_400
            try await world.simulator.perform(
                .assignVolumePurchase(customer: "anna", expirationDate: end), in: environment)
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: product, introductory: false, appAccountToken: .absent),
                in: environment)
            let receipt = try world.simulator.receipt(of: "anna", in: environment)
            let answer = try await report(receipt)
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            #expect(answer.text("subscriptions.0.original_transaction_id") == bought.originalTransactionID)
            // The receipt of a volume purchase expires, but not the purchases in the app.
            try await world.simulator.advance(by: 41 * 86_400)
            let expired = try await report(receipt)
            #expect(expired.status == 400 && expired.text("code") == "receipt_expired")
            try await world.simulator.perform(.assignVolumePurchase(customer: "anna"), in: environment)
            #expect(try await report(try world.simulator.receipt(of: "anna", in: environment)).status == 200)
            try await world.simulator.perform(.revokeVolumePurchase(customer: "anna"), in: environment)
            let revoked = try await report(try world.simulator.receipt(of: "anna", in: environment))
            #expect(revoked.text("code") == "receipt_expired")
        }
    }

    @Test func `A Sandbox receipt exists after a refresh, and one without purchases restores nothing`() async throws {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true }, server: { $0.keys = [World.backend] }
        ) { world in
            let simulator = world.simulator
            try await simulator.perform(.createCustomer(customer: "anna"), in: .sandbox)
            let none = #expect(throws: StoreError.self) { try simulator.receipt(of: "anna", in: .sandbox) }
            #expect(none?.code == .noReceipt)
            try await simulator.perform(.refreshReceipt(customer: "anna"), in: .sandbox)
            let receipt = try simulator.receipt(of: "anna", in: .sandbox)
            let answer = try await world.call(
                .POST, "/v1/customers/anna/purchases?environment=Sandbox", ["receipt": receipt])
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            #expect(answer.count("subscriptions") == 0 && answer.count("purchases") == 0)
        }
    }

    /// Returns a receipt of another device, on which the customer's purchases were restored under new transaction IDs.
    private static func restored(_ world: World, _ customer: String, as number: Int) throws -> String {
        var contents = try world.simulator.core.read(.production) { store, now in
            try store.receiptContents(of: customer, at: now)
        }
        for index in contents.purchases.indices {
            contents.purchases[index].transactionID = "29999999999999\(number)\(index)"
            contents.purchases[index].purchaseDate = contents.creationDate
        }
        return try world.simulator.core.authority.receiptAuthority().sign(contents).base64EncodedString()
    }

    @Test func `A receipt of restored purchases refers to the originals, which one customer has until a refund`()
        async throws
    {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { configuration in
                configuration.keys = [World.backend]
                configuration.apps[0].restorePolicy = .keepOriginal
                // Without a key, the server cannot request what the receipt omits.
                configuration.apps[0].key = nil
            }
        ) { world in
            let simulator = world.simulator
            let fault = try simulator.add(Fault("notification:*", .drop))
            let id = try await `Reported purchases are restored`.buy(world, "anna", "com.example.unlock")
            let coins = try await `Reported purchases are restored`.buy(world, "anna", "com.example.coins.100")
            try await simulator.advance(by: 86_400)
            let (path, receipt) = ("/v1/customers/anna", try Self.restored(world, "anna", as: 1))
            let answer = try await world.call(.POST, path + "/purchases", ["receipt": receipt])
            // According to the receipt, the coins are not a non-consumable. The configuration does not list them.
            let kept = try #require(answer.texts("kept"))
            #expect(kept.count == 2 && kept.contains(id) && !kept.contains(coins), "\(kept)")
            #expect(answer.text("purchases.0.transaction_id") == id)
            #expect(answer.flag("purchases.0.has_access") == true)
            #expect(answer.text("purchases.1.original_transaction_id") == coins)
            let another = try Self.restored(world, "anna", as: 2)
            let ben = try await world.call(.POST, "/v1/customers/ben/purchases", ["receipt": another])
            #expect(ben.status == 409 && ben.text("code") == "receipt_already_in_use")
            try simulator.removeFault(fault)
            try await simulator.perform(.approveRefund(customer: "anna", transaction: id))
            try await simulator.processDueEvents()
            try await world.waitUntilIdle()
            for _ in 0..<2 {
                let refunded = try await world.call(.GET, path)
                #expect(refunded.text("purchases.0.transaction_id") == id)
                #expect(refunded.flag("purchases.0.has_access") == false)
                #expect(refunded.text("purchases.1.original_transaction_id") == coins)
                // A receipt from before the refund does not undo the refund.
                _ = try await world.call(.POST, path + "/purchases", ["receipt": receipt])
            }
        }
    }

    @Test func `An order ID leads to the customer`() async throws {
        try await World.run(server: { $0.keys = [World.backend] }) { world in
            let outcome = try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            try await world.waitUntilIdle()
            let order = try #require(outcome.orderID)
            let found = try await world.call(.GET, "/v1/orders/\(order)")
            #expect(found.texts("customers") == [outcome.appAccountToken].compactMap { $0 })
        }
    }
}
