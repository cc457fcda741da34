@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

extension World {
    /// How often a fault has struck.
    func strikes(of fault: Int) async throws -> Int? {
        let faults = try await Asker(url: simulator.information.controlURL).get("/faults").items
        return faults.first { $0["number"] as? Int == fault }?["struck"] as? Int
    }
}

@Suite struct `The App Store is asked about an Apple account` {
    @Test func `once a minute at most with the key of an app, by one request at a time`() async throws {
        try await World.withAPI { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            let id = try #require(outcome.transactionID)
            let text = try #require(try await world.signedTransactions(of: id).first)
            // Nothing goes wrong; it is counted.
            let asked = try world.simulator.add(Fault("route:transaction-history", .delay(seconds: 0.05)))
            let api = world.app(for: "anna")
            let path = "/v1/customers/anna/purchases"
            let body = try JSONSerialization.data(withJSONObject: ["signed_transactions": [text]])
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await api.send("POST", path, body: body).status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await world.strikes(of: asked) == 1)
            // A backend may ask whenever it likes.
            #expect(try await world.api.send("POST", path, body: body).status == 200)
            #expect(try await world.strikes(of: asked) == 2)
            #expect(try await api.send("POST", path, body: body).status == 200)
            #expect(try await world.strikes(of: asked) == 2)
            try await world.simulator.advance(by: 61)
            #expect(try await world.app(for: "anna").send("POST", path, body: body).status == 200)
            #expect(try await world.strikes(of: asked) == 3)
        }
    }

    @Test func `again soon after it broke off, by old clients too`() async throws {
        try await World.run(
            simulator: { $0.makesReceiptAuthority = true },
            server: { configuration in
                configuration.keys = [World.backend]
                configuration.apps[0].sharedSecrets = [Secret("the shared secret of the app")]
            }
        ) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            let receipt = try world.simulator.receipt(of: "anna")
            // The transactions arrive, and then the connection is lost.
            let fault = try world.simulator.add(Fault("route:subscription-statuses", .error(code: 5_000_001)))
            let body = ["receipt-data": receipt, "password": "the shared secret of the app"]
            let broken = try await world.call(.POST, "/verifyReceipt", body, key: nil)
            #expect(broken.number("status") == 0)
            #expect(broken.count("pending_renewal_info") == 0)
            try world.simulator.removeFault(fault)
            try await world.simulator.advance(by: 15)
            let whole = try await world.call(.POST, "/verifyReceipt", body, key: nil)
            #expect(whole.text("pending_renewal_info.0.auto_renew_status") == "1")
        }
    }

    @Test func `and what cannot be believed in its answer does not hold up the rest`() async throws {
        try await World.run(server: { $0.keys = [World.backend] }) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            let texts = try await world.signedTransactions(of: try #require(outcome.transactionID))
            try world.simulator.add(Fault("route:transaction-history", .invalidSignature))
            let answer = try await world.call(
                .POST, "/v1/customers/anna/purchases", ["signed_transactions": texts])
            #expect(answer["history"] == nil)
            #expect(answer.flag("subscriptions.0.will_renew") == true)
            let core = try world.server.core
            #expect(try await core.storage.missing(in: world.scope().id).unverified == 1)
            // It is asked for again, by itself.
            let left = try await core.storage.takeHistoryRequests(in: world.scope().id, at: .max, limit: 10)
            #expect(left.map(\.reason) == [.retry])
        }
    }
}
