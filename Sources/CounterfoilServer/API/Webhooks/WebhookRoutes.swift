internal import AppStoreServer
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Webhook endpoints and their deliveries.
struct WebhookRoutes {
    let webhooks: WebhookDispatcher
    let storage: any WebhookStorage & DeliveryInspectionStorage & AttemptStorage
    let apps: Apps
    let scopes: AppEnvironmentRegistry
    let clock: ServerClock
    private let lookups = HostLookups()

    /// The maximum number of endpoints.
    private static let maximumCount = 100
    private static let maximumBytes = 64 << 10

    func add(to v1: APIRouter) {
        v1.get("/webhooks", needs: .webhooksWrite, list)
        v1.post("/webhooks", needs: .webhooksWrite, create)
        v1.get("/webhooks/{name}", needs: .webhooksWrite, show)
        v1.patch("/webhooks/{name}", needs: .webhooksWrite, change)
        v1.delete("/webhooks/{name}", needs: .webhooksWrite, remove)
        v1.get("/webhooks/{name}/deliveries", needs: .webhooksWrite, deliveries)
        v1.post("/webhooks/{name}/replay", needs: .webhooksWrite, replay)
        v1.post("/webhooks/{name}/test", needs: .webhooksWrite, test)
    }

    // MARK: - Endpoints

    private func list(_ call: APICall) async throws -> Response {
        let endpoints = try await webhooks.managedWebhooks().filter { call.principal.mayManage($0.definition) }
        let activity = try await self.activity()
        return .list(endpoints, next: nil) { WebhookJSON.write($1, activity: activity($1), to: &$0) }
    }

    /// Returns a function that returns an endpoint's activity in the last 24 hours.
    private func activity() async throws -> (ManagedWebhook) -> WebhookJSON.Activity? {
        let since = clock.now().milliseconds - 86_400_000
        let found = try await storage.webhookActivity(since: since, limit: WebhookActivity.limit)
        return { webhook in found[webhook.stored.id].map { WebhookJSON.Activity(since: since, found: $0) } }
    }

    private func create(_ call: APICall) async throws -> Response {
        let body = try await call.body(
            NewWebhook.self, upTo: Self.maximumBytes, form: "a JSON object with a name and a url")
        guard body.name.isSettingName else {
            throw APIFailure(
                "invalid_name", "A name has 1 to 100 letters, digits, dots, - and _, and is neither . nor .. itself.",
                parameter: "name")
        }
        let secret = WebhookSignature.makeSecret()
        var definition = ServerConfiguration.Webhook(name: body.name, url: "", secrets: [secret])
        // A key for some apps creates endpoints for those apps.
        (definition.apps, definition.environments) = (call.principal.apps, call.principal.environments)
        let url = try await body.settings.checkedURL(lookups)
        try body.settings.apply(to: &definition, url: url, apps, call.principal)
        guard !definition.url.isEmpty else {
            throw APIFailure("invalid_url", "`url` is missing: give the URL that receives events.", parameter: "url")
        }
        let created = try await webhooks.serializeChanges { try await add(definition, call) }
        guard let endpoint = created else {
            throw APIFailure(.conflict, "name_taken", "An endpoint with this name already exists.", parameter: "name")
        }
        return .json(status: .created) { WebhookJSON.write(endpoint, secret: secret, to: &$0) }
    }

    /// Creates an endpoint, while no other change runs, unless there are too many.
    private func add(_ definition: ServerConfiguration.Webhook, _ call: APICall) async throws -> ManagedWebhook? {
        guard try await webhooks.managedWebhooks().count < Self.maximumCount else {
            throw APIFailure(
                .conflict, "too_many", "There are already \(Self.maximumCount) endpoints; remove one first.")
        }
        call.setAuditDetail("created \(definition.name)", of: definition.name)
        // A key for some apps must not discard what waits for an endpoint that it could not manage.
        return try await webhooks.add(definition, replacesRemoved: call.principal.isUnlimited)
    }

    private func show(_ call: APICall) async throws -> Response {
        let endpoint = try await webhooks.endpoint(of: call)
        let activity = try await self.activity()(endpoint)
        return .json { WebhookJSON.write(endpoint, activity: activity, to: &$0) }
    }

    private func change(_ call: APICall) async throws -> Response {
        let body = try await call.body(
            WebhookChange.self, upTo: Self.maximumBytes, form: "a JSON object of what is to change")
        guard !body.isEmpty else {
            throw APIFailure("empty_change", "Send at least one of \(WebhookChange.members.joined(separator: ", ")).")
        }
        call.setAuditDetail(body.summary)
        // Look the host up before other changes have to wait, but only for a key that may change the endpoint.
        _ = try await endpoint(call, for: body)
        let url = try await body.settings.checkedURL(lookups)
        return try await webhooks.serializeChanges { try await apply(body, url: url, call) }
    }

    /// Returns the endpoint in the path if the key may manage it and the body's change is possible.
    private func endpoint(_ call: APICall, for body: WebhookChange) async throws -> ManagedWebhook {
        let endpoint = try await webhooks.endpoint(of: call)
        guard !body.changesDefinition || !endpoint.stored.isConfigured else {
            throw APIFailure(
                .conflict, "configured", "This endpoint is defined in the configuration file; change it there.")
        }
        return endpoint
    }

