internal import Basics
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// One delivery with what came of each attempt, and what was sent.
struct DeliveryRoutes {
    let webhooks: WebhookDispatcher
    let storage: any AttemptStorage

    /// The most attempts in an answer. There are about twenty before a delivery is given up.
    private static let maximumAttempts = 200

    func add(to v1: APIRouter) { v1.get("/webhooks/{name}/deliveries/{id}", needs: .webhooksWrite, delivery) }

    private func delivery(_ call: APICall) async throws -> Response {
        let endpoint = try await WebhookRoutes.endpoint(call, among: webhooks)
        guard let id = call.named("id").flatMap({ Int64($0) }),
            let delivery = try await storage.delivery(id, of: endpoint.stored.id)
        else { throw APIFailure(.notFound, "not_found", "There is no such delivery, or no longer.", parameter: "id") }
        let attempts = try await storage.attempts(of: id, limit: Self.maximumAttempts)
        let body = try await body(of: delivery, endpoint.definition)
        var json = JSONWriter()
        json.object { json in
            WebhookJSON.members(of: delivery, to: &json)
            json.member("message_id", delivery.messageID)
            json.member("attempt_list", attempts) { json, attempt in
                json.object { json in
                    json.member("object", "webhook_attempt")
                    json.member("at", attempt.at)
                    json.member("duration_ms", attempt.milliseconds)
                    json.member("status", attempt.status.map { Int64($0) })
                    json.member("error", attempt.error)
                    json.member("answer", String(decoding: attempt.answer, as: UTF8.self))
                }
            }
            json.member("body", body)
        }
        return json.response()
    }

    /// The exact text; nil when there is nothing to say, or nobody can say it any more.
    private func body(
        of delivery: WebhookDelivery, _ definition: WebhookDefinition
    ) async throws -> String? {
        do {
            return try await webhooks.body(of: delivery, definition).map { String(decoding: $0, as: UTF8.self) }
        } catch let error as StorageError { throw error } catch is CancellationError { throw CancellationError() } catch
        {
            // Its notification is not believed any more, or is being read anew: the attempts are known all the same.
            return nil
        }
    }
}
