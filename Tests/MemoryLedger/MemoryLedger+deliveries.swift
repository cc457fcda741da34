internal import AppStoreModels
internal import Foundation
package import Ledger

extension MemoryLedger {
    /// The delivery of one event to one endpoint.
    struct Delivery: Sendable {
        var id: Int64
        var endpoint: Int64
        var event: Int64
        var variant: Int
        /// The deliveries of a lane are sent in order: those of a customer, else those of a purchase, else one event
        /// alone.
        var lane: String
        /// The deliveries of a purchase are sent in order, even if the events belong to different customers.
        var purchase: String?
        var happenedAt: Milliseconds
        var isRepeat: Bool
        var createdAt: Milliseconds
        var state = WebhookDelivery.State.pending
        var attempts: [DeliveryAttempt] = []
        /// The number of attempts, without postponed ones.
        var count = 0
        /// Whether it is the next delivery of its lane, but not due yet. An earlier delivery may still replace it.
        var isNext = false
        var due: Milliseconds?
        var lastStatus: Int?
        var lastError: String?
        var endedAt: Milliseconds?
        var body: Data?

        mutating func end(_ state: WebhookDelivery.State, _ error: String?, at now: Milliseconds) {
            (self.state, lastError, endedAt) = (state, error, now)
            (due, isNext, body) = (nil, false, nil)
        }

        /// Makes the delivery due at an instant or, without one, marks it as the next of its lane.
        mutating func markNext(dueAt due: Milliseconds?) { (isNext, self.due) = (due == nil, due) }
    }
}

extension MemoryLedger {
    /// The names of the lanes of pending deliveries, for tests.
    package var lanesOfPendingDeliveries: [String] {
        get throws { try read { $0.deliveries.values.filter { $0.state == .pending }.map(\.lane) } }
    }

    package func fanOut(
        to endpoints: [Int64], by target: @escaping @Sendable (WebhookEndpoint) -> FanOutTarget?,
        within gate: FanOutLimit, limit: Int, at now: Milliseconds
    ) async throws -> FanOutProgress {
        try write { state in
            var progress = FanOutProgress.done
            for id in endpoints {
                guard let stored = state.endpoints[id]?.endpoint, stored.disabled == nil, let target = target(stored)
                else { continue }
                progress = max(progress, state.fanOut(to: target, gate, limit, at: now))
            }
            return progress
        }
    }

    package func releaseDeliveries(to endpoints: [Int64], limit: Int, at now: Milliseconds) async throws -> Bool {
        try write { state in
            for endpoint in endpoints {
                let next = state.deliveries.values.filter { $0.endpoint == endpoint && $0.isNext }.map(\.id)
                let batch = next.sorted().prefix(limit)
                for id in batch { state.deliveries[id]?.markNext(dueAt: now) }
                if batch.count == limit { return true }
            }
            return false
        }
    }

    package func dueDeliveries(
        of endpoint: Int64, at now: Milliseconds, limit: Int
    ) async throws -> [WebhookDelivery] {
        try read { state in
            let times = LongestDelay.delivery.dueTimes(at: now)
            let due = state.deliveries.values.filter { delivery in
                delivery.endpoint == endpoint
                    && delivery.due.map { due in times.contains { $0.contains(due) } } ?? false
            }
            return due.sorted { ($0.due ?? 0, $0.id) < ($1.due ?? 0, $1.id) }.prefix(limit).compactMap {
                state.webhookDelivery($0)
            }
        }
    }

    package func nextDelivery(to endpoints: [Int64], after now: Milliseconds) async throws -> Milliseconds? {
        try read { state in
            state.deliveries.values.filter { endpoints.contains($0.endpoint) }.compactMap(\.due).filter { $0 > now }
                .min()
        }
    }

    package func record(
        _ outcomes: [DeliveryOutcome], disableAfter: Milliseconds, at now: Milliseconds
    ) async throws -> [Int64: DisableReason] {
        try write { state in
            outcomes.reduce(into: [:]) { disabled, outcome in
                state.record(outcome, at: now)
                guard let stored = state.endpoints[outcome.endpoint] else { return }
                let endpoint = stored.endpoint
                let health = EndpointHealth(
                    failingSince: endpoint.failingSince, failedAt: stored.failedAt, disabled: endpoint.disabled?.reason
                ).after(outcome, disableAfter: disableAfter, at: now)
                state.endpoints[outcome.endpoint]?.endpoint.failingSince = health.failingSince
                state.endpoints[outcome.endpoint]?.failedAt = health.failedAt
                guard let reason = health.disabled, endpoint.disabled == nil else { return }
                state.endpoints[outcome.endpoint]?.endpoint.disabled = .init(reason: reason, since: now)
                disabled[outcome.endpoint] = reason
            }
        }
    }

