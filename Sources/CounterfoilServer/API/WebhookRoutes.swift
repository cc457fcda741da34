internal import LedgerServices
internal import Ledger
internal import AppStoreServer
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Who is told what happened.
enum WebhookRoutes {
    /// As many endpoints as there may be.
    private static let maximumCount = 100
    private static let maximumBytes = 64 << 10

    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/webhooks") { _, context in try await list(context, core) }
        router.post("/webhooks") { request, context in try await create(request, context, core) }
        router.get("/webhooks/{name}") { _, context in try await show(context, core) }
        router.patch("/webhooks/{name}") { request, context in try await change(request, context, core) }
        router.delete("/webhooks/{name}") { _, context in try await remove(context, core) }
        router.get("/webhooks/{name}/deliveries") { request, context in try await deliveries(request, context, core) }
        router.post("/webhooks/{name}/replay") { request, context in try await replay(request, context, core) }
        router.post("/webhooks/{name}/test") { _, context in try await test(context, core) }
    }

    // MARK: - Endpoints

    private static func list(_ context: ServerContext, _ core: ServerCore) async throws -> Response {
        let principal = try context.require(.webhooksWrite)
        let endpoints = try await core.webhooks.managed().filter { principal.mayManage($0.definition) }
        var json = JSONWriter()
        json.list(endpoints, next: nil) { WebhookJSON.write($1, to: &$0) }
        return json.response()
    }

    private static func create(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.webhooksWrite)
        let wish = try NewWebhook(body: await bytes(of: request), form: "a JSON object with a name and a url")
        guard ServerConfigurationReader.isName(wish.name) else {
            throw APIFailure(
                .badRequest, "invalid_name", "A name has letters, digits, dots, - and _, at most 100.",
                parameter: "name")
        }
        let secret = WebhookSignature.makeSecret()
        var definition = ServerConfiguration.Webhook(name: wish.name, url: "", secrets: [secret])
        // A key for some apps makes endpoints for those.
        (definition.apps, definition.environments) = (principal.apps, principal.environments)
        try await wish.settings.apply(to: &definition, core, principal)
        guard !definition.url.isEmpty else {
            throw APIFailure(.badRequest, "invalid_url", "Say the url that events are sent to.", parameter: "url")
        }
        guard try await core.webhooks.managed().count < maximumCount else {
            throw APIFailure(.conflict, "too_many", "There are \(maximumCount) endpoints; remove one first.")
        }
        guard let endpoint = try await core.webhooks.add(definition) else {
            throw APIFailure(.conflict, "name_taken", "There is an endpoint of this name.", parameter: "name")
        }
        return WebhookJSON.response(endpoint, secret: secret, status: .created)
    }

    private static func show(_ context: ServerContext, _ core: ServerCore) async throws -> Response {
        WebhookJSON.response(try await endpoint(context, core))
    }

    private static func change(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let endpoint = try await endpoint(context, core)
        let principal = try context.require(.webhooksWrite)
        let wish = try WebhookChange(body: await bytes(of: request), form: "a JSON object of what is to change")
        guard !wish.isEmpty else {
            throw APIFailure(
                .badRequest, "empty_change", "Say what is to change: \(WebhookChange.members.joined(separator: ", ")).")
        }
        var definition = endpoint.definition
        var secret: Secret?
        if wish.changesDefinition {
            guard !endpoint.stored.isConfigured else {
                throw APIFailure(
                    .conflict, "configured", "This endpoint is one of the configuration file; change it there.")
            }
            try await wish.settings.apply(to: &definition, core, principal)
            secret = try wish.changeSecrets(of: &definition)
            try await core.webhooks.change(endpoint.stored.id, to: definition)
        }
        if wish.enabled != nil || wish.discardBacklog {
            try await core.webhooks.switchOn(
                wish.enabled ?? (endpoint.stored.disabled == nil), endpoint.stored,
                discardingBacklog: wish.discardBacklog)
        }
        let changed = try await core.webhooks.managed().first { $0.stored.id == endpoint.stored.id } ?? endpoint
        return WebhookJSON.response(changed, secret: secret)
    }

    private static func remove(_ context: ServerContext, _ core: ServerCore) async throws -> Response {
        let endpoint = try await endpoint(context, core)
        guard !endpoint.stored.isConfigured else {
            throw APIFailure(
                .conflict, "configured", "This endpoint is one of the configuration file; remove it there.")
        }
        try await core.webhooks.remove(endpoint.stored.id)
        return Response(status: .noContent)
    }

    // MARK: - Deliveries

    private static func deliveries(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let endpoint = try await endpoint(context, core)
        let paging = try Paging(request)
        let state = try request.uri.queryParameters["state"].map { text throws(APIFailure) in
            guard let state = WebhookDelivery.State.allCases.first(where: { $0.name == text }) else {
                throw APIFailure(
                    .badRequest, "invalid_state", "Try pending, delivered, failed or discarded.", parameter: "state")
            }
            return state
        }
        let found = try await core.storage.deliveries(
            of: endpoint.stored.id, in: state, before: try paging.number(), limit: paging.limit + 1)
        let page = found.prefix(paging.limit)
        var json = JSONWriter()
        json.list(page, next: found.count > page.count ? page.last.map { String($0.id) } : nil) {
            WebhookJSON.write($1, to: &$0)
        }
        return json.response()
    }

    private static func replay(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let endpoint = try await endpoint(context, core)
        let wish = try Replay(body: await bytes(of: request), form: #"{"event_id": "…"} or {"from": ms, "to": ms}"#)
        let outcome = try await core.webhooks.replay(try await wish.range(core), to: endpoint)
        if wish.eventId != nil, outcome.deliveries == 0 {
            throw APIFailure(
                .conflict, "not_accepted", "This endpoint does not take events of this type, app or environment.",
                parameter: "event_id")
        }
        var json = JSONWriter()
        json.object { json in
            json.member("object", "webhook_replay")
            json.member("deliveries", outcome.deliveries)
            json.member("is_complete", outcome.last == nil)
            json.member("after", outcome.last)
        }
        return json.response(status: .accepted)
    }

    private static func test(_ context: ServerContext, _ core: ServerCore) async throws -> Response {
        let endpoint = try await endpoint(context, core)
        guard endpoint.stored.disabled == nil else {
            throw APIFailure(.conflict, "disabled", "This endpoint is switched off; enable it first.")
        }
        guard let delivery = try await core.webhooks.test(endpoint.stored) else {
            throw APIFailure(.serviceUnavailable, "storage_failed", "The test was not kept.", isRetryable: true)
        }
        var json = JSONWriter()
        WebhookJSON.write(delivery, to: &json)
        return json.response(status: .accepted)
    }

    // MARK: - Reading requests

    /// The endpoint that a path names, if the key may manage it.
    private static func endpoint(_ context: ServerContext, _ core: ServerCore) async throws -> ManagedWebhook {
        let principal = try context.require(.webhooksWrite)
        let name = context.parameters.get("name") ?? ""
        let found = try await core.webhooks.managed().first { $0.stored.name.isExactly(name) }
        guard let found, principal.mayManage(found.definition) else {
            // The same whether there is one or not: who may not see it does not learn of it.
            let message =
                principal.isLimited
                ? "There is no endpoint of this name that the key \(principal.name) may manage: it is limited to some "
                    + "apps or environments, and manages what is sent of those alone."
                : "There is no endpoint of this name."
            throw APIFailure(.notFound, "not_found", message, parameter: "name")
        }
        return found
    }

    private static func bytes(of request: Request) async throws -> [UInt8] {
        Array(try await request.bytes(upTo: maximumBytes).readableBytesView)
    }
}

extension Principal {
    /// Whether a key is for some apps or environments only.
    fileprivate var isLimited: Bool { apps != nil || environments != nil }

    /// Whether a key may see and change an endpoint: only if it may see all that is sent there.
    func mayManage(_ webhook: ServerConfiguration.Webhook) -> Bool {
        if let apps, !(webhook.apps?.isSubset(of: apps) ?? false) { return false }
        if let environments, !(webhook.environments?.isSubset(of: environments) ?? false) { return false }
        return true
    }
}
