import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import MemoryLedger
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

extension World {
    /// Returns how often the simulator has applied the fault.
    func applicationCount(of fault: Int) async throws -> Int? {
        let faults = try await TestAPIClient(url: simulator.information.controlURL).get("/faults").items
        return faults.first { $0["number"] as? Int == fault }?["timesApplied"] as? Int
    }
}

@Suite struct `Histories of Apple accounts` {
    @Test func `Many incomplete histories do not fill the log`() async throws {
        let log = LogCapture()
        try await World.run(logger: log.logger(ServerConfiguration.Log())) { world in
            let appEnvironment = try world.appEnvironment()
            for number in 1...100 {
                try await world.server.core.histories.scheduleRetry(of: "\(number)", in: appEnvironment, code: "x")
            }
        }
        #expect((60...65).contains(log.count(of: "a history is incomplete")))
    }

    @Test func `A public key causes at most one history request per minute and Apple account`() async throws {
        try await World.withAPI { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            let id = try #require(outcome.transactionID)
            let text = try #require(try await world.signedTransactions(of: id).first)
            // This fault only delays and counts the requests.
            let counter = try world.simulator.add(Fault("route:transaction-history", .delay(seconds: 0.05)))
            let api = world.appClient(for: "anna")
            let path = "/v1/customers/anna/purchases"
            let body = try JSONSerialization.data(withJSONObject: ["signed_transactions": [text]])
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await api.send("POST", path, body: body).status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await world.applicationCount(of: counter) == 1)
            // A backend's key has no such limit.
            #expect(try await world.api.send("POST", path, body: body).status == 200)
            #expect(try await world.applicationCount(of: counter) == 2)
            #expect(try await api.send("POST", path, body: body).status == 200)
            #expect(try await world.applicationCount(of: counter) == 2)
            try await world.simulator.advance(by: 61)
            #expect(try await world.appClient(for: "anna").send("POST", path, body: body).status == 200)
            #expect(try await world.applicationCount(of: counter) == 3)
        }
    }

    @Test func `A report is answered before an app gives up, even if the App Store does not return the history`()
        async throws
    {
        // The client for apps gives up after ten seconds.
        #expect(ServerConfiguration.Limits().historyTimeout <= .seconds(8))
        try await World.withAPI(server: { $0.limits.historyTimeout = .milliseconds(50) }) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            let id = try #require(outcome.transactionID)
            let text = try #require(try await world.signedTransactions(of: id).first)
            try world.simulator.add(Fault("route:transaction-history", .delay(seconds: 3600)))
            let body = try JSONSerialization.data(withJSONObject: ["signed_transactions": [text]])
            let answer = try await world.appClient(for: "anna").send("POST", "/v1/customers/anna/purchases", body: body)
            let (kept, history) = (answer["kept"] as? [String], answer["history"] as? [String: Any])
            #expect(answer.status == 200)
            #expect(kept == [id])
            #expect(history?["state"] as? String == "pending")
        }
    }

    @Test func `An interrupted history is requested again soon by a later verifyReceipt request`() async throws {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { configuration in
                configuration.keys = [World.backend]
                configuration.apps[0].sharedSecrets = [Secret("the shared secret of the app")]
            }
        ) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            let receipt = try world.simulator.receipt(of: "anna")
            // The transactions arrive, but the request for the subscription status fails.
            let fault = try world.simulator.add(Fault("route:subscription-statuses", .error(code: 5_000_001)))
            let body = ["receipt-data": receipt, "password": "the shared secret of the app"]
            let broken = try await world.call(.POST, "/verifyReceipt", body, key: nil)
            #expect(broken.number("status") == 0)
            #expect(broken.count("pending_renewal_info") == 0)
            try world.simulator.removeFault(fault)
            try await world.simulator.advance(by: 15)
            let complete = try await world.call(.POST, "/verifyReceipt", body, key: nil)
            #expect(complete.text("pending_renewal_info.0.auto_renew_status") == "1")
        }
    }

    @Test func `An unverified transaction in a history does not prevent the use of the rest`() async throws {
        try await World.run(server: { $0.keys = [World.backend] }) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            let texts = try await world.signedTransactions(of: try #require(outcome.transactionID))
            try world.simulator.add(Fault("route:transaction-history", .invalidSignature))
            let answer = try await world.call(
                .POST, "/v1/customers/anna/purchases", ["signed_transactions": texts])
            #expect(answer.text("history.state") == "pending")
            #expect(answer.flag("subscriptions.0.will_renew") == true)
            let core = try world.server.core
            #expect(try await core.storage.missingCounts(in: world.appEnvironment().id).unverified == 1)
            // The history request is repeated automatically.
            let remaining = try await core.storage.dueHistoryRequests(
                in: world.appEnvironment().id, at: .max, limit: 10)
            #expect(remaining.map(\.reason) == [.retry])
        }
    }

    @Test func `After a history that failed verification, the next request reads the same transactions again`()
        async throws
    {
        try await World.run(server: { $0.keys = [World.backend] }) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            let id = try #require(outcome.transactionID)
            for _ in 0..<4 { try await world.simulator.advance(by: Period.month) }
            let texts = try await world.signedTransactions(of: id)
            try #require(texts.count > 3)
            let fault = try world.simulator.add(Fault("route:transaction-history", .invalidSignature))
            let (path, report) = ("/v1/customers/anna/purchases", ["signed_transactions": Array(texts.prefix(1))])
            #expect(try await world.call(.POST, path, report).text("history.state") == "pending")
            let (storage, scope) = (try world.server.core.storage, try world.appEnvironment().id)
            let known = try #require(try await storage.lineage(id, in: scope))
            try #require(known.transactions.count < texts.count)
            try world.simulator.removeFault(fault)
            #expect(try await world.call(.POST, path, report)["history"] == nil)
            #expect(try await storage.lineage(id, in: scope)?.transactions.count == texts.count)
        }
    }

    @Test func `A history is read from its beginning if the App Store does not know how far it was read`()
        async throws
    {
        try await World.run(server: { $0.keys = [World.backend] }) { world in
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            let id = try #require(outcome.transactionID)
            let texts = try await world.signedTransactions(of: id)
            let (storage, scope) = (try world.server.core.storage, try world.appEnvironment().id)
            try await storage.record(revision: "unknown", of: id, in: scope, at: 0)
            let answer = try await world.call(
                .POST, "/v1/customers/anna/purchases", ["signed_transactions": texts])
            #expect(answer.status == 200 && answer["history"] == nil)
            let mark = try #require(try await storage.historyMark(of: [id], in: scope))
            #expect(mark.revision != "unknown")
        }
    }
}
