package import Ledger
internal import AppStoreModels
internal import Basics
internal import Crypto
internal import Foundation
internal import Synchronization

/// An endpoint with what is sent there.
package struct ManagedWebhook: Sendable {
    package var stored: WebhookEndpoint
    package var definition: WebhookDefinition
    /// Until when nothing is sent there, because nothing arrives; nil while it does not pause.
    package var pausedUntil: Milliseconds?
}

extension WebhookDispatcher {
    /// Goes by these endpoints of the configuration from now on. What is on its way to one that is gone waits until it is there
    /// again.
    package func configure(_ webhooks: [WebhookDefinition]) async throws {
        let configured = Dictionary(webhooks.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        try await storage.registerWebhooks(configured.keys.sorted(), at: now)
        self.configured.replace(with: configured)
        reload()
    }

    /// All endpoints, as they are at the moment.
    package func managed() async throws -> [ManagedWebhook] {
        try await storage.webhookEndpoints().compactMap { endpoint in
            definition(of: endpoint).map {
                ManagedWebhook(stored: endpoint, definition: $0, pausedUntil: pausedUntil(endpoint))
            }
        }
    }

    /// An endpoint that was made by the API and whose definition is damaged: nothing is sent there, and nobody knows for which
    /// apps it was. It can be removed.
    package func damaged(_ name: String) async throws -> WebhookEndpoint? {
        try await storage.webhookEndpoints().first { $0.isDamaged && $0.name.isExactly(name) }
    }

    /// Makes an endpoint, which begins at the present; nil when the name is taken.
    package func add(_ definition: WebhookDefinition) async throws -> ManagedWebhook? {
        let endpoint = try await storage.addWebhook(definition, at: now)
        reload()
        return endpoint.map { ManagedWebhook(stored: $0, definition: definition) }
    }

    /// How often endpoints were changed.
    package var changes: Int { state.withLock { $0.changes } }

    /// Lets changes of endpoints follow each other. Each begins with the definition that there is, and may take a
    /// while, as where a host is looked up: of two that began with the same, the one that ends last would undo the
    /// other, and a secret that somebody was shown would be gone.
    package func changing<Value>(_ change: () async throws -> Value) async throws -> Value {
        try await changeGate.enter()
        defer { changeGate.leave() }
        return try await change()
    }

    /// Changes an endpoint that is not of the configuration. What is on its way goes by the new definition.
    package func change(_ id: Int64, to definition: WebhookDefinition) async throws {
        try await storage.changeWebhook(id, to: definition)
        reload()
    }

    /// Switches an endpoint on or off. While it is off its events wait, and come when it is on again, unless they are
    /// discarded.
    package func switchOn(_ isOn: Bool, _ endpoint: WebhookEndpoint, discardingBacklog: Bool) async throws {
        let disabled = isOn ? nil : endpoint.disabled ?? .init(reason: .requested, since: now)
        try await storage.switchWebhook(endpoint.id, disabled, discardingBacklog: discardingBacklog, at: now)
        reload()
    }

    /// Removes an endpoint, and what is on its way to it.
    package func remove(_ id: Int64) async throws {
        try await storage.removeWebhook(id)
        reload()
    }

    /// Sends events again that an endpoint takes. What failed before and would be tried again later goes before them, now.
    package func replay(_ range: ReplayRange, to webhook: ManagedWebhook) async throws -> ReplayOutcome {
        let target = target(webhook.stored, webhook.definition)
        defer {
            resume(webhook.stored.id)
            letGoSoon()
        }
        return try await storage.replay(range, to: target, at: now)
    }

    /// What ``replay(_:to:)`` would do.
    package func countReplay(_ range: ReplayRange, to webhook: ManagedWebhook) async throws -> ReplayOutcome {
        try await storage.countReplay(range, to: target(webhook.stored, webhook.definition))
    }

    /// Sends an event that says nothing.
    package func test(_ endpoint: WebhookEndpoint) async throws -> WebhookDelivery? {
        let event = LedgerEvent(
            id: "evt_" + UUID().uuidString.lowercased(), scope: 0, type: .webhookTest, occurredAt: now, createdAt: now)
        defer { resume(endpoint.id) }
        let test = try await storage.addWebhookTest(event, to: endpoint.id)
        if let test { state.withLock { $0.tests[endpoint.id] = test.id } }
        return test
    }

    /// The test of an endpoint that goes first; nil if there is none that was not tried.
    func takeTest(of endpoint: Int64) async throws -> WebhookDelivery? {
        guard let id = state.withLock({ $0.tests.removeValue(forKey: endpoint) }) else { return nil }
        let newest = try await storage.deliveries(of: endpoint, in: .pending, before: id + 1, limit: 1)
        return newest.first { $0.id == id && $0.attempts == 0 }
    }
}

extension Secret {
    /// What it is called where it must not be shown: sixteen hexadecimal digits.
    package var fingerprint: String {
        SHA256.hash(data: Data(revealed.utf8)).prefix(8).hexadecimal
    }

    /// Whether a text has the form of a ``fingerprint``.
    package static func isFingerprint(_ text: String) -> Bool {
        text.utf8.count == 16 && [UInt8](hexadecimal: text) != nil
    }
}
