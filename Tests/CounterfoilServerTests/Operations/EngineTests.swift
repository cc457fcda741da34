import CounterfoilServer
import Foundation
import MemoryLedger
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `A server on another engine than SQLite` {
    /// Calls `body` with a server on a ledger in memory, and with the receiver of its webhooks.
    private static func run(_ body: (World, WebhookReceiver) async throws -> Void) async throws {
        // Row identifiers have gaps, like those of a database to which several servers write.
        let ledger = MemoryLedger(step: 3)
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await World.run(
                server: { configuration in
                    TestAPIClient.configure(&configuration)
                    configuration.webhooks = [webhook]
                }, ledger: LedgerOpener { _, _ in ledger }
            ) { world in try await body(world, receiver) }
        }
    }

    /// A part of the server that opened the SQLite file by itself would create it, and find no purchase there.
    @Test func `A server on a ledger in memory receives a notification, answers and sends the event`() async throws {
        try await Self.run { world, receiver in
            let anna = try await world.buy("anna")
            try await world.deliverWebhooks()
            let messages = receiver.take()
            try #require(messages.map { $0.json["type"].text } == ["subscription.started"])
            #expect(messages[0].json["data"]["customer"].text == anna)
            let events = try await world.api.get("/v1/events").items.map { JSON($0) }
            #expect(events.map { $0["data"]["id"].text } == [messages[0].id])
            let customer = try await world.api.get("/v1/customers/\(anna)")
            let entitlement = try #require((customer["entitlements"] as? [[String: Any]])?.first)
            #expect(entitlement["is_active"] as? Bool == true)
            let path = try world.configuration().storage.path
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `A server that starts again on a ledger in memory has its contents and repeats no event`() async throws {
        try await Self.run { world, receiver in
            let anna = try await world.buy("anna")
            try await world.deliverWebhooks()
            try #require(receiver.take().count == 1)
            try await world.stopServer()
            try await world.startServer()
            try await world.deliverWebhooks(after: 60)
            #expect(receiver.take().isEmpty)
            let entitlement = try await world.api.get("/v1/customers/\(anna)/entitlements/premium")
            #expect(entitlement["is_active"] as? Bool == true)
        }
    }

    @Test func `An error with which an engine does not open the ledger is one of the server's start`() async throws {
        let ledger = LedgerOpener { _, _ in throw CocoaError(.fileReadNoPermission) }
        let error = await #expect(throws: ServerError.self) { try await World.run(ledger: ledger) { _ in } }
        #expect(error?.code == .failed)
    }
}
