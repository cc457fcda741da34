internal import Basics
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// The events of webhooks for clients that cannot receive webhooks: as pages, and as a stream of changes.
struct EventRoutes {
    let events: EventFeed
    let storage: any EventFeedStorage
    let changes: EventHub
    let access: SharedValue<AccessTable>

    func add(to v1: APIRouter) { v1.get("/events", needs: .operationsRead, list) }

    /// Lists events, oldest first. `next_page` is always present: later events follow it.
    private func list(_ call: APICall) async throws -> Response {
        if call.request.parameter("topics") != nil { return try follow(call) }
        let paging = try Paging(call.request)
        let scopes = Set(try call.visibleScopes())
        if paging.page == "end" { return response([], try await storage.lastEvent(), hasMore: false) }
        let after = paging.page == nil ? 0 : try paging.number()
        try await requireExisting(after)
        let (bodies, cursor, hasMore) = try await events.page(
            FeedQuery(after: after, scopes: scopes, limit: paging.limit))
        return response(bodies, cursor, hasMore: hasMore)
    }

    /// Throws 409 if the cursor is beyond the last event: an older backup was restored, and a client that continued
    /// there would miss the events that get the numbers up to the cursor.
    private func requireExisting(_ cursor: Int64) async throws {
        guard cursor > 0, try await storage.lastEvent() < cursor else { return }
        throw APIFailure(
            .conflict, "page_ahead",
            "There are fewer events than when `page` was returned: a backup was restored. Start again without `page`.",
            parameter: "page")
    }

    /// Returns a stream of server-sent events.
    private func follow(_ call: APICall) throws(APIFailure) -> Response {
        try ChangeTopic.requireScopes(for: call.request, in: call.context)
        if let since = call.request.parameter("since"), Int(since) == nil {
            throw APIFailure("invalid_number", "since takes the version of an event.", parameter: "since")
        }
        let name = call.principal.name
        let response = changes.response(to: call.request, for: name, in: call.principal.audience) { mayFollow(call) }
        let message =
            switch response.status {
            case .serviceUnavailable: "All streams of this server are in use."
            case .tooManyRequests:
                "The key \(name) has \(changes.ownerCapacity) streams open, half of this server's: close one first."
            default: ""
            }
        guard !message.isEmpty else { return response }
        throw APIFailure(response.status, "too_many_streams", message, isRetryable: true, backoff: 60_000)
    }

    /// Whether a stream may continue: its key still exists, for the same apps, and may read the topics.
    private func mayFollow(_ call: APICall) -> Bool {
        guard let digest = Authorization.digest(of: call.request), let entry = access.current.keys[digest],
            entry.principal.audience == call.principal.audience
        else { return false }
        var context = call.context
        context.principal = entry.principal
        do {
            try context.require(.operationsRead)
            try ChangeTopic.requireScopes(for: call.request, in: context)
        } catch { return false }
        return true
    }

    private func response(_ bodies: [Data], _ cursor: Int64, hasMore: Bool) -> Response {
        .object("list") { json in
            json.member("items", bodies) { $0.raw($1) }
            json.member("next_page", String(cursor))
            json.member("has_more", hasMore)
        }
    }
}
