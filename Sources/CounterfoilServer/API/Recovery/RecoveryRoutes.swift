internal import AppStoreServer
internal import Basics
internal import ConfigurationReading
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Gaps in the ledger, and the recoveries that close them.
struct RecoveryRoutes {
    let storage: any RecoveryStorage
    let recovery: Recovery
    let clients: [Int64: AppStoreServerClient]

    private static let maximumBytes = 64 << 10
    private static let maximumTypes = 100

    func add(to v1: APIRouter) {
        v1.get("/completeness", needs: .operationsRead, completeness)
        v1.get("/recoveries", needs: .operationsRead, list)
        v1.post("/recoveries", needs: .operationsWrite, start)
        v1.get("/recoveries/{id}", needs: .operationsRead, show)
    }

    /// Lists the completeness of each app and environment.
    private func completeness(_ call: APICall) async throws -> Response {
        let items = try await recovery.completeness(of: served(call))
        return .list(items, next: nil) { RecoveryJSON.write($1, to: &$0) }
    }

    /// The body of a request for a recovery.
    private struct RecoveryRequest: JSONRequestBody {
        var from: RequestInstant
        /// If omitted, the current time of the server.
        var to: RequestInstant?
        var types: [String]?
        var dryRun: Bool?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case from, to, types
            case dryRun = "dry_run"
        }
    }

    /// Starts a recovery: reads a part of the notification history again. Answers before the recovery runs.
    private func start(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        let body = try await call.body(
            RecoveryRequest.self, upTo: Self.maximumBytes, form: #"{"from": ms, "to": ms?, "types": ["EXPIRED", …]?}"#)
        let plan = try recovery.plan(
            appEnvironment, from: body.from.milliseconds, until: body.to?.milliseconds,
            filters: Self.filters(body.types ?? []))
        call.setAuditDetail("\(body.dryRun == true ? "counted " : "")from \(plan.from) to \(plan.until)")
        guard clients[appEnvironment.id] != nil else { throw APIFailure.noKey }
        if body.dryRun == true { return Self.response(plan, appEnvironment) }
        let id = try await recovery.request(plan)
        guard let run = try await storage.recovery(id) else {
            throw StorageError(.failed, "a recovery is missing after it was stored")
        }
        var response = Response.json(status: .accepted) { RecoveryJSON.write(run, appEnvironment, to: &$0) }
        response.headers[.location] = "/v1/recoveries/\(run.name)"
        return response
    }

    /// Returns the plan of a dry run.
    private static func response(_ plan: RecoveryPlan, _ appEnvironment: AppEnvironment) -> Response {
        .object("recovery_plan") { json in
            json.members(of: appEnvironment)
            json.member("from", plan.from)
            json.member("to", plan.until)
            json.member("windows", plan.windows.count)
        }
    }

    /// The maximum number of windows in a response.
    private static let maximumWindows = 200

    private func show(_ call: APICall) async throws -> Response {
        guard let id = RecoveryRun.id(of: call.pathParameter("id") ?? ""), let run = try await storage.recovery(id),
            let appEnvironment = call.resolver.served(for: call.principal).first(where: { $0.id == run.scope })
        else {
            throw APIFailure(
                .notFound, "unknown_recovery", "No recovery has this ID, or it is no longer kept.", parameter: "id")
        }
        let windows = try await storage.windows(of: run.id, limit: Self.maximumWindows)
        return .json { RecoveryJSON.write(run, appEnvironment, windows: windows, to: &$0) }
    }

    /// Lists recoveries, newest first.
    private func list(_ call: APICall) async throws -> Response {
        let paging = try Paging(call.request)
        let scopes = try served(call)
        let byID = AppEnvironmentRegistry(scopes)
        let found = try await storage.recoveries(
            in: scopes.map(\.id), before: try paging.number(), limit: paging.limit + 1)
        let (page, last) = paging.items(of: found)
        return .list(page, next: last.map { String($0.id) }) { json, run in
            if let appEnvironment = byID[id: run.scope] { RecoveryJSON.write(run, appEnvironment, to: &json) }
        }
    }

    /// Returns the apps and environments that the parameters select, that the configuration serves and the key may see.
    private func served(_ call: APICall) throws(APIFailure) -> [AppEnvironment] {
        let selected = Set(try call.visibleScopes())
        return call.resolver.served(for: call.principal).filter { selected.contains($0.id) }
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
                        "\(quoted(type)) is not an App Store notification type such as EXPIRED.VOLUNTARY", type,
                        among: NotificationFilter.known.map(\.name)), parameter: "types")
            }
            filters += named
        }
        return filters
    }
}

/// Writes recoveries as JSON.
enum RecoveryJSON {
    static func write(_ item: Completeness, to json: inout JSONWriter) {
        json.object("completeness") { json in
            json.members(of: item.appEnvironment)
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
                json.member("histories_retrying", item.missing.retryingHistoryRequests)
                json.member("histories_failed", item.missing.failedHistoryRequests)
            }
            write(item.missingItems, to: &json)
        }
    }

    /// Writes the missing items.
    private static func write(_ missing: MissingItems, to json: inout JSONWriter) {
        json.member("unverified_spans", missing.unverifiedSpans) { json, span in
            json.object { json in
                json.member("from", span.from)
                json.member("to", span.until)
            }
        }
        json.member("unverified_items", missing.unverifiedItems) { json, item in
            json.object { json in
                json.member("notification", item.claimedUUID)
                json.member("transaction", item.history)
                json.member("code", item.code)
                json.member("message", item.message)
                json.member("noticed_at", item.noticedAt)
            }
        }
        json.member("histories", missing.historyRequests) { json, request in
            json.object { json in
                json.member("transaction", request.transactionID)
                json.member("state", request.isGivenUp ? "failed" : "retrying")
                json.member("code", request.failure)
                json.member("attempts", request.attempts)
                json.member("next_attempt_at", request.isGivenUp ? nil : request.nextAttemptAt)
            }
        }
    }

    /// - Parameter windows: The windows of the recovery; nil leaves them out.
    static func write(
        _ run: RecoveryRun, _ appEnvironment: AppEnvironment, windows: [(window: RecoveryWindow, isDone: Bool)]? = nil,
        to json: inout JSONWriter
    ) {
        json.object("recovery") { json in
            json.member("id", run.name)
            json.members(of: appEnvironment)
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
