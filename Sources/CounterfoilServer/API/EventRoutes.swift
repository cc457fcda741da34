internal import LedgerServices
internal import Ledger
internal import Basics
internal import Foundation
internal import Hummingbird

/// The events of webhooks for those who cannot receive any.
struct EventRoutes {
    let events: EventFeed
    let storage: any EventFeedStorage

    func add(to v1: APIRouter) { v1.get("/events", needs: .operationsRead, list) }

    /// The oldest first. `next_page` is always there: it is where to go on later.
    private func list(_ call: APICall) async throws -> Response {
        let paging = try Paging(call.request)
        let scopes = Set(try call.visibleScopes())
        if paging.page == "end" {
            return answer([], try await storage.lastEvent(), hasMore: false)
        }
        let after = paging.page == nil ? 0 : try paging.number()
        let (bodies, cursor, hasMore) = try await events.page(
            FeedQuery(after: after, scopes: scopes, limit: paging.limit))
        return answer(bodies, cursor, hasMore: hasMore)
    }

    private func answer(_ bodies: [Data], _ cursor: Int64, hasMore: Bool) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.member("object", "list")
            json.member("items", bodies) { $0.raw($1) }
            json.member("next_page", String(cursor))
            json.member("has_more", hasMore)
        }
        return json.response()
    }
}
