internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// What was received, and what was refused.
enum InboxRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/notifications") { request, context in try await list(request, context, core) }
        router.get("/notifications/{id}") { request, context in try await notification(request, context, core) }
        router.post("/notifications/{id}/reprocess") { request, context in
            try await reprocess(request, context, core)
        }
        router.get("/refused") { request, context in try await refused(request, context, core) }
    }

    /// The last that was received first.
    private static func list(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.operationsRead)
        let paging = try Paging(request)
        var filter = InboxFilter(scopes: try scopes(request, core, principal))
        filter.type = try request.word("type")
        filter.subtype = try request.word("subtype")
        filter.from = try request.instant("from")
        filter.to = try request.instant("to")
        filter.originalTransactionId = try request.word("original_transaction_id")
        if let text = try request.word("state") {
            guard let state = KeptNotification.State(rawValue: text) else {
                throw APIFailure(
                    .badRequest, "invalid_state", "A state is pending, folded or failed.", parameter: "state")
            }
            filter.state = state
        }
        let page = try await core.storage.notifications(filter, before: try paging.number(), limit: paging.limit)
        var json = JSONWriter()
        json.list(page.items, next: page.next.map { String($0) }) { json, kept in
            json.object { json in
                json.member("object", "notification")
                NotificationJSON.members(of: kept, core.scopes, to: &json)
            }
        }
        return json.response()
    }

    /// The scopes that a key may see, and that the parameters `app` and `environment` ask for.
    static func scopes(
        _ request: Request, _ core: ServerCore, _ principal: Principal
    ) throws(APIFailure) -> [Int64] {
        let (app, environment) = (try request.word("app"), try request.word("environment"))
        if let app, core.configuration.app(app) == nil || !(principal.apps?.containsExactly(app) ?? true) {
            throw APIFailure(.badRequest, "unknown_app", "Name one of your apps by its bundle ID.", parameter: "app")
        }
        if let environment, !core.scopes.all.contains(where: { $0.environment.rawValue == environment }) {
            throw APIFailure(
                .badRequest, "unknown_environment", "Try Production or Sandbox.", parameter: "environment")
        }
        return core.scopes.all.filter { scope in
            principal.maySee(scope) && app.map { $0 == scope.bundleId } ?? true
                && environment.map { $0 == scope.environment.rawValue } ?? true
        }.map(\.id)
    }

    private static func kept(
        _ context: ServerContext, _ core: ServerCore, _ principal: Principal
    ) async throws -> KeptNotification {
        if let id = context.parameters.get("id")?.removingPercentEncoding, id.utf8.count <= 255,
            let kept = try await core.storage.notification(UUID(text: id)?.text ?? id),
            let scope = core.scopes[id: kept.scope], principal.maySee(scope)
        {
            return kept
        }
        throw APIFailure(.notFound, "not_found", "No such notification was received.", parameter: "id")
    }

    /// All that a notification says; the signed text if `include=signed_data`.
    private static func notification(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let kept = try await kept(context, core, try context.require(.operationsRead))
        let decoded = await DecodedNotification(kept, core.historical)
        var json = JSONWriter()
        json.object { json in
            json.member("object", "notification")
            NotificationJSON.members(of: kept, core.scopes, to: &json)
            decoded.write(to: &json)
            if request.includes("signed_data") { json.member("signed_data", kept.text) }
        }
        return json.response()
    }

    /// Has a notification read again. What it led to before is not told again.
    private static func reprocess(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let kept = try await kept(context, core, try context.require(.operationsWrite))
        try await core.storage.reprocess(kept.id, at: core.now.milliseconds)
        core.processor.lookAgain()
        var answer = kept
        (answer.state, answer.failure) = (.pending, nil)
        var json = JSONWriter()
        json.object { json in
            json.member("object", "notification")
            NotificationJSON.members(of: answer, core.scopes, to: &json)
        }
        return json.response(status: .accepted)
    }

    /// What was refused, the last first. It names no app that could be believed, so only a key for all may see it.
    private static func refused(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.operationsRead)
        guard principal.apps == nil, principal.environments == nil else {
            throw APIFailure(.forbidden, "forbidden", "Only a key for all apps and environments may see this.")
        }
        let paging = try Paging(request)
        let found = try await core.storage.refusals(before: try paging.number(), limit: paging.limit + 1)
        let page = found.prefix(paging.limit)
        var json = JSONWriter()
        json.list(page, next: found.count > page.count ? page.last.map { String($0.id) } : nil) { json, kept in
            json.object { json in
                json.member("object", "refusal")
                json.member("received_at", kept.refusal.receivedAt)
                json.member("code", kept.refusal.code)
                json.member("message", kept.refusal.message)
                json.member("sender", kept.refusal.sender)
                json.member("body", String(decoding: kept.refusal.body, as: UTF8.self))
            }
        }
        return json.response()
    }
}

extension Principal {
    /// Whether the key is for an app and environment.
    func maySee(_ scope: Scope) -> Bool {
        (apps?.contains(scope.bundleId) ?? true) && (environments?.contains(scope.environment) ?? true)
    }
}
