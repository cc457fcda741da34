internal import Basics
package import Foundation
package import Ledger
internal import Logging
internal import Synchronization

extension WebhookDispatcher {
    /// The delay of a delivery whose notification is being reprocessed, in milliseconds.
    private static let postponement: Milliseconds = 1000

    /// Returns all endpoints except those removed from the configuration. The cursors of removed endpoints stay stored.
    package func endpoints() async throws -> [WebhookEndpoint] { try await loadEndpoints().endpoints }

    /// Returns all endpoints, and the identifiers of those removed from the configuration.
    private func loadEndpoints() async throws -> (endpoints: [WebhookEndpoint], removed: [Int64]) {
        let (cached, cachedRemoved, changes) = state.withLock { ($0.endpoints, $0.removed, $0.changes) }
        if let cached { return (cached, cachedRemoved) }
        let all = try await storage.webhookEndpoints()
        for endpoint in all where endpoint.isDamaged {
            logger.error(
                "the definition of a webhook is damaged; its events are not sent",
                metadata: ["endpoint": "\(endpoint.name)"])
        }
        let endpoints = all.filter { definition(of: $0) != nil }
        let removed = all.filter { $0.isConfigured && definition(of: $0) == nil }.map(\.id)
        let names = Dictionary(all.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        // Cache the endpoints only if none was changed during the read.
        state.withLock { state in
            state.names = names
            guard state.changes == changes else { return }
            (state.endpoints, state.removed) = (endpoints, removed)
            state.tests = state.tests.filter { names[$0.key] != nil }
        }
        return (endpoints, removed)
    }

    /// Returns the current definition of an endpoint; nil if it was removed from the configuration or is damaged.
    package func definition(of endpoint: WebhookEndpoint) -> WebhookDefinition? {
        endpoint.isConfigured ? configured.current[endpoint.name] : endpoint.definition
    }

    /// Returns the name of an endpoint for the log, or its identifier if the endpoint was deleted.
    func name(of endpoint: Int64) -> String { state.withLock { $0.names[endpoint] } ?? "\(endpoint)" }

    /// Returns an endpoint with the number of deliveries that its definition requests for each event.
    func target(_ endpoint: Int64, _ definition: WebhookDefinition) -> FanOutTarget {
        FanOutTarget(endpoint: endpoint) { [scopes] type, scope in
            definition.deliveries(of: type, scopes[id: scope])
        }
    }

    /// Returns the number of waiting deliveries for the metrics. Deliveries to endpoints removed from the configuration
    /// do not count: no user sees them or can act on them.
    package func webhookBacklog() async throws -> WebhookBacklog {
        try await storage.webhookBacklog(without: loadEndpoints().removed)
    }

    /// Sends a delivery once. Returns nil if the task was cancelled.
    package func attempt(_ delivery: WebhookDelivery, _ definition: WebhookDefinition) async -> DeliveryOutcome? {
        var outcome = DeliveryOutcome(delivery: delivery.id, endpoint: delivery.endpoint, result: .discarded)
        outcome.previousAttempts = delivery.attempts
        let body: Data
        do {
            guard let rendered = try await message(of: delivery, definition.payload) else {
                outcome.error = "nothing_to_say"
                return outcome
            }
            guard try await isStillReceived(delivery, rendered.event, definition) else {
                outcome.error = "not_accepted"
                return outcome
            }
            body = rendered.body
            outcome.event = rendered.event
        } catch is EventRenderer.NotificationPending {
            // The notification is processed soon. This is neither an attempt nor a failure.
            (outcome.isPostponed, outcome.isInternalFailure) = (true, true)
            outcome.result = .retry(at: now + Self.postponement, body: nil)
            return outcome
        } catch {
            if Task.isCancelled { return nil }
            logger.error(
                "the payload of an event cannot be built",
                metadata: ["event": "\(delivery.eventID)", "reason": "\(error.logReason)"])
            outcome.error = "unreadable_event"
            outcome.isInternalFailure = true
            return scheduleRetry(outcome, delivery, body: nil)
        }
        return await post(body, of: delivery, definition, outcome)
    }

    /// Posts the body of a delivery and evaluates the response. Returns nil if the task was cancelled.
    private func post(
        _ body: Data, of delivery: WebhookDelivery, _ definition: WebhookDefinition, _ outcome: DeliveryOutcome
    ) async -> DeliveryOutcome? {
        var outcome = outcome
        let (began, start, date) = (now, ContinuousClock.now, Date())
        var timestamp: Int64?
        func attempt(_ outcome: DeliveryOutcome, _ response: Data = Data()) -> DeliveryAttempt {
            DeliveryAttempt(
                at: began, milliseconds: Int64(start.duration(to: .now).seconds * 1000), status: outcome.status,
                error: outcome.error, response: response, timestamp: timestamp)
        }
        do {
            let target = try WebhookTarget(definition.url, allowsHTTP: true)
            timestamp = WebhookSignature.timestamp(date)
            let response = try await sender.post(
                body, headers: headers(of: delivery, definition, body: body, at: date),
                to: target, allowsPrivate: definition.allowsPrivateNetworks, turn: delivery.attempts)
            if !outcome.record(status: response.status) {
                outcome = scheduleRetry(outcome, delivery, body: body, retryAfter: response.retryAfter)
            }
            outcome.attempt = attempt(outcome, response.body)
            return outcome
        } catch {
            if Task.isCancelled { return nil }
            switch error {
            case let error as WebhookTarget.Refusal: outcome.error = error.code.rawValue
            case let error as WebhookSender.NoResponse: outcome.error = error.reason
            default: outcome.error = "failed"
            }
            outcome.attempt = attempt(outcome)
            return scheduleRetry(outcome, delivery, body: body)
        }
    }

    /// Returns the headers of a delivery that is sent at `date`.
    package func headers(
        of delivery: WebhookDelivery, _ definition: WebhookDefinition, body: Data, at date: Date
    ) -> [(name: String, value: String)] {
        WebhookSender.headers
            + WebhookSignature.headers(id: delivery.messageID, date: date, body: body, secrets: definition.secrets)
    }

    /// Returns the body of a delivery; nil if the event has no representation in the endpoint's payload format.
    package func body(of delivery: WebhookDelivery, _ definition: WebhookDefinition) async throws -> Data? {
        try await message(of: delivery, definition.payload)?.body
    }

    /// Returns the stored body of an earlier attempt, so that all attempts send the same bytes, or renders a new one
    /// from the event: also if the endpoint had another format then.
    private func message(
        of delivery: WebhookDelivery, _ payload: WebhookPayload
    ) async throws -> (body: Data, event: LedgerEvent?)? {
        if let body = delivery.body, EventRenderer.isBody(body, in: payload) { return (body: body, event: nil) }
        guard let record = try await storage.event(delivery.event),
            let body = try await renderer.body(record.event, record.notification, as: delivery, payload: payload)
        else { return nil }
        return (body: body, event: record.event)
    }

    /// Whether the endpoint receives events of the delivery's app and environment. Its definition may have changed since
    /// the delivery was created, and others may manage the endpoint now.
    ///
    /// - Parameter event: The event, if it was read already.
    private func isStillReceived(
        _ delivery: WebhookDelivery, _ event: LedgerEvent?, _ definition: WebhookDefinition
    ) async throws -> Bool {
        guard definition.apps != nil || definition.environments != nil, delivery.eventType != .webhookTest else {
            return true
        }
        var event = event
        if event == nil { event = try await storage.event(delivery.event)?.event }
        return definition.receives(from: event.flatMap { scopes[id: $0.scope] })
    }

    private func scheduleRetry(
        _ outcome: DeliveryOutcome, _ delivery: WebhookDelivery, body: Data?, retryAfter: Double? = nil
    ) -> DeliveryOutcome {
        var (outcome, generator) = (outcome, SystemRandomNumberGenerator())
        outcome.scheduleRetry(
            after: delivery.attempts + 1, body: body, retryAfter: retryAfter, at: now, using: &generator)
        logger.notice(
            "a webhook was not delivered",
            metadata: [
                "event": "\(delivery.eventID)", "endpoint": "\(name(of: delivery.endpoint))",
                "attempt": "\(delivery.attempts + 1)",
                "reason": "\(outcome.error ?? "")",
            ])
        return outcome
    }
}
