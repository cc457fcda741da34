import AppStoreModels
import CounterfoilServer
import Foundation
import Logging
import MemoryLedger
import NIOHTTP1
import StoreSimulator
import TestSupport

@testable import Ledger
@testable import LedgerServices

extension World {
    static let webhookSecret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
    static let key = "key-of-the-tests-with-enough-letters"
    static let monthly = "com.example.premium.monthly"

    /// Calls `body` with a world whose server sends webhooks to a receiver.
    static func runWithWebhooks<Value>(
        _ change: @escaping @Sendable (inout ServerConfiguration, String) -> Void = { _, _ in },
        logger: Logger? = nil, _ body: (World, WebhookReceiver) async throws -> Value
    ) async throws -> Value {
        try await WebhookReceiver.run { receiver in
            let url = receiver.url
            let configure: @Sendable (inout ServerConfiguration) -> Void = { configuration in
                configuration.webhooks = [webhook("backend", url + "/backend")]
                configuration.keys = [
                    .init(name: "test", hash: APIKeyText.hash(of: key), scopes: [.webhooksWrite])
                ]
                change(&configuration, url)
            }
            return try await World.run(server: configure, logger: logger) { world in try await body(world, receiver) }
        }
    }

    static func webhook(_ name: String, _ url: String) -> ServerConfiguration.Webhook {
        var webhook = ServerConfiguration.Webhook(name: name, url: url, secrets: [Secret(webhookSecret)])
        webhook.allowsPrivateNetworks = true
        return webhook
    }

    /// The key `sandbox`, which manages webhooks of the Sandbox alone.
    static let sandboxWebhookKey = ServerConfiguration.Key(
        name: "sandbox", hash: APIKeyText.hash(of: "sandbox"), scopes: [.webhooksWrite], environments: [.sandbox])

    /// Waits until all notifications are processed and every due delivery was attempted.
    func deliverWebhooks() async throws {
        try await waitUntilIdle()
        let webhooks = try server.core.webhooks
        try await waitForEnd("every due delivery was attempted") { await webhooks.waitUntilIdle() }
    }

    /// Advances the clock, and waits until every due delivery was attempted.
    func deliverWebhooks(after seconds: TimeInterval) async throws {
        try await simulator.advance(by: seconds)
        try await deliverWebhooks()
    }

    /// Makes a purchase with a new account token. Returns the token, which is the customer's identifier.
    func buy(_ customer: String, _ product: String = monthly) async throws -> String {
        let token = UUID()
        try await simulator.perform(
            .purchase(customer: customer, product: product, appAccountToken: AppAccountToken(token)))
        return token.uuidString.lowercased()
    }

    func endpoint(_ name: String = "backend") async throws -> ManagedWebhook {
        let found = try await (try server).core.webhooks.managedWebhooks().first { $0.stored.name == name }
        guard let found else { throw StorageError(.failed, "no such endpoint") }
        return found
    }

    func deliveries(_ name: String = "backend") async throws -> [WebhookDelivery] {
        let id = try await endpoint(name).stored.id
        return try await (try server).core.storage.deliveries(of: id, limit: 1000).reversed()
    }

    /// Sends a request to the server's API.
    func send(
        _ method: HTTPMethod, _ path: String, _ body: String? = nil, key: String = World.key
    ) async throws -> (status: UInt, json: JSON) {
        let answer = try await request(method, path, headers: ["Authorization": "Bearer " + key], body: body)
        return (UInt(answer.status), JSON(Data(answer.text.utf8)))
    }
}
