internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import Basics
internal import ConfigurationReading
internal import AppStoreServer
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Gaps: whether there are any, and how they are closed.
enum RecoveryRoutes {
    private static let maximumBytes = 64 << 10
    private static let maximumTypes = 100

    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/completeness") { request, context in try await completeness(request, context, core) }
        router.get("/recoveries") { request, context in try await list(request, context, core) }
        router.post("/recoveries") { request, context in try await start(request, context, core) }
        router.get("/recoveries/{id}") { request, context in try await recovery(request, context, core) }
    }

    /// What can be said about each app in each environment.
    private static func completeness(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.operationsRead)
        var items: [Completeness] = []
        for scope in scopes(of: principal, core) { items.append(try await core.recovery.completeness(of: scope)) }
        var json = JSONWriter()
        json.list(items, next: nil) { RecoveryJSON.write($1, to: &$0) }
        return json.response()
    }

    /// What a client may write. Instants are milliseconds since 1970.
    private struct Wish: JSONRequestBody {
        var from: Int64
        /// The server's now if it is left out.
        var to: Int64?
        var types: [String]?

        private enum CodingKeys: String, CodingKey, CaseIterable { case from, to, types }

        static let members = CodingKeys.allCases.map(\.rawValue)
    }

    /// Has a part of the history read again. The answer comes before it is.
    private static func start(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.operationsWrite)
        let scope = try context.scope(of: request, core, for: principal)
        let body = try await request.bytes(upTo: maximumBytes)
        let wish = try Wish(
            body: Array(body.readableBytesView), form: #"{"from": ms, "to": ms?, "types": ["EXPIRED", …]?}"#)
        let span = try RecoverySpan(from: wish.from, to: wish.to, types: wish.types ?? [], core)
        guard core.clients[scope.id] != nil else {
            throw APIFailure(
                .conflict, "no_key", "The app has no key for the App Store Server API; add one to the configuration.")
        }
        let id = try await core.recovery.request(scope, from: span.from, until: span.until, filters: span.filters)
        guard let run = try await core.storage.recovery(id) else {
            throw StorageError(.failed, "a recovery was kept and is not there")
        }
        var json = JSONWriter()
        RecoveryJSON.write(run, scope, to: &json)
        var response = json.response(status: .accepted)
        response.headers[.location] = "/v1/recoveries/\(run.name)"
        return response
    }

    private static func recovery(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.operationsRead)
        let name = context.parameters.get("id") ?? ""
        guard let id = RecoveryRun.id(of: name), let run = try await core.storage.recovery(id),
            let scope = scopes(of: principal, core).first(where: { $0.id == run.scope })
        else { throw APIFailure(.notFound, "unknown_recovery", "There is no such recovery, or no longer.") }
        var json = JSONWriter()
        RecoveryJSON.write(run, scope, to: &json)
        return json.response()
    }

    /// The newest first.
    private static func list(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.operationsRead)
        let paging = try Paging(request)
        let scopes = scopes(of: principal, core)
        let byID = ScopeBook(scopes)
        let found = try await core.storage.recoveries(
            in: scopes.map(\.id), before: try paging.number(), limit: paging.limit + 1)
        let page = found.prefix(paging.limit)
        var json = JSONWriter()
        json.list(page, next: found.count > page.count ? page.last.map { String($0.id) } : nil) { json, run in
            if let scope = byID[id: run.scope] { RecoveryJSON.write(run, scope, to: &json) }
        }
        return json.response()
    }

    /// The scopes of the configuration that may be asked about.
    private static func scopes(of principal: Principal, _ core: ServerCore) -> [Scope] {
        core.scopes.all.filter { scope in
            core.configuration.app(scope.bundleId)?.environments.contains(scope.environment) ?? false
                && principal.apps?.contains(scope.bundleId) ?? true
                && principal.environments?.contains(scope.environment) ?? true
        }
    }

    /// A wish, checked.
    private struct RecoverySpan {
        var from: Milliseconds
        var until: Milliseconds
        var filters: [NotificationFilter] = []

        init(from: Int64, to: Int64?, types: [String], _ core: ServerCore) throws(APIFailure) {
            let now = core.now
            let limit = RecoveryPlan.limit(at: now, core.configuration.recovery)
            self.from = from
            until = min(to ?? now.milliseconds, now.milliseconds)
            guard from >= limit else {
                throw APIFailure(
                    .badRequest, "too_old",
                    "The App Store keeps \(core.configuration.recovery.retentionDays) days; begin at \(limit) or later.",
                    parameter: "from")
            }
            guard from < until else {
                throw APIFailure(.badRequest, "invalid_span", "`from` has to lie before `to` and now.", parameter: "to")
            }
            guard types.count <= maximumTypes else {
                throw APIFailure(.badRequest, "too_many_types", "Leave `types` out to ask for all.", parameter: "types")
            }
            for type in types {
                let named = NotificationFilter.named(type)
                guard !named.isEmpty else {
                    throw APIFailure(
                        .badRequest, "unknown_type",
                        .unknown(
                            "\(quoted(type)) is none of the App Store's types, such as EXPIRED.VOLUNTARY", type,
                            among: NotificationFilter.known.map(\.name)), parameter: "types")
                }
                filters += named.filter { !filters.contains($0) }
            }
        }
    }
}

