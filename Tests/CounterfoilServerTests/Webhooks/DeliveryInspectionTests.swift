import AppStoreModels
import Foundation
import NIOHTTP1
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `Inspection of webhook deliveries` {
    @Test func `An endpoint shows its delivery counts of the last day and its oldest pending delivery`() async throws {
        try await World.runWithWebhooks { world, receiver in
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            receiver.answer(500)
            let boughtAt = world.simulator.now.milliseconds
            _ = try await world.buy("bob")
            try await world.deliverWebhooks()
            for path in ["/v1/webhooks/backend", "/v1/webhooks"] {
                let answer = try await world.send(.GET, path).json
                let activity = (answer["items"].items.first ?? answer)["activity"]
                #expect(activity["delivered"].number == 1 && activity["failed"].number == 0, "\(path)")
                #expect(activity["pending"].number == 1 && activity["events_behind"].number == 0)
                #expect(activity["oldest_pending_at"].number == Double(boughtAt))
            }
            try await world.simulator.advance(by: 86_401)
            let later = try await world.send(.GET, "/v1/webhooks/backend").json["activity"]
            #expect(later["delivered"].number == 0 && later["pending"].number == 1)
            // While the endpoint is disabled, new events count as events behind.
            _ = try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": false}"#)
            _ = try await world.buy("carl")
            try await world.deliverWebhooks()
            let off = try await world.send(.GET, "/v1/webhooks/backend").json["activity"]
            #expect(off["events_behind"].number ?? 0 >= 1)
        }
    }

    @Test func `Deliveries can be filtered by state, type, event and customer`() async throws {
        try await World.runWithWebhooks { world, receiver in
            let anna = try await world.buy("anna")
            let bob = try await world.buy("bob")
            try await world.deliverWebhooks()
            try await world.deliverWebhooks(after: 8 * 86_400)
            func find(_ query: String) async throws -> [JSON] {
                let answer = try await world.send(.GET, "/v1/webhooks/backend/deliveries?\(query)")
                try #require(answer.status == 200, "\(query)")
                return answer.json["items"].items
            }
            let all = try await find("limit=100")
            let renewed = try await find("event_type=subscription.renewed")
            #expect(!renewed.isEmpty)
            #expect(try await find("event_type=refund.declined").isEmpty)
            #expect(renewed.allSatisfy { $0["event_type"].text == "subscription.renewed" })
            let (annas, bobs) = (try await find("customer=\(anna)"), try await find("customer=\(bob.uppercased())"))
            #expect(!annas.isEmpty && !bobs.isEmpty && annas.count + bobs.count == all.count)
            let event = try #require(annas.first?["event_id"].text)
            #expect(try await find("event_id=\(event)").map { $0["id"].text } == [annas.first?["id"].text])
            #expect(try await find("event_id=\(event)&state=pending").isEmpty)
            #expect(try await find("event_id=evt_none").isEmpty)
            #expect(try await find("customer=\(anna)&state=failed").isEmpty)
            // Pages with one delivery each give the same list.
            var (pages, page) = ([String?](), "")
            repeat {
                let answer = try await world.send(
                    .GET, "/v1/webhooks/backend/deliveries?customer=\(anna)&limit=1\(page)")
                pages += answer.json["items"].items.map { $0["id"].text }
                page = answer.json["next_page"].text.map { "&page=\($0)" } ?? ""
            } while !page.isEmpty
            #expect(pages == annas.map { $0["id"].text })
            for query in ["event_type=subscription.*", "event_type=renewed", "event_id=\(event)&customer=\(anna)"] {
                #expect(try await world.send(.GET, "/v1/webhooks/backend/deliveries?\(query)").status == 400)
            }
        }
    }

    @Test func `A delivery shows the headers of its last attempt, and the shown command verifies them`() async throws {
        try await World.runWithWebhooks { configuration, _ in
            configuration.webhooks[0].secrets.append(WebhookSignature.makeSecret())
        } _: { world, receiver in
            receiver.answer(500)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            let sent = try #require(receiver.take().last)
            let id = try #require(try await world.deliveries().first?.id)
            let json = try await world.send(.GET, "/v1/webhooks/backend/deliveries/\(id)").json
            #expect(json["request"]["was_sent"].flag == true)
            let headers = json["request"]["headers"].items.map { ($0["name"].text ?? "", $0["value"].text ?? "") }
            #expect(headers.count == 5)
            for (name, value) in headers { #expect(sent.headers[name] == value, "\(name)") }
            let body = try #require(json["body"].text)
            #expect(Data(body.utf8) == sent.body)
            let snippet = try #require(VerificationSnippet(headers)).text
            for secret in try await world.endpoint().definition.secrets {
                #expect(!snippet.contains(secret.revealed))
                #expect(try await Self.verdict(snippet, on: body, secret) == "valid")
                #expect(try await Self.verdict(snippet, on: body + " ", secret) == "not valid")
            }
            let stranger = WebhookSignature.makeSecret()
            #expect(try await Self.verdict(snippet, on: body, stranger) == "not valid")
        }
    }

    /// Returns the command's output. The command runs in a folder that contains the body.
    private static func verdict(_ snippet: String, on body: String, _ secret: Secret) async throws -> String {
        try await Tool.inTemporaryFolder { folder in
            // An editor adds a line break at the end.
            try Data((body + "\n").utf8).write(to: folder.appending(path: "body.json"))
            let script = "cd '\(folder.path)'\nexport SECRET='\(secret.revealed)'\n\(snippet)\n"
            let outcome = try await Tool.run("sh", ["-c", script])
            return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    @Test func `A delivery that was not sent shows the request that would be sent`() async throws {
        try await World.runWithWebhooks { world, _ in
            _ = try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": false}"#)
            let delivery = try #require(
                try await (try world.server).core.storage.addWebhookTest(
                    LedgerEvent(id: "evt_test", scope: 0, type: .webhookTest, occurredAt: 1, createdAt: 1),
                    to: try await world.endpoint().stored.id))
            let json = try await world.send(.GET, "/v1/webhooks/backend/deliveries/\(delivery.id)").json
            #expect(json["request"]["was_sent"].flag == false)
            let headers = json["request"]["headers"].items
            #expect(headers.contains { $0["name"].text == "webhook-signature" })
            // The clock of the server, which is not the machine's.
            let timestamp = headers.first { $0["name"].text == "webhook-timestamp" }?["value"].text
            #expect(timestamp == "\(Int(world.simulator.now.timeIntervalSince1970))")
        }
    }
}
