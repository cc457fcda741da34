import AppStoreModels
import CounterfoilServer
import Foundation
internal import NIOHTTP1
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Webhooks and their receivers` {
    /// What an endpoint is to receive of an event.
    private struct Expectation: Hashable {
        var path: String
        var event: String
    }

    /// Adds an endpoint for some types and one for an environment.
    private static func addEndpoints(_ configuration: inout ServerConfiguration, _ url: String) {
        var subscriptions = World.webhook("subscriptions", url + "/subscriptions")
        subscriptions.events = ["subscription.*"]
        var sandbox = World.webhook("sandbox", url + "/sandbox")
        sandbox.environments = [.sandbox]
        configuration.webhooks += [subscriptions, sandbox]
    }

    /// Whether an endpoint of ``addEndpoints(_:_:)`` wants an event.
    private static func wants(_ endpoint: String, _ event: JSON) -> Bool {
        switch endpoint {
        case "subscriptions": event["type"].text?.hasPrefix("subscription.") ?? false
        case "sandbox": event["data"]["environment"].text == "Sandbox"
        default: true
        }
    }

    /// Answers each message with 503 up to three times, depending on its identifier, before it accepts it.
    private static func failFirstAttempts(_ receiver: WebhookReceiver) {
        let counts = Mutex<[String: Int]>([:])
        receiver.answer { message in
            let attempt = counts.withLock { counts in
                counts[message.path + message.id, default: 0] += 1
                return counts[message.path + message.id] ?? 0
            }
            let failures = (message.path + message.id).utf8.reduce(0) { $0 + Int($1) } % 4
            return WebhookReceiver.Answer(status: attempt > failures ? 200 : 503)
        }
    }

    /// Buys, refunds and cancels in both environments, with restarts of the server.
    private static func live(_ world: World) async throws {
        for (number, name) in ["anna", "ben", "carl", "dora", "emil"].enumerated() {
            for environment in [AppStoreEnvironment.production, .sandbox] {
                try await world.simulator.perform(
                    .purchase(customer: name, product: World.monthly, appAccountToken: AppAccountToken(UUID())),
                    in: environment)
                // Otherwise the two events may become known in the other order.
                try await world.waitUntilIdle()
                try await world.simulator.perform(
                    number.isMultiple(of: 2) ? .cancel(customer: name) : .approveRefund(customer: name),
                    in: environment)
                try await world.deliverWebhooks(after: 3)
            }
            try await world.stopServer()
            try await world.startServer()
        }
    }

    @Test func `Each endpoint gets what it wants, and the API lists the attempts that the receiver saw`() async throws {
        try await World.runWithWebhooks(Self.addEndpoints) { world, receiver in
            Self.failFirstAttempts(receiver)
            try await Self.live(world)
            let endpoints = ["backend", "subscriptions", "sandbox"]
            let core = try world.server.core
            try await world.deliverWebhooks()
            // The longest pause before the fourth attempt is 144 seconds. If the endpoint pauses, one attempt is made each
            // time.
            var rounds = 0
            while try await core.webhooks.webhookBacklog().deliveries > 0, rounds < 200 {
                try await world.deliverWebhooks(after: 150)
                rounds += 1
            }
            let scopes = Set(
                try [AppStoreEnvironment.production, .sandbox].map { try world.appEnvironment($0).id })
            let feed = try await core.events.page(FeedQuery(after: 0, scopes: scopes, limit: 1000))
            let events = feed.bodies.map { JSON($0) }
            try #require(events.count >= 20)
            let wanted = endpoints.flatMap { endpoint in
                events.filter { Self.wants(endpoint, $0) }
                    .map { Expectation(path: "/" + endpoint, event: $0["data"]["id"].text ?? "") }
            }
            try #require(wanted.count > 35)
            let messages = receiver.take()
            let seen = Dictionary(grouping: messages) { Expectation(path: $0.path, event: $0.id) }
            #expect(Set(seen.keys) == Set(wanted))
            #expect(messages.count > wanted.count)
            var compared = 0
            for event in events {
                let id = try #require(event["data"]["id"].text)
                let listed = try await world.send(.GET, "/v1/events/\(id)/deliveries").json["items"].items
                #expect(listed.count == endpoints.filter { Self.wants($0, event) }.count)
                for delivery in listed {
                    let path = "/" + (delivery["endpoint"].text ?? "")
                    let attempts = seen[Expectation(path: path, event: id)]?.count ?? 0
                    #expect(delivery["state"].text == "delivered")
                    #expect(delivery["attempts"].number == Double(attempts))
                    let statuses = delivery["attempt_list"].items.map { $0["status"].number }
                    let answers: [Double?] = Array(repeating: 503, count: max(0, attempts - 1)) + [200]
                    #expect(statuses == answers)
                    compared += 1
                }
            }
            #expect(compared == wanted.count)
        }
    }
}
