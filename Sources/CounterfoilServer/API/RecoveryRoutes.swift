internal import NIOCore
internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import Basics
internal import ConfigurationReading
internal import AppStoreServer
internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// Gaps: whether there are any, and how they are closed.
struct RecoveryRoutes {
    let storage: any RecoveryStorage
    let recovery: Recovery
    let clients: [Int64: AppStoreServerClient]
    let resolver: RequestResolver

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
        let items = try await recovery.completeness(of: resolver.served(for: call.principal))
        return .list(items, next: nil) { RecoveryJSON.write($1, to: &$0) }
    }

    /// What a client may write.
    private struct RecoveryRequest: JSONRequestBody {
        var from: SentInstant
        /// The server's now if it is left out.
        var to: SentInstant?
        var types: [String]?
        var dryRun: Bool?

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case from, to, types
            case dryRun = "dry_run"
        }

        static let members = CodingKeys.allCases.map(\.rawValue)
    }

    /// Has a part of the history read again. The answer comes before it is.
    private func start(_ call: APICall) async throws -> Response {
        let scope = try call.scope()
        let body = try await call.body(
            RecoveryRequest.self, upTo: Self.maximumBytes, form: #"{"from": ms, "to": ms?, "types": ["EXPIRED", …]?}"#)
        let plan = try recovery.plan(
            scope, from: body.from.milliseconds, until: body.to?.milliseconds, filters: Self.filters(body.types ?? []))
        call.describe("\(body.dryRun == true ? "counted " : "")from \(plan.from) to \(plan.until)")
        guard clients[scope.id] != nil else { throw APIFailure.noKey }
        if body.dryRun == true { return Self.answer(plan, scope) }
        let id = try await recovery.request(plan)
        guard let run = try await storage.recovery(id) else {
            throw StorageError(.failed, "a recovery was kept and is not there")
        }
        var response = Response.json(status: .accepted) { RecoveryJSON.write(run, scope, to: &$0) }
        response.headers[.location] = "/v1/recoveries/\(run.name)"
        return response
    }

    /// What would be asked for.
    private static func answer(_ plan: RecoveryPlan, _ scope: Scope) -> Response {
        .json { json in
            json.object("recovery_plan") { json in
                json.members(of: scope)
                json.member("from", plan.from)
                json.member("to", plan.until)
                json.member("windows", plan.windows.count)
            }
        }
    }

    /// As many windows as one answer has.
    private static let mostWindows = 200

    private func show(_ call: APICall) async throws -> Response {
        guard let id = RecoveryRun.id(of: call.named("id") ?? ""), let run = try await storage.recovery(id),
            let scope = resolver.served(for: call.principal).first(where: { $0.id == run.scope })
        else { throw APIFailure(.notFound, "unknown_recovery", "No recovery has this ID, or it is no longer kept.") }
        let windows = try await storage.windows(of: run.id, limit: Self.mostWindows)
        return .json { RecoveryJSON.write(run, scope, windows: windows, to: &$0) }
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

    private static func filters(_ types: [String]) throws(APIFailure) -> [NotificationFilter] {
        guard types.count <= maximumTypes else {
            throw APIFailure(
                "too_many_types", "`types` has too many items; leave it out for all types.", parameter: "types")
        }
        var filters: [NotificationFilter] = []
        for type in types {
            let named = NotificationFilter.named(type)
            guard !named.isEmpty else {
                throw APIFailure(
                    "unknown_type",
                    .unknown(
                        "\(quoted(type)) is none of the App Store's types, such as EXPIRED.VOLUNTARY", type,
                        among: NotificationFilter.known.map(\.name)), parameter: "types")
            }
            filters += named
        }
        return filters
    }
}

extension RecoveryRun {
    /// The number in a ``name``.
    static func id(of name: String) -> Int64? { name.hasPrefix("rec_") ? Int64(name.dropFirst(4)) : nil }
}

/// How recoveries are written.
enum RecoveryJSON {
    static func write(_ item: Completeness, to json: inout JSONWriter) {
        json.object("completeness") { json in
            json.members(of: item.scope)
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

    /// - Parameter windows: Its windows, where they are wanted.
    static func write(
        _ run: RecoveryRun, _ scope: Scope, windows: [(window: RecoveryWindow, isDone: Bool)]? = nil,
        to json: inout JSONWriter
    ) {
        json.object("recovery") { json in
            json.member("id", run.name)
            json.members(of: scope)
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
            if let windows {
                json.member("window_list", windows) { write($1.window, isDone: $1.isDone, to: &$0) }
            }
        }
    }

    private static func write(_ window: RecoveryWindow, isDone: Bool, to json: inout JSONWriter) {
        json.object("recovery_window") { json in
            json.member("stage", window.stage)
            json.member("from", window.from)
            json.member("to", window.until)
            json.member("type", window.filter?.name)
            json.member("only_failures", window.onlyFailures)
            json.member("is_done", isDone)
        }
    }
}
