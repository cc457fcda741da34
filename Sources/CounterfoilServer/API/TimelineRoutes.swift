internal import AppStoreModels
internal import AppStoreTrust
internal import Foundation
internal import Hummingbird

/// What happened to a customer.
enum TimelineRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/customers/{id}/timeline") { request, context in try await timeline(request, context, core) }
    }

    /// Newest first; what was signed until `at`.
    private static func timeline(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.customersRead)
        let scope = try context.scope(of: request, core, for: principal)
        let customer = try context.customer(for: principal)
        let paging = try Paging(request)
        let until = try request.instant("at") ?? .max
        var place = try paging.place() ?? TimelinePlace(date: until)
        if place.date > until { place = TimelinePlace(date: until) }
        let items = try await core.storage.timeline(
            of: customer, in: scope.id, after: place, limit: paging.limit + 1)
        let page = items.prefix(paging.limit)
        var entries: [(TimelineItem, NotificationParts?)] = []
        for item in page { entries.append((item, try await core.parts(of: item))) }
        var json = JSONText()
        json.list(entries, next: items.count > page.count ? page.last?.place.token : nil) { json, entry in
            write(entry.0, entry.1, core.scopes, to: &json)
        }
        return json.response()
    }

    private static func write(
        _ item: TimelineItem, _ parts: NotificationParts?, _ scopes: ScopeBook, to json: inout JSONText
    ) {
        json.object { json in
            json.member("object", "timeline_entry")
            json.member("date", item.place.date)
            switch item.kind {
            case .event(let type, let customer, _):
                json.member("kind", "event")
                json.member("type", type)
                json.member("sentence", TimelineSentence.text(type, customer, item.originalTransactionId))
                json.member("original_transaction_id", item.originalTransactionId)
            case .notification(let kept):
                json.member("kind", "notification")
                json.member("sentence", TimelineSentence.text(kept, parts))
                NotificationJSON.members(of: kept, scopes, to: &json)
                json.member("original_transaction_id", item.originalTransactionId)
                if let parts { write(parts, to: &json) }
            }
        }
    }

    private static func write(_ parts: NotificationParts, to json: inout JSONText) {
        json.member("transaction_id", parts.transaction?.transactionId)
        json.member("product_id", parts.transaction?.productId ?? parts.renewal?.productId)
        if let status = parts.payload.data?.status { json.member("status", status.rawValue) }
        json.member("price", parts.transaction?.price)
        json.member("currency", parts.transaction?.currency)
    }
}

extension ServerCore {
    /// What the notification of an entry says; nil for what is none, or cannot be believed.
    fileprivate func parts(of item: TimelineItem) async throws -> NotificationParts? {
        guard case .notification(let kept) = item.kind else { return nil }
        do { return try await parts(of: kept) } catch is VerificationError { return nil }
    }
}
