internal import AppStoreModels
internal import Foundation
package import Ledger

extension MemoryLedger {
    /// An endpoint and the instant from which it receives events.
    struct Endpoint: Sendable {
        var endpoint: WebhookEndpoint
        /// The last event that was fanned out to the endpoint.
        var cursor: Int64
        /// Earlier events are not sent to the endpoint.
        var begin: Milliseconds
        /// When an attempt last failed.
        var failedAt: Milliseconds?
    }
}

/// Jobs that other engines do in several steps are done at once here.
extension MemoryLedger: WebhookStorage {
    package func registerWebhooks(_ names: [String], at now: Milliseconds) async throws {
        try write { state in
            for name in names {
                if let known = state.endpoints.values.first(where: { $0.endpoint.name.isExactly(name) }) {
                    state.endpoints[known.endpoint.id]?.endpoint.isConfigured = true
                    state.endpoints[known.endpoint.id]?.endpoint.definition = nil
                } else {
                    state.addEndpoint(name, nil, at: now)
                }
            }
        }
    }

    package func webhookEndpoints() async throws -> [WebhookEndpoint] {
        try read { state in
            state.endpoints.values.map(\.endpoint).sorted { ExactText($0.name) < ExactText($1.name) }
        }
    }

    package func addWebhook(
        _ definition: WebhookDefinition, replacesConfigured: Bool, at now: Milliseconds
    ) async throws -> WebhookEndpoint? {
        try write { state in
            var known = state.endpoints.values.map(\.endpoint).first { $0.name.isExactly(definition.name) }
            if replacesConfigured, let former = known, former.isConfigured {
                state.removeEndpoint(former.id)
                known = nil
            }
            guard let known else { return state.addEndpoint(definition.name, definition, at: now) }
            let isRepeated = known.createdAt == now && known.definition?.isSame(as: definition) ?? false
            return isRepeated ? known : nil
        }
    }

    package func changeWebhook(_ id: Int64, to definition: WebhookDefinition) async throws {
        try write { $0.changeEndpoint(id, to: definition) }
    }

    package func switchWebhook(
        _ id: Int64, _ disabled: WebhookEndpoint.Disabled?, discardingBacklog: Bool,
        changingTo definition: WebhookDefinition?, at now: Milliseconds
    ) async throws {
        try write { state in
            if let definition { state.changeEndpoint(id, to: definition) }
            state.endpoints[id]?.endpoint.disabled = disabled
            state.endpoints[id]?.endpoint.failingSince = nil
            state.endpoints[id]?.failedAt = nil
            if discardingBacklog {
                let last = state.lastEvent
                state.endpoints[id]?.cursor = last
                state.endpoints[id]?.begin = now
                for delivery in state.deliveries.values where delivery.endpoint == id && delivery.state == .pending {
                    state.deliveries[delivery.id]?.end(.discarded, WebhookDelivery.discardedBacklog, at: now)
                }
            } else if disabled == nil {
                state.resumeDeliveries(to: id, at: now)
            }
        }
    }

    package func resumeDeliveries(to endpoint: Int64, at now: Milliseconds) async throws {
        try write { $0.resumeDeliveries(to: endpoint, at: now) }
    }

    package func removeWebhook(_ id: Int64) async throws {
        try write { $0.removeEndpoint(id) }
    }

    package func runWebhookJob(limit: Int, at now: Milliseconds) async throws -> Bool { false }

    package func status(for endpoints: [Int64]) async throws -> FanOutStatus? {
        try read { state in
            let hasNewEvents = endpoints.contains { id in
                guard let endpoint = state.endpoints[id] else { return false }
                return endpoint.endpoint.disabled == nil && endpoint.cursor < state.lastEvent
            }
            return hasNewEvents ? state.status : nil
        }
    }

    package func event(_ number: Int64) async throws -> (event: LedgerEvent, notification: StoredNotification?)? {
        try read { state in
            state.event(number).map { ($0, $0.notification.flatMap { state.storedNotification($0) }) }
        }
    }

    package func eventNumber(_ id: String) async throws -> Int64? {
        try read { state in state.numberedEvents.first { $0.event.id.isExactly(id) }?.number }
    }

    package func webhookBacklog(without gone: [Int64]) async throws -> WebhookBacklog {
        try read { state in
            let waiting = state.deliveries.values.filter { $0.state == .pending && !gone.contains($0.endpoint) }
            let next = state.endpoints.values.compactMap { endpoint -> Milliseconds? in
                guard endpoint.endpoint.disabled == nil, !gone.contains(endpoint.endpoint.id) else { return nil }
                return state.event(endpoint.cursor + state.step)?.createdAt
            }
            return WebhookBacklog(
                deliveries: min(waiting.count, WebhookBacklog.limit), oldest: (waiting.map(\.createdAt) + next).min(),
                disabledEndpoints: state.endpoints.values.count {
                    $0.endpoint.disabled != nil && !gone.contains($0.endpoint.id)
                })
        }
    }
}

extension WebhookDefinition {
    /// Whether everything but the name is equal.
    fileprivate func isSame(as other: WebhookDefinition) -> Bool {
        url == other.url && secrets.map(\.revealed) == other.secrets.map(\.revealed) && events == other.events
            && payload == other.payload && apps == other.apps && environments == other.environments
            && allowsPrivateNetworks == other.allowsPrivateNetworks
    }
}

extension MemoryLedger.State {
    @discardableResult
    fileprivate mutating func addEndpoint(
        _ name: String, _ definition: WebhookDefinition?, at now: Milliseconds
    ) -> WebhookEndpoint {
        lastEndpoint += step
        let endpoint = WebhookEndpoint(
            id: lastEndpoint, name: name, definition: definition, isConfigured: definition == nil,
            createdAt: now)
        endpoints[lastEndpoint] = .init(endpoint: endpoint, cursor: lastEvent, begin: now)
        return endpoint
    }

    fileprivate mutating func changeEndpoint(_ id: Int64, to definition: WebhookDefinition) {
        guard let known = endpoints[id]?.endpoint, !known.isConfigured else { return }
        var definition = definition
        definition.name = known.name
        endpoints[id]?.endpoint.definition = definition
    }

    fileprivate mutating func resumeDeliveries(to endpoint: Int64, at now: Milliseconds) {
        for delivery in deliveries.values where delivery.endpoint == endpoint && delivery.state == .pending {
            guard let due = delivery.due, due > now else { continue }
            deliveries[delivery.id]?.due = now
        }
    }

    fileprivate mutating func removeEndpoint(_ id: Int64) {
        endpoints[id] = nil
        deliveries = deliveries.filter { $0.value.endpoint != id }
    }

    func event(_ number: Int64) -> LedgerEvent? {
        guard number > 0, number <= lastEvent, number.isMultiple(of: step) else { return nil }
        return events[Int(number / step) - 1]
    }
}
