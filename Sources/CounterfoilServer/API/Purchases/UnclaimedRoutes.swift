internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Paid purchases that no customer owns.
struct UnclaimedRoutes {
    let storage: any UnclaimedStorage & CustomerStorage
    let apps: Apps
    let clock: ServerClock

    func add(to v1: APIRouter) { v1.get("/purchases", needs: .supportRead, list) }

    /// Lists purchases, ordered by original transaction ID.
    private func list(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        let paging = try Paging(call.request)
        guard call.request.parameter("claimed") == "false" else {
            throw APIFailure(
                "invalid_parameter", "`claimed` must be false; GET /v1/customers/{id} returns a customer's purchases.",
                parameter: "claimed")
        }
        let found = try await storage.unclaimedPurchases(
            in: appEnvironment.id, after: paging.originalTransactionID(), limit: paging.limit)
        let engine = apps.engine(of: appEnvironment.bundleID)
        let now = clock.now()
        var items: [(lineage: Lineage, hasAccess: Bool)] = []
        for lineage in found.items {
            let successors = try await storage.successors(of: lineage.originalTransactionID, in: appEnvironment.id)
            let purchase = SucceededPurchase(lineage: lineage, successors: successors)
            items.append((lineage, engine.givesAccess(purchase, now: now)))
        }
        return .list(items, next: found.next) { json, item in
            write(item.lineage, appEnvironment, hasAccess: item.hasAccess, to: &json)
        }
    }

    private func write(_ lineage: Lineage, _ appEnvironment: AppEnvironment, hasAccess: Bool, to json: inout JSONWriter)
    {
        let paid = lineage.transactions.filter { $0.ownership == .purchased }
        let last = paid.max { $0.wasPurchased(before: $1) }
        json.object("unclaimed_purchase") { json in
            json.member("original_transaction_id", lineage.originalTransactionID)
            json.members(of: appEnvironment)
            json.member("app_transaction_id", lineage.appTransactionID)
            json.member("product_id", last?.productID)
            json.member("type", last?.type.rawValue)
            json.member("first_purchase_date", paid.map(\.purchaseDate).min())
            json.member("last_purchase_date", last?.purchaseDate)
            json.member("has_access", hasAccess)
        }
    }
}
