internal import Basics
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// A delivery with its attempts and the request that was sent.
struct DeliveryRoutes {
    let webhooks: WebhookDispatcher
    let storage: any WebhookStorage & AttemptStorage
    let scopes: AppEnvironmentRegistry
    let clock: ServerClock

    /// The maximum number of attempts of a delivery in a response.
    private static let maximumAttempts = 200

    func add(to v1: APIRouter) {
        v1.get("/webhooks/{name}/deliveries/{id}", needs: .webhooksWrite, delivery)
        v1.get("/events/{id}/deliveries", needs: .webhooksWrite, deliveries)
    }

    private func delivery(_ call: APICall) async throws -> Response {
        let endpoint = try await webhooks.endpoint(of: call)
        guard let id = call.pathParameter("id").flatMap({ Int64($0) }),
            let delivery = try await storage.delivery(id, of: endpoint.stored.id),
            try await storage.isEvent(delivery.event, visibleTo: call.principal, scopes)
        else {
            throw APIFailure.notFound("No delivery has this ID, or it is no longer kept.", parameter: "id")
        }
        let attempts = try await storage.attempts(of: id, limit: Self.maximumAttempts)
        let body = try await body(of: delivery, endpoint.definition)
        let sent = attempts.last?.timestamp.map { Date(timeIntervalSince1970: TimeInterval($0)) }
        return .object("webhook_delivery") { json in
            WebhookJSON.members(of: delivery, to: &json)
            json.member("message_id", delivery.messageID)
            Self.write(attempts, to: &json)
            json.member("body", body.map { String(decoding: $0, as: UTF8.self) })
            guard let body else { return }
            // The headers of the last attempt, or those of an attempt that would be made now.
            let headers = webhooks.headers(of: delivery, endpoint.definition, body: body, at: sent ?? clock.now())
            json.member("request") { json in
                json.member("was_sent", sent != nil)
                json.member("headers", headers) { json, header in
                    json.object { json in
                        json.member("name", header.name)
                        json.member("value", header.value)
                    }
                }
            }
        }
    }

    private static func write(_ attempts: [DeliveryAttempt], to json: inout JSONWriter) {
        json.member("attempt_list", attempts) { json, attempt in
            json.object("webhook_attempt") { json in
                json.member("at", attempt.at)
                json.member("duration_ms", attempt.milliseconds)
                json.member("status", attempt.status.map { Int64($0) })
                json.member("error", attempt.error)
                json.member("answer", String(decoding: attempt.response, as: UTF8.self))
            }
        }
    }

    /// Lists an event's deliveries to the endpoints that the key may manage, newest first.
    private func deliveries(_ call: APICall) async throws -> Response {
        guard let id = call.pathParameter("id"), id.utf8.count <= 100,
            try await storage.isEvent(id, visibleTo: call.principal, scopes),
            let all = try await storage.deliveries(
                ofEvent: id, limit: DeliveryQuery.maximumDeliveriesOfEvent, attempts: Self.maximumAttempts)
        else { throw APIFailure.notFound("No event has this ID.", parameter: "id") }
        let endpoints = try await webhooks.managedWebhooks().filter { call.principal.mayManage($0.definition) }
        let names = Dictionary(endpoints.map { ($0.stored.id, $0.stored.name) }) { first, _ in first }
        let found = all.compactMap { item in names[item.delivery.endpoint].map { (item: item, endpoint: $0) } }
        return .list(found, next: nil) { json, found in
            json.object("webhook_delivery") { json in
                WebhookJSON.members(of: found.item.delivery, to: &json)
                json.member("endpoint", found.endpoint)
                Self.write(found.item.attempts, to: &json)
            }
        }
    }

    /// Returns the exact body; nil if there is nothing to send, or the body can no longer be made.
    private func body(
        of delivery: WebhookDelivery, _ definition: WebhookDefinition
    ) async throws -> Data? {
        do { return try await webhooks.body(of: delivery, definition) } catch let error as StorageError {
            throw error
        } catch is CancellationError { throw CancellationError() } catch {
            // The notification behind the event cannot be verified yet or is being reprocessed. Return the attempts
            // anyway.
            return nil
        }
    }
}

extension WebhookStorage {
    /// Returns the row identifier of an event; nil if there is none or the key may not see it.
    func eventNumber(
        _ id: String, for principal: Principal, _ scopes: AppEnvironmentRegistry
    ) async throws -> Int64? {
        guard let number = try await eventNumber(id), try await isEvent(number, visibleTo: principal, scopes) else {
            return nil
        }
        return number
    }

    /// Whether the key may see an event, without a query for an unlimited key: then an unknown event counts as visible.
    func isEvent(
        _ id: String, visibleTo principal: Principal, _ scopes: AppEnvironmentRegistry
    ) async throws -> Bool {
        guard !principal.isUnlimited else { return true }
        return try await eventNumber(id, for: principal, scopes) != nil
    }

    /// Whether the key may see the app and environment of an event. A test event has neither.
    func isEvent(
        _ number: Int64, visibleTo principal: Principal, _ scopes: AppEnvironmentRegistry
    ) async throws -> Bool {
        guard !principal.isUnlimited else { return true }
        guard let event = try await self.event(number)?.event else { return false }
        return event.type == .webhookTest || (scopes[id: event.scope].map { principal.maySee($0) } ?? false)
    }
}
