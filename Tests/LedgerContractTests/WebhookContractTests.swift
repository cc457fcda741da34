import AppStoreModels
import Entitlements
import Foundation
import Ledger
import TestSupport
import Testing

extension `The contract of every database` {
    /// Numbers of deliveries are used again.
    @Test(arguments: Engine.allCases)
    func `an attempt for an endpoint that is gone says nothing of another one's delivery with the same number`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await Walk(try engine.open(in: folder)).ledger
            func test(_ endpoint: WebhookEndpoint, at now: Milliseconds) async throws -> WebhookDelivery {
                let event = LedgerEvent(
                    id: "evt_test_\(now)", scope: 1, type: .webhookTest, occurredAt: now, createdAt: now)
                return try #require(try await ledger.addWebhookTest(event, to: endpoint.id))
            }
            func endpoint(_ name: String) async throws -> WebhookEndpoint {
                let definition = WebhookDefinition(name: name, url: "https://example.com", secrets: [])
                return try #require(try await ledger.addWebhook(definition, at: 0))
            }
            let (gone, other) = (try await endpoint("gone"), try await endpoint("other"))
            let underWay = try await test(gone, at: 1)
            try await ledger.removeWebhook(gone.id)
            while try await ledger.runWebhookJob(limit: 10, at: 2) {}
            let waiting = try await test(other, at: 3)
            try #require(waiting.id == underWay.id)
            let results: [DeliveryOutcome.Result] = [.again(at: 9, body: Data("wrong".utf8)), .delivered]
            for result in results {
                var outcome = DeliveryOutcome(delivery: underWay.id, endpoint: gone.id, result: result)
                outcome.attempt = DeliveryAttempt(at: 4, milliseconds: 1)
                _ = try await ledger.record([outcome], patience: .max, at: 4)
                #expect(try await ledger.dueDeliveries(of: other.id, at: 5, limit: 2) == [waiting], "\(result)")
                #expect(try await ledger.attempts(of: waiting.id, limit: 2).isEmpty, "\(result)")
            }
        }
    }
}
