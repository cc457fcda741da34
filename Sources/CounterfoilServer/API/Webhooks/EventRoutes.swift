internal import Basics
internal import Crypto
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// The events of webhooks for clients that cannot receive webhooks: as pages, and as a stream of changes.
struct EventRoutes {
    let events: EventFeed
    let storage: any EventFeedStorage & WebhookStorage
    let changes: EventHub
    let access: SharedValue<AccessTable>

    func add(to v1: APIRouter) { v1.get("/events", needs: .operationsRead, list) }

    /// Lists events, oldest first. `next_page` is always present: later events follow it.
    private func list(_ call: APICall) async throws -> Response {
        if call.request.parameter("topics") != nil { return try follow(call) }
        guard call.request.parameter("since") == nil else {
            throw APIFailure("invalid_parameter", "`since` needs `topics`; pages have `page`.", parameter: "since")
        }
        let paging = try Paging(call.request)
        let scopes = Set(try call.visibleScopes())
        if paging.page == "end" { return try await response([], storage.lastEvent(), hasMore: false) }
        let (after, mark) = try paging.eventPosition()
        try await requireExisting(after, mark)
        let (bodies, cursor, hasMore) = try await events.page(
            FeedQuery(after: after, scopes: scopes, limit: paging.limit))
        return try await response(bodies, cursor, hasMore: hasMore)
    }

    /// Throws 409 if the cursor's event does not exist, or is another one: an older backup was restored, and a client that
    /// continued there would miss the events that get the numbers up to the cursor.
    private func requireExisting(_ cursor: Int64, _ mark: String?) async throws {
        guard cursor > 0 else { return }
        var isKnown = try await storage.lastEvent() >= cursor
        if isKnown, let mark { isKnown = try await self.mark(of: cursor) == mark }
        guard !isKnown else { return }
        throw APIFailure(
            .conflict, "page_ahead",
            "`page` is of a later time than the backup that was restored since then. Start again without `page`.",
            parameter: "page")
    }

    /// Returns some digits that distinguish an event from others with the same number in an earlier state of the ledger:
    /// an event never changes its identifier and creation. They say nothing about the event, which may be of another app.
    private func mark(of number: Int64) async throws -> String? {
        guard let event = try await storage.event(number)?.event else { return nil }
        return SHA256.hash(data: Array("\(event.id) \(event.createdAt)".utf8)).prefix(4).hexadecimal
    }

    /// Returns a stream of server-sent events.
    private func follow(_ call: APICall) throws(APIFailure) -> Response {
        // Ignored, they would let a client believe that the stream is limited to one app.
        for name in ["app", "environment", "page", "limit"] where call.request.parameter(name) != nil {
            throw APIFailure(
                "invalid_parameter",
                "`\(name)` cannot be combined with `topics`: the stream covers all that the key may see.",
                parameter: name)
        }
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

    private func response(_ bodies: [Data], _ cursor: Int64, hasMore: Bool) async throws -> Response {
        let mark = try await mark(of: cursor).map { ".\($0)" } ?? ""
        return .object("list") { json in
            json.member("items", bodies) { $0.raw($1) }
            json.member("next_page", "\(cursor)\(mark)")
            json.member("has_more", hasMore)
        }
    }
}