    /// Applies a change to the current definition, while no other change runs.
    private func apply(_ body: WebhookChange, url: String?, _ call: APICall) async throws -> Response {
        let endpoint = try await endpoint(call, for: body)
        var definition = endpoint.definition
        var secret: Secret?
        if body.changesDefinition {
            try body.settings.apply(to: &definition, url: url, apps, call.principal)
            secret = try body.changeSecrets(of: &definition)
        }
        if body.enabled != nil || body.discardBacklog {
            try await webhooks.setEnabled(
                body.enabled ?? (endpoint.stored.disabled == nil), for: endpoint.stored,
                discardingBacklog: body.discardBacklog, changingTo: body.changesDefinition ? definition : nil)
        } else {
            try await webhooks.updateEndpoint(endpoint.stored.id, to: definition)
        }
        let changed = try await webhooks.managedWebhooks().first { $0.stored.id == endpoint.stored.id } ?? endpoint
        return .json { WebhookJSON.write(changed, secret: secret, to: &$0) }
    }

    private func remove(_ call: APICall) async throws -> Response {
        // Wait for running changes, so that no change answers with a removed endpoint.
        try await webhooks.serializeChanges { try await removeEndpoint(call) }
    }

    private func removeEndpoint(_ call: APICall) async throws -> Response {
        // The apps of a damaged endpoint cannot be read, so only a key for everything may remove it.
        if call.principal.isUnlimited,
            let damaged = try await webhooks.damagedEndpoint(named: call.pathParameter("name") ?? "")
        {
            try await webhooks.remove(damaged.id)
            return Response(status: .noContent)
        }
        let endpoint = try await webhooks.endpoint(of: call)
        guard !endpoint.stored.isConfigured else {
            throw APIFailure(
                .conflict, "configured", "This endpoint is defined in the configuration file; remove it there.")
        }
        try await webhooks.remove(endpoint.stored.id)
        return Response(status: .noContent)
    }

    // MARK: - Deliveries

    private func deliveries(_ call: APICall) async throws -> Response {
        let endpoint = try await webhooks.endpoint(of: call)
        let page = try await DeliveryQuery(call, scopes).page(of: endpoint.stored.id, storage)
        return .list(page.items, next: page.next.map { String($0) }) { WebhookJSON.write($1, to: &$0) }
    }

    private func replay(_ call: APICall) async throws -> Response {
        let endpoint = try await webhooks.endpoint(of: call)
        let body = try await call.body(
            ReplayBody.self, upTo: Self.maximumBytes, form: #"{"event_id": "…"} or {"from": ms, "to": ms}"#)
        let range = try await body.range(storage, for: call.principal, scopes)
        let isDryRun = body.dryRun == true
        call.setAuditDetail(body.summary)
        let outcome =
            isDryRun
            ? try await webhooks.countReplay(range, to: endpoint) : try await webhooks.replay(range, to: endpoint)
        if body.eventID != nil, outcome.deliveries == 0 {
            throw APIFailure(
                .conflict, "not_accepted", "This endpoint does not accept events of this type, app or environment.",
                parameter: "event_id")
        }
        return .object("webhook_replay", status: isDryRun ? .ok : .accepted) { json in
            json.member("deliveries", outcome.deliveries)
            json.member("is_complete", outcome.last == nil)
            json.member("after", outcome.last)
        }
    }

    private func test(_ call: APICall) async throws -> Response {
        let endpoint = try await webhooks.endpoint(of: call)
        guard endpoint.stored.disabled == nil else {
            throw APIFailure(.conflict, "disabled", "This endpoint is disabled; enable it first.")
        }
        guard let delivery = try await webhooks.sendTest(to: endpoint.stored) else {
            throw StorageError(.failed, "the endpoint was removed before the test was stored")
        }
        return .json(status: .accepted) { WebhookJSON.write(delivery, to: &$0) }
    }
}

extension WebhookDispatcher {
    /// Returns the endpoint in the path if the key may manage it.
    func endpoint(of call: APICall) async throws -> ManagedWebhook {
        let name = call.pathParameter("name") ?? ""
        let found = try await managedWebhooks().first { $0.stored.name.isExactly(name) }
        guard let found, call.principal.mayManage(found.definition) else {
            // A key that may not manage the endpoint must not learn whether it exists.
            let message =
                call.principal.isUnlimited
                ? "No endpoint has this name."
                : "The key \(call.principal.name) can manage no endpoint with this name: it is limited to some apps or "
                    + "environments, and manages only the endpoints for those."
            throw APIFailure.notFound(message, parameter: "name")
        }
        return found
    }
}

extension Principal {
    /// Whether the key may see and change an endpoint: it must have access to everything that is sent there.
    func mayManage(_ webhook: ServerConfiguration.Webhook) -> Bool {
        covers(apps: webhook.apps, environments: webhook.environments)
    }
}
