internal import Basics
package import Ledger
package import Foundation
internal import Logging
internal import Synchronization

extension WebhookDispatcher {
    /// How long a delivery waits while its notification is read again, in milliseconds.
    private static let postponement: Milliseconds = 1000

    /// All endpoints. Those that are gone from the configuration are not among them; their place in the events is kept.
    package func endpoints() async throws -> [WebhookEndpoint] { try await known().endpoints }

    /// The same, and the numbers of those that are gone from the configuration.
    private func known() async throws -> (endpoints: [WebhookEndpoint], gone: [Int64]) {
        let (read, left, changes) = state.withLock { ($0.endpoints, $0.gone, $0.changes) }
        if let read { return (read, left) }
        let all = try await storage.webhookEndpoints()
        for endpoint in all where endpoint.isDamaged {
            logger.error("a webhook cannot be read; its events wait", metadata: ["endpoint": "\(endpoint.name)"])
        }
        let endpoints = all.filter { definition(of: $0) != nil }
        let gone = all.filter { $0.isConfigured && definition(of: $0) == nil }.map(\.id)
        // What was changed while they were read has to be read again.
        state.withLock { state in
            guard state.changes == changes else { return }
            (state.endpoints, state.gone) = (endpoints, gone)
        }
        return (endpoints, gone)
    }

    package func definition(of endpoint: WebhookEndpoint) -> WebhookDefinition? {
        endpoint.isConfigured ? configured.current[endpoint.name] : endpoint.definition
    }

    /// What the log calls an endpoint: by its name, or by its number while all are read again.
    func name(of endpoint: Int64) -> String {
        let known = state.withLock { $0.endpoints } ?? []
        return known.first { $0.id == endpoint }?.name ?? "\(endpoint)"
    }

    package func target(_ endpoint: WebhookEndpoint, _ definition: WebhookDefinition) -> FanOutTarget {
        let scopes = scopes
        return FanOutTarget(endpoint: endpoint.id) { definition.deliveries(of: $0, scopes[id: $1]) }
    }

    /// What is on its way: for the metrics. What waits for an endpoint that is gone from the configuration is nothing that
    /// anybody sees or could do something about.
    package func webhookBacklog() async throws -> WebhookBacklog {
        try await storage.webhookBacklog(without: known().gone)
    }

    /// Sends a delivery once; nil when it was cut short.
    package func attempt(_ delivery: WebhookDelivery, _ definition: WebhookDefinition) async -> DeliveryOutcome? {
        var outcome = DeliveryOutcome(delivery: delivery.id, endpoint: delivery.endpoint, result: .discarded)
        let body: Data
        do {
            guard let rendered = try await self.body(of: delivery, definition.payload) else {
                outcome.error = "nothing_to_say"
                return outcome
            }
            body = rendered
        } catch is EventRenderer.NotYet {
            // Soon it will have been read. Nothing was sent, and nothing is wrong.
            (outcome.isPostponed, outcome.isOurFault) = (true, true)
            outcome.result = .again(at: now + Self.postponement, body: nil)
            return outcome
        } catch {
            if Task.isCancelled { return nil }
            logger.error(
                "the payload of an event cannot be built",
                metadata: ["event": "\(delivery.eventID)", "reason": "\(error.logReason)"])
            outcome.error = "unreadable_event"
            outcome.isOurFault = true
            return retrying(outcome, delivery, body: nil)
        }
        let (began, start, date) = (now, ContinuousClock.now, Date())
        var timestamp: Int64?
        func attempt(_ outcome: DeliveryOutcome, _ answer: Data = Data()) -> DeliveryAttempt {
            DeliveryAttempt(
                at: began, milliseconds: Int64(start.duration(to: .now).seconds * 1000), status: outcome.status,
                error: outcome.error, answer: answer, timestamp: timestamp)
        }
        do {
            let target = try WebhookTarget(definition.url, allowsHTTP: true)
            timestamp = WebhookSignature.timestamp(date)
            let answer = try await sender.post(
                body, headers: headers(of: delivery, definition, body: body, at: date),
                to: target, allowsPrivate: definition.allowsPrivateNetworks, turn: delivery.attempts)
            outcome = judge(outcome, answer, delivery, body)
            outcome.attempt = attempt(outcome, answer.body)
            return outcome
        } catch {
            if Task.isCancelled { return nil }
            switch error {
            case let error as WebhookTarget.Refusal: outcome.error = error.code.rawValue
            case let error as WebhookSender.NoAnswer: outcome.error = error.reason
            default: outcome.error = "failed"
            }
            outcome.attempt = attempt(outcome)
            return retrying(outcome, delivery, body: body)
        }
    }

    /// The headers of a delivery that is sent at a date.
    package func headers(
        of delivery: WebhookDelivery, _ definition: WebhookDefinition, body: Data, at date: Date
    ) -> [(name: String, value: String)] {
        WebhookSender.headers
            + WebhookSignature.headers(id: delivery.messageID, date: date, body: body, secrets: definition.secrets)
    }

    /// What a delivery says, as it was or will be sent; nil when there is nothing to say.
    package func body(of delivery: WebhookDelivery, _ definition: WebhookDefinition) async throws -> Data? {
        try await body(of: delivery, definition.payload)
    }

    /// The body, the same in every attempt.
    private func body(
        of delivery: WebhookDelivery, _ payload: WebhookPayload
    ) async throws -> Data? {
        if let body = delivery.body { return body }
        guard let told = try await storage.event(delivery.event) else { return nil }
        return try await renderer.body(
            told.event, told.notification, as: delivery, payload: payload)
    }

    private func judge(
        _ outcome: DeliveryOutcome, _ answer: WebhookSender.Answer, _ delivery: WebhookDelivery, _ body: Data
    ) -> DeliveryOutcome {
        var outcome = outcome
        outcome.status = answer.status
        if (200...299).contains(answer.status) {
            outcome.result = .delivered
            return outcome
        }
        outcome.error = "status_\(answer.status)"
        outcome.isGone = answer.status == 410
        return retrying(outcome, delivery, body: body, retryAfter: answer.retryAfter)
    }

    private func retrying(
        _ outcome: DeliveryOutcome, _ delivery: WebhookDelivery, body: Data?, retryAfter: Double? = nil
    ) -> DeliveryOutcome {
        var (outcome, generator) = (outcome, SystemRandomNumberGenerator())
        let pause = RetrySchedule.pause(after: delivery.attempts + 1, retryAfter: retryAfter, using: &generator)
        outcome.result = pause.map { .again(at: now + Milliseconds($0 * 1000), body: body) } ?? .failed
        // Whoever is gone may come back, and then wants what was sent meanwhile.
        if outcome.isGone, pause == nil { outcome.result = .again(at: now, body: body) }
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
