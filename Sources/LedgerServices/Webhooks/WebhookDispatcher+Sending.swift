internal import Ledger
internal import Logging
internal import Synchronization
internal import Tracing

extension WebhookDispatcher {
    /// The maximum number of concurrent deliveries to one endpoint.
    static let maximumConcurrency = 8
    /// While this many deliveries to all endpoints are in flight, each endpoint has only one. One it always has, so that
    /// endpoints that do not respond do not delay others. Each delivery needs a descriptor of the reserve that the
    /// server keeps.
    static let maximumShared = 32

    /// Starts sending the due deliveries of one endpoint, up to the concurrency limit. Returns false if none is due.
    func send(to endpoint: Int64, _ group: inout DiscardingTaskGroup) async throws -> Bool {
        let (inFlight, all, pause) = state.withLock { state in
            let all = state.inFlight.values.reduce(0) { $0 + $1.count }
            return (state.inFlight[endpoint] ?? [], all, state.pauses[endpoint])
        }
        if let pause, !clock.isOver(pause) {
            scheduleWakeup(in: pause.remaining, &group)
            return false
        }
        let share = max(1, inFlight.count + Self.maximumShared - all)
        let limit = pause == nil ? min(Self.maximumConcurrency, share) : 1
        guard inFlight.count < limit else { return true }
        var due = try await storage.dueDeliveries(of: endpoint, at: now, limit: limit + inFlight.count)
        if let test = try await takeTest(of: endpoint) { due = [test] + due.filter { $0.id != test.id } }
        guard let definition = try await currentDefinition(of: endpoint) else { return false }
        for delivery in due.filter({ !inFlight.contains($0.id) }).prefix(limit - inFlight.count) {
            state.withLock { _ = $0.inFlight[endpoint, default: []].insert(delivery.id) }
            group.addTask { await self.deliver(delivery, definition) }
        }
        return !due.isEmpty
    }

    /// Returns the definition of an endpoint; nil if the endpoint was removed or disabled. A change is effective for the
    /// deliveries that start after it, also in a pass that has begun.
    private func currentDefinition(of id: Int64) async throws -> WebhookDefinition? {
        let current = try await endpoints().first { $0.id == id && $0.disabled == nil }
        return current.flatMap { definition(of: $0) }
    }

    private func deliver(_ delivery: WebhookDelivery, _ definition: WebhookDefinition) async {
        let attributes: SpanAttributes = [
            "counterfoil.endpoint": .string(definition.name),
            "counterfoil.attempt": .int64(Int64(delivery.attempts) + 1),
        ]
        let outcome = await metrics.spans.measure("deliver", .client, of: attributes) {
            await attempt(delivery, definition)
        }
        if let outcome, !outcome.isPostponed { metrics.count(outcome) }
        let (isFirstPause, isOver) = state.withLock { state -> (Bool, Bool) in
            // A cancelled attempt has no outcome. The delivery is sent again.
            guard let outcome else {
                Self.remove(delivery.id, delivery.endpoint, &state)
                return (false, false)
            }
            state.outcomes.append(outcome)
            let wasFailing = state.pauses[outcome.endpoint] != nil
            let isFirstPause = updateBackoff(after: outcome, &state)
            return (isFirstPause, wasFailing && state.pauses[outcome.endpoint] == nil)
        }
        if isFirstPause {
            logger.warning(
                "a webhook keeps failing; deliveries are sent one at a time until one succeeds",
                metadata: ["endpoint": "\(name(of: delivery.endpoint))"])
        } else if isOver {
            logger.notice("a webhook works again", metadata: ["endpoint": "\(name(of: delivery.endpoint))"])
        }
        wake()
    }

    static func remove(_ delivery: Int64, _ endpoint: Int64, _ state: inout State) {
        state.inFlight[endpoint]?.remove(delivery)
        if state.inFlight[endpoint]?.isEmpty == true { state.inFlight[endpoint] = nil }
    }
}
