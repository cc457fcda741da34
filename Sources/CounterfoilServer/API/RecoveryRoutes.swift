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
struct RecoveryRoutes {
    let storage: any RecoveryStorage
    let recovery: Recovery
    let settings: RecoverySettings
    let clients: [Int64: AppStoreServerClient]
    let resolver: RequestResolver
    let clock: ServerClock

    private static let maximumBytes = 64 << 10
    private static let maximumTypes = 100

    func add(to v1: APIRouter) {
        v1.get("/completeness", needs: .operationsRead, completeness)
        v1.get("/recoveries", needs: .operationsRead, list)
        v1.post("/recoveries", needs: .operationsWrite, start)
        v1.get("/recoveries/{id}", needs: .operationsRead, show)
    }

    /// What can be said about each app in each environment.
    private func completeness(_ call: APICall) async throws -> Response {
        var items: [Completeness] = []
        for scope in resolver.served(for: call.principal) { items.append(try await recovery.completeness(of: scope)) }
        return .list(items, next: nil) { RecoveryJSON.write($1, to: &$0) }
    }

    /// What a client may write.
    private struct RecoveryRequest: JSONRequestBody {
        var from: SentInstant
        /// The server's now if it is left out.
        var to: SentInstant?
        var types: [String]?

        private enum CodingKeys: String, CodingKey, CaseIterable { case from, to, types }

        static let members = CodingKeys.allCases.map(\.rawValue)
    }

    /// Has a part of the history read again. The answer comes before it is.
    private func start(_ call: APICall) async throws -> Response {
        let scope = try call.scope()
        let body = try await call.body(
            RecoveryRequest.self, upTo: Self.maximumBytes, form: #"{"from": ms, "to": ms?, "types": ["EXPIRED", …]?}"#)
        let span = try RecoverySpan(
            from: body.from.milliseconds, to: body.to?.milliseconds, types: body.types ?? [], settings, now: clock.now()
        )
        guard clients[scope.id] != nil else {
            throw APIFailure(
                .conflict, "no_key", "The app has no key for the App Store Server API; add one to the configuration.")
        }
        let id = try await recovery.request(scope, from: span.from, until: span.until, filters: span.filters)
        guard let run = try await storage.recovery(id) else {
            throw StorageError(.failed, "a recovery was kept and is not there")
        }
        var response = Response.json(status: .accepted) { RecoveryJSON.write(run, scope, to: &$0) }
        response.headers[.location] = "/v1/recoveries/\(run.name)"
        return response
    }

    private func show(_ call: APICall) async throws -> Response {
        guard let id = RecoveryRun.id(of: call.named("id") ?? ""), let run = try await storage.recovery(id),
            let scope = resolver.served(for: call.principal).first(where: { $0.id == run.scope })
        else { throw APIFailure(.notFound, "unknown_recovery", "There is no such recovery, or no longer.") }
        return .json { RecoveryJSON.write(run, scope, to: &$0) }
    }

    /// The newest first.
    private func list(_ call: APICall) async throws -> Response {
        let paging = try Paging(call.request)
        let scopes = resolver.served(for: call.principal)
        let byID = ScopeRegistry(scopes)
        let found = try await storage.recoveries(
            in: scopes.map(\.id), before: try paging.number(), limit: paging.limit + 1)
        let page = found.prefix(paging.limit)
        return .list(page, next: found.count > page.count ? page.last.map { String($0.id) } : nil) { json, run in
            if let scope = byID[id: run.scope] { RecoveryJSON.write(run, scope, to: &json) }
        }
    }

    /// A request, checked.
    private struct RecoverySpan {
        var from: Milliseconds
        var until: Milliseconds
        var filters: [NotificationFilter] = []

        init(
            from: Int64, to: Int64?, types: [String], _ settings: RecoverySettings, now: Date
        ) throws(APIFailure) {
            let limit = RecoveryPlan.limit(at: now, settings)
            self.from = from
            until = min(to ?? now.milliseconds, now.milliseconds)
            guard from >= limit else {
                throw APIFailure(
                    .badRequest, "too_old",
                    "The App Store keeps \(settings.retentionDays) days; begin at \(limit) or later.",
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
            json.member("app", item.scope.bundleID)
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
                json.member("histories_waiting", item.missing.historyRequests)
                json.member("histories_put_aside", item.missing.putAside)
                json.member("histories_failed", item.missing.failedHistoryRequests)
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
                json.member("transaction", history.transactionID)
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
            json.member("app", scope.bundleID)
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
