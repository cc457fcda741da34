import Foundation
import StoreSimulator
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

// What actions do after their confirmation.
extension `Actions of the console` {
    @Test func `The actions of an endpoint switch it, send a test, and send events again`() async throws {
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await `The console`.run({ $0.webhooks = [webhook] }) { world, browser in
                _ = try await world.subscribe("anna")
                try await world.deliverWebhooks()
                let event = try #require(receiver.take().first?.id)
                try await browser.signIn()
                func perform(_ fields: [String: String]) async throws -> [WebhookReceiver.Message] {
                    let done = try await browser.confirm(fields.merging(["name": "backend"]) { $1 })
                    #expect(done.status == 303, "\(fields)")
                    try await world.deliverWebhooks()
                    return receiver.take()
                }
                let tests = try await perform(["action": "webhook-test"])
                #expect(tests.map { $0.json["type"].text } == ["webhook.test"])
                let single = try await perform(["action": "replay-event", "event_id": event])
                #expect(single.map(\.id) == [event])
                let period = try await perform(["action": "replay", "from": "2020-01-01", "to": "2100-01-01"])
                #expect(period.map(\.id) == [event])
                #expect(try await perform(["action": "webhook-off"]).isEmpty)
                #expect(try await world.api.get("/v1/webhooks/backend")["enabled"] as? Bool == false)
                let ben = try await world.subscribe("ben")
                try await world.deliverWebhooks()
                #expect(receiver.take().isEmpty)
                let waiting = try await perform(["action": "webhook-on"])
                #expect(waiting.map { $0.json["data"]["customer"].text } == [ben])
                #expect(try await world.api.get("/v1/webhooks/backend")["enabled"] as? Bool == true)
            }
        }
    }

    @Test func `A period is read again with the instants of the form, and one notification is processed again`()
        async throws
    {
        try await `The console`.run { world, browser in
            _ = try await world.subscribe("anna")
            let core = try world.server.core
            let filter = InboxFilter(scopes: [try world.appEnvironment().id])
            let stored = try #require(try await core.storage.notifications(filter, before: .max, limit: 9).items.first)
            try await core.storage.failProcessed(stored.id, code: "storage_damaged", message: "it is damaged")
            try await browser.signIn()
            let done = try await browser.confirm(["action": "reprocess", "id": stored.uuid])
            #expect(done.status == 303 && done.location?.contains(stored.uuid) == true)
            try await world.waitUntilIdle()
            let notification = try await world.api.get("/v1/notifications/\(stored.uuid)")
            #expect(notification["state"] as? String == "processed")
            let read = try await browser.confirm(["action": "recover", "from": "2026-05-03", "to": "2026-05-04"])
            #expect(read.status == 303)
            let recoveries = try await world.api.get("/v1/recoveries").items
            #expect(recoveries.map { $0["from"] as? Int } == [1_777_766_400_000])
            #expect(recoveries.map { $0["to"] as? Int } == [1_777_852_800_000])
        }
    }
}
