internal import AppStoreModels
internal import Basics
internal import Crypto
internal import Foundation
package import Ledger
internal import Synchronization

/// An endpoint with its current definition.
package struct ManagedWebhook: Sendable {
    package var stored: WebhookEndpoint
    package var definition: WebhookDefinition
    /// The end of the pause after repeated failures; nil if the endpoint does not pause.
    package var pausedUntil: Milliseconds?
}

extension WebhookDispatcher {
    /// Replaces the endpoints of the configuration. Deliveries to a removed endpoint wait until it is configured again.
    package func configure(_ webhooks: [WebhookDefinition]) async throws {
        let configured = Dictionary(webhooks.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        // A reload must also remove a key while the disk is full, or while another change waits for the ledger: write only
        // new names, and wait for other changes only if a name was not in use.
        if configured.keys.allSatisfy({ self.configured.current[$0] != nil }) {
            self.configured.replace(with: configured)
        } else {
            try await serializeChanges {
                let known = try await storage.webhookEndpoints().filter(\.isConfigured)
                let new = configured.keys.filter { name in !known.contains { $0.name.isExactly(name) } }
                if !new.isEmpty { try await storage.registerWebhooks(new.sorted(), at: now) }
                self.configured.replace(with: configured)
            }
        }
        reload()
    }

    /// Returns all endpoints with their current definitions.
    package func managedWebhooks() async throws -> [ManagedWebhook] {
        try await storage.webhookEndpoints().compactMap { endpoint in
            definition(of: endpoint).map {
                ManagedWebhook(stored: endpoint, definition: $0, pausedUntil: pausedUntil(endpoint))
            }
        }
    }

    /// Returns the endpoint with this name if it was created by the API and its stored definition is damaged. Such an
    /// endpoint receives nothing, and its apps are unknown. It can be removed.
    package func damagedEndpoint(named name: String) async throws -> WebhookEndpoint? {
        try await storage.webhookEndpoints().first { $0.isDamaged && $0.name.isExactly(name) }
    }

    /// Creates an endpoint that receives events from now on. Returns nil if the name is taken. Call it within
    /// ``serializeChanges(_:)`` if the configuration can change meanwhile.
    ///
    /// - Parameter replacesRemoved: Whether the name of an endpoint that is no longer in the configuration is free. That
    ///   endpoint and its waiting deliveries are removed.
    package func add(
        _ definition: WebhookDefinition, replacesRemoved: Bool = false
    ) async throws -> ManagedWebhook? {
        let isRemoved = configured.current[definition.name] == nil
        defer { reload() }
        let endpoint = try await storage.addWebhook(
            definition, replacesConfigured: replacesRemoved && isRemoved, at: now)
        return endpoint.map { ManagedWebhook(stored: $0, definition: definition) }
    }

    /// The number of changes to endpoints since the start.
    package var changes: Int { state.withLock { $0.changes } }

    /// Runs changes of endpoints one after the other, also those that the outcomes of deliveries cause.
    ///
    /// A change reads the current definition and writes the new one. If two changes ran at the same time, the later
    /// write would overwrite the earlier one, and a secret already shown to a user would be lost.
    package func serializeChanges<Value>(_ change: () async throws -> Value) async throws -> Value {
        try await changeLock.lock()
        defer { changeLock.unlock() }
        return try await change()
    }

    /// Changes an endpoint that was created by the API. Waiting deliveries use the new definition.
    package func updateEndpoint(_ id: Int64, to definition: WebhookDefinition) async throws {
        defer { reload() }
        try await storage.changeWebhook(id, to: definition)
    }

    /// Enables or disables an endpoint. Events of a disabled endpoint wait until it is enabled again, unless the
    /// backlog is discarded.
    ///
    /// - Parameter definition: The new definition of an endpoint that was created by the API; nil for no change.
    package func setEnabled(
        _ isEnabled: Bool, for endpoint: WebhookEndpoint, discardingBacklog: Bool,
        changingTo definition: WebhookDefinition? = nil
    ) async throws {
        let disabled = isEnabled ? nil : endpoint.disabled ?? .init(reason: .requested, since: now)
        defer { reload() }
        try await storage.switchWebhook(
            endpoint.id, disabled, discardingBacklog: discardingBacklog, changingTo: definition, at: now)
    }

    /// Makes the deliveries that wait for a retry due if the clock was set back by more than a minute since the last pass.
    /// If it was ahead when one failed, its pause of seconds now seems to be one of up to a day, which a `Retry-After`
    /// may also request: see ``LongestDelay``.
    ///
    /// It says nothing about an endpoint: one that fails keeps its backoff and the beginning of its failures.
    func retryAfterSettingBack() async throws {
        let (shown, last) = (now, state.withLock { $0.lastPass })
        if let last, shown < last - 60_000 {
            for endpoint in try await storage.webhookEndpoints() where endpoint.disabled == nil {
                try await storage.resumeDeliveries(to: endpoint.id, at: shown)
            }
            state.withLock { $0.hasJobs = true }
        }
        state.withLock { $0.lastPass = shown }
    }

    /// Removes an endpoint and its waiting deliveries.
    package func remove(_ id: Int64) async throws {
        defer { reload() }
        try await storage.removeWebhook(id)
    }

    /// Sends events again that the endpoint accepts. Deliveries that wait for a retry are sent first, at once.
    package func replay(_ range: ReplayRange, to webhook: ManagedWebhook) async throws -> ReplayOutcome {
        let target = target(webhook.stored.id, webhook.definition)
        defer {
            clearBackoff(of: webhook.stored.id)
            scheduleRelease()
        }
        return try await storage.replay(range, to: target, at: now)
    }

    /// Returns what ``replay(_:to:)`` would do, without doing it.
    package func countReplay(_ range: ReplayRange, to webhook: ManagedWebhook) async throws -> ReplayOutcome {
        try await storage.countReplay(range, to: target(webhook.stored.id, webhook.definition))
    }

    /// Sends a test event without content. Returns nil if no delivery was created.
    package func sendTest(to endpoint: WebhookEndpoint) async throws -> WebhookDelivery? {
        let event = LedgerEvent(
            id: LedgerEvent.prefix + UUID().text, scope: 0, type: .webhookTest, occurredAt: now, createdAt: now)
        defer { clearBackoff(of: endpoint.id) }
        let test = try await storage.addWebhookTest(event, to: endpoint.id)
        if let test { state.withLock { $0.tests[endpoint.id] = test.id } }
        return test
    }

    /// Returns the newest test delivery of an endpoint if it was not attempted yet. Each test is returned once.
    func takeTest(of endpoint: Int64) async throws -> WebhookDelivery? {
        guard let id = state.withLock({ $0.tests.removeValue(forKey: endpoint) }) else { return nil }
        let test = try await storage.delivery(id, of: endpoint)
        return test?.state == .pending && test?.attempts == 0 ? test : nil
    }
}

extension Secret {
    /// An identifier of the secret that does not reveal it: sixteen hexadecimal digits of its SHA-256.
    package var fingerprint: String {
        SHA256.hash(data: Data(revealed.utf8)).prefix(8).hexadecimal
    }

    /// Whether `text` has the form of a ``fingerprint``.
    package static func isFingerprint(_ text: String) -> Bool {
        text.utf8.count == 16 && [UInt8](hexadecimal: text) != nil
    }
}