    package func replay(
        _ range: ReplayRange, to target: FanOutTarget, at now: Milliseconds
    ) async throws -> ReplayOutcome {
        try write { $0.replay(range, to: target, at: now) }
    }

    package func countReplay(_ range: ReplayRange, to target: FanOutTarget) async throws -> ReplayOutcome {
        try read { state in
            let events = state.numberedEvents.filter { range.contains($0, for: target) }
            return state.outcome(
                of: DeliveryPlan.count(events, of: range, making: range.limit, to: target), limit: range.limit)
        }
    }

    package func addWebhookTest(_ event: LedgerEvent, to endpoint: Int64) async throws -> WebhookDelivery? {
        try write { state in
            guard state.endpoints[endpoint] != nil else { return nil }
            state.add(event)
            let known = state.numberedEvents.first { $0.event.notification == nil && $0.event.id.isExactly(event.id) }
            guard let known else { return nil }
            let id = state.add(.init(known, variant: 0), to: endpoint, at: event.createdAt)
            state.release(known.lane, to: endpoint, due: event.createdAt)
            return state.deliveries[id].flatMap { state.webhookDelivery($0) }
        }
    }
}

extension MemoryLedger: AttemptStorage {
    package func delivery(_ id: Int64, of endpoint: Int64) async throws -> WebhookDelivery? {
        try read { state in
            state.deliveries[id].flatMap { $0.endpoint == endpoint ? state.webhookDelivery($0) : nil }
        }
    }

    package func deliveries(ofEvent id: String, limit: Int, attempts: Int) async throws -> [AttemptedDelivery]? {
        guard let number = try await eventNumber(id) else { return nil }
        return try read { state in
            let found = state.deliveries.values.filter { $0.event == number }.sorted { $0.id > $1.id }
            return found.prefix(limit).compactMap { delivery in
                state.webhookDelivery(delivery).map {
                    AttemptedDelivery($0, attempts: Array(delivery.attempts.prefix(attempts)))
                }
            }
        }
    }

    package func attempts(of delivery: Int64, limit: Int) async throws -> [DeliveryAttempt] {
        try read { Array($0.deliveries[delivery]?.attempts.prefix(limit) ?? []) }
    }
}

extension MemoryLedger.State {
    /// Returns a delivery as the protocol's type, or nil if its event is unknown.
    func webhookDelivery(_ delivery: MemoryLedger.Delivery) -> WebhookDelivery? {
        guard let event = event(delivery.event) else { return nil }
        return WebhookDelivery(
            id: delivery.id, endpoint: delivery.endpoint, event: delivery.event, variant: delivery.variant,
            state: delivery.state, attempts: delivery.count, due: delivery.due, lastStatus: delivery.lastStatus,
            lastError: delivery.lastError, createdAt: delivery.createdAt, endedAt: delivery.endedAt,
            body: delivery.body, eventID: event.id, eventType: event.type, isRepeat: delivery.isRepeat)
    }

    fileprivate mutating func record(_ outcome: DeliveryOutcome, at now: Milliseconds) {
        // The endpoint may have been removed since, and the number may belong to a delivery of another endpoint now.
        guard var delivery = deliveries[outcome.delivery], delivery.endpoint == outcome.endpoint,
            delivery.state == .pending, !outcome.isRecorded(in: delivery.count)
        else { return }
        if let attempt = outcome.attempt { delivery.attempts.append(attempt) }
        delivery.lastStatus = outcome.status
        delivery.count += outcome.isAttempt ? 1 : 0
        if case .retry(let due, _) = outcome.result {
            let body = outcome.bodyToStore(isStored: delivery.body != nil, event: event(delivery.event))
            (delivery.due, delivery.body, delivery.lastError) = (due, body ?? delivery.body, outcome.error)
        }
        if let state = outcome.endState { delivery.end(state, outcome.error, at: now) }
        deliveries[delivery.id] = delivery
        guard delivery.state != .pending else { return }
        DeliveryLane.release(
            after: delivery.lane, delivery.purchase, first: { first(in: $0, to: outcome.endpoint) },
            release: { release($0, to: outcome.endpoint, due: now) })
    }
}
