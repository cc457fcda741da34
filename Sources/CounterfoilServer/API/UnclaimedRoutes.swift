internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import Hummingbird

/// Who has paid and is nobody's customer.
enum UnclaimedRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/purchases") { request, context in try await list(request, context, core) }
    }

    /// In the order of the original transactions.
    private static func list(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.supportRead)
        let scope = try context.scope(of: request, core, for: principal)
        let paging = try Paging(request)
        guard request.parameter("claimed") == "false" else {
            throw APIFailure(
                .badRequest, "invalid_parameter",
                "Say claimed=false; what a customer has is at /v1/customers/{id}.", parameter: "claimed")
        }
        guard (paging.page ?? "").utf8.count <= 64 else { throw Paging.invalid }
        let found = try await core.storage.unclaimedPurchases(
            in: scope.id, after: paging.page ?? "", limit: paging.limit)
        let engine = core.apps.engine(of: scope.bundleId)
        let now = core.now
        var json = JSONWriter()
        json.list(found.items, next: found.next) { json, lineage in
            write(lineage, scope, hasAccess: engine.givesAccess(lineage, now: now), to: &json)
        }
        return json.response()
    }

    private static func write(_ lineage: Lineage, _ scope: Scope, hasAccess: Bool, to json: inout JSONWriter) {
        let paid = lineage.transactions.filter { $0.ownership == .purchased }
        let last = paid.max { ($0.purchaseDate, $0.transactionId) < ($1.purchaseDate, $1.transactionId) }
        json.object { json in
            json.member("object", "unclaimed_purchase")
            json.member("original_transaction_id", lineage.originalTransactionId)
            json.member("app", scope.bundleId)
            json.member("environment", scope.environment.rawValue)
            json.member("app_transaction_id", lineage.appTransactionId)
            json.member("product_id", last?.productId)
            json.member("type", last?.type.rawValue)
            json.member("first_purchase_date", paid.map(\.purchaseDate).min())
            json.member("last_purchase_date", last?.purchaseDate)
            json.member("has_access", hasAccess)
        }
    }
}
