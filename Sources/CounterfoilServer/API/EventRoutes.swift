internal import LedgerServices
internal import Ledger
internal import Basics
internal import Foundation
internal import Hummingbird

/// The events of webhooks for those who cannot receive any.
enum EventRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/events") { request, context in try await list(request, context, core) }
    }

    /// The oldest first. `next_page` is always there: it is where to go on later.
    private static func list(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.operationsRead)
        let paging = try Paging(request)
        let scopes = Set(try InboxRoutes.scopes(request, core, principal))
        if paging.page == "end" {
            return answer([], try await core.storage.lastEvent(), hasMore: false)
        }
        let after = paging.page == nil ? 0 : try paging.number()
        let (bodies, cursor, hasMore) = try await core.events.page(
            FeedQuery(after: after, scopes: scopes, limit: paging.limit))
        return answer(bodies, cursor, hasMore: hasMore)
    }

    private static func answer(_ bodies: [Data], _ cursor: Int64, hasMore: Bool) -> Response {
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
