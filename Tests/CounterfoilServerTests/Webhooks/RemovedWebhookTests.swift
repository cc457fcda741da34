import AppStoreModels
import Foundation
internal import NIOHTTP1
import StoreSimulator
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `Webhooks that are no longer in the configuration` {
    private static let body = #"{"name": "backend", "url": "https://93.184.216.34/hooks"}"#

    @Test func `An endpoint of the API can have the name of a removed one, and gets nothing that waited for it`()
        async throws
    {
        try await World.runWithWebhooks { configuration, _ in
            configuration.keys.append(World.sandboxWebhookKey)
        } _: { world, receiver in
            receiver.answer(500)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            try #require(receiver.take().count == 1)
            let taken = try await world.send(.POST, "/v1/webhooks", Self.body)
            #expect(taken.json["code"].text == "name_taken")
            var changed = try world.configuration()
            changed.webhooks = []
            let reloaded = changed
            try await world.server.reload { reloaded }
            // A key for the sandbox must not discard the events of production.
            let limited = try await world.send(.POST, "/v1/webhooks", Self.body, key: "sandbox")
            #expect(limited.json["code"].text == "name_taken")
            let created = try await world.send(.POST, "/v1/webhooks", Self.body)
            #expect(created.status == 201)
            #expect(created.json["is_configured"].flag == false)
            try await world.deliverWebhooks(after: 7)
            let deliveries = try await world.send(.GET, "/v1/webhooks/backend/deliveries")
            #expect(deliveries.status == 200)
            #expect(deliveries.json["items"].items.isEmpty)
            #expect(receiver.take().isEmpty)
        }
    }
}