extension RecoveryRun {
    /// The number in a ``name``.
    static func id(of name: String) -> Int64? { name.hasPrefix("rec_") ? Int64(name.dropFirst(4)) : nil }
}

/// How recoveries are written.
enum RecoveryJSON {
    static func write(_ item: Completeness, to json: inout JSONWriter) {
        json.object { json in
            json.member("object", "completeness")
            json.member("app", item.scope.bundleId)
            json.member("environment", item.scope.environment.rawValue)
            json.member("state", item.state.rawValue)
            json.member("reason", item.reason)
            if let mark = item.mark {
                if !mark.isEmpty {
                    json.member("complete_since", mark.since)
                    json.member("complete_until", mark.until)
                }
                json.member("read_until", mark.readUntil)
                json.member("known_by") { json in
                    json.member("by", "notification_history")
                    json.member("checked_at", mark.checkedAt)
                }
            }
            json.member("age_ms", item.age)
            json.member("missing") { json in
                json.member("open_windows", item.missing.openWindows)
                json.member("unverified", item.missing.unverified)
                json.member("unverified_spans", item.missing.unverifiedSpans)
                json.member("failed_notifications", item.missing.failedNotifications)
                json.member("backlog", item.missing.backlog)
                json.member("histories_waiting", item.missing.errands)
                json.member("histories_put_aside", item.missing.putAside)
                json.member("histories_failed", item.missing.failedErrands)
            }
            write(item.names, to: &json)
        }
    }

    /// What is missing, by name.
    private static func write(_ names: MissingNames, to json: inout JSONWriter) {
        json.member("unverified_spans", names.spans) { json, span in
            json.object { json in
                json.member("from", span.from)
                json.member("to", span.until)
            }
        }
        json.member("unverified_items", names.items) { json, item in
            json.object { json in
                json.member("notification", item.claimedUUID)
                json.member("transaction", item.history)
                json.member("code", item.code)
                json.member("message", item.message)
                json.member("noticed_at", item.noticedAt)
            }
        }
        json.member("histories", names.histories) { json, history in
            json.object { json in
                json.member("transaction", history.transactionId)
                json.member("state", history.isGivenUp ? "failed" : "put_aside")
                json.member("code", history.failure)
                json.member("attempts", history.attempts)
                json.member("next_attempt_at", history.isGivenUp ? nil : history.nextAttemptAt)
            }
        }
    }

    static func write(_ run: RecoveryRun, _ scope: Scope, to json: inout JSONWriter) {
        json.object { json in
            json.member("object", "recovery")
            json.member("id", run.name)
            json.member("app", scope.bundleId)
            json.member("environment", scope.environment.rawValue)
            json.member("cause", run.cause.rawValue)
            json.member("state", run.state.rawValue)
            json.member("from", run.from)
            json.member("to", run.until)
            json.member("types", run.filters) { $0.string($1.name) }
            json.member("created_at", run.createdAt)
            json.member("finished_at", run.finishedAt)
            json.member("windows", run.windows)
            json.member("open_windows", run.openWindows)
            json.member("pages", run.counts.pages)
            json.member("found", run.counts.found)
            json.member("new", run.counts.new)
            json.member("duplicates", run.counts.duplicates)
            json.member("failed", run.counts.failed)
            json.member("failure", run.failure)
        }
    }
}
