import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

/// Counts that the console shows, and where they lead.
@Suite struct `Counts of the console` {
    @Test func `The refunds page says if there are more requests than it shows`() async throws {
        try await World.withConsole { world, browser in
            world.simulator.configure { $0.refundDecision = .byCommand }
            func request(_ count: Int) async throws {
                for _ in 0..<count {
                    let id = try await world.simulator.perform(
                        .purchase(customer: "kim", product: "com.example.coins.100")
                    ).transactionID
                    try await world.simulator.perform(.requestRefund(customer: "kim", transaction: id))
                }
                try await world.waitUntilIdle()
            }
            let more = "There are more. The API lists all of them"
            try await request(50)
            let fifty = try await browser.get("/console/refunds").text
            #expect(fifty.contains("Waiting for an answer") && !fifty.contains(more))
            try await request(1)
            #expect(try await browser.get("/console/refunds").text.contains(more))
        }
    }

    @Test func `The overview and the metrics count only consumption requests that should be answered`() async throws {
        try await World.withConsole({ $0.apps[0].consumption = ConsumptionPolicy() }) { world, browser in
            world.simulator.configure { $0.refundDecision = .byCommand }
            try world.simulator.add(Fault("route:send-consumption", .rateLimit(retryAfterSeconds: 1_000_000_000)))
            func request(consents: Bool) async throws {
                let customer = UUID()
                let id = try await world.simulator.perform(
                    .purchase(
                        customer: "kim", product: "com.example.coins.100", appAccountToken: AppAccountToken(customer))
                ).transactionID
                try await world.waitUntilIdle()
                if consents {
                    let usage = try await world.api.send(
                        "POST", "/v1/customers/\(customer.uuidString.lowercased())/usage",
                        body: Data(#"{"customer_consented": true}"#.utf8))
                    #expect(usage.status == 204)
                }
                try await world.simulator.perform(.requestRefund(customer: "kim", transaction: id))
                try await world.waitUntilIdle()
                _ = try await world.inquiry(about: try #require(id)) { $0.answer != nil }
            }
            try await request(consents: false)
            try await request(consents: true)
            #expect(try await world.api.get("/metrics").text.contains("\ncounterfoil_consumption_backlog 1\n"))
            #expect(try await !browser.get("/console").text.contains("due within two hours"))
            try await world.simulator.advance(by: 11 * 3600)
            try await world.waitUntilIdle()
            #expect(try await browser.get("/console").text.contains("1 is due within two hours, at "))
        }
    }

    @Test func `The overview links to the notification that has waited longest, whatever is selected`() async throws {
        try await World.withConsole { world, browser in
            let storage = try world.server.core.storage
            try await world.withFailing(.processing) {
                try await world.simulator.perform(.purchase(customer: "anna", product: World.monthly), in: .sandbox)
                try await waitUntil("the notification waits") {
                    try await storage.pending(after: .min, limit: 9).count == 1
                }
                try await world.simulator.advance(by: 301)
                let row = try #require(
                    try await browser.get("/console?environment=Production").text
                        .components(separatedBy: "Notifications that wait").first?
                        .components(separatedBy: "<a href=\"").last)
                #expect(row.contains("/console/notifications?") && row.contains("environment=Sandbox"))
                #expect(row.contains("state=pending"))
            }
            try await world.waitUntilIdle()
        }
    }
}
