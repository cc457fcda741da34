internal import AppStoreModels
internal import Basics
internal import Ledger
internal import LedgerServices

/// Writes endpoints and deliveries as JSON. Shows a secret once, when it is created; later only its fingerprint.
enum WebhookJSON {
    /// The deliveries to an endpoint since an instant, and the pending ones.
    struct Activity {
        var since: Milliseconds
        var found: WebhookActivity
    }

    static func write(
        _ webhook: ManagedWebhook, activity: Activity? = nil, secret: Secret? = nil, to json: inout JSONWriter
    ) {
        let (stored, definition) = (webhook.stored, webhook.definition)
        json.object("webhook") { json in
            json.member("name", stored.name)
            json.member("url", definition.url)
            list("events", definition.events, to: &json)
            json.member("payload", definition.payload.rawValue)
            list("apps", definition.apps?.sorted(), to: &json)
            list("environments", definition.environments?.map(\.rawValue).sorted(), to: &json)
            json.member("is_configured", stored.isConfigured)
            json.member("enabled", stored.disabled == nil)
            json.member("disabled_reason", stored.disabled?.reason.rawValue)
            json.member("disabled_at", stored.disabled?.since)
            json.member("failing_since", stored.failingSince)
            json.member("paused_until", webhook.pausedUntil)
            json.member("secrets", definition.secrets) { json, secret in
                json.object("webhook_secret") { json in
                    json.member("fingerprint", secret.fingerprint)
                }
            }
            json.member("created_at", stored.createdAt)
            if let activity { json.member("activity") { write(activity, to: &$0) } }
            json.member("secret", secret?.revealed)
        }
    }

    private static func write(_ activity: Activity, to json: inout JSONWriter) {
        let found = activity.found
        json.member("object", "webhook_activity")
        json.member("since", activity.since)
        json.member("delivered", found.delivered)
        json.member("failed", found.failed)
        json.member("discarded", found.discarded)
        json.member("pending", found.pending)
        json.member("oldest_pending_at", found.oldest)
        json.member("events_behind", found.eventsBehind)
        json.member("counted_up_to", WebhookActivity.limit)
    }

    static func write(_ delivery: WebhookDelivery, to json: inout JSONWriter) {
        json.object("webhook_delivery") { members(of: delivery, to: &$0) }
    }

    static func members(of delivery: WebhookDelivery, to json: inout JSONWriter) {
        json.member("id", String(delivery.id))
        json.member("event_id", delivery.eventID)
        json.member("event_type", delivery.eventType.rawValue)
        json.member("event_sequence", delivery.event)
        if delivery.isRepeat { json.member("is_repeat", true) }
        json.member("state", delivery.state.name)
        json.member("attempts", delivery.attempts)
        json.member("next_attempt_at", delivery.due)
        json.member("last_status", delivery.lastStatus.map { Int64($0) })
        json.member("last_error", delivery.lastError)
        json.member("created_at", delivery.createdAt)
        json.member("ended_at", delivery.endedAt)
    }

    /// Writes a list; null stands for all.
    private static func list(_ name: StaticString, _ items: [String]?, to json: inout JSONWriter) {
        guard let items else {
            json.key(name)
            return json.null()
        }
        json.member(name, items) { $0.string($1) }
    }
}
