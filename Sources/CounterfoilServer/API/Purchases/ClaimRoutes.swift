internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// The owners of a customer's purchases, and the reasons for the ownership.
struct ClaimRoutes {
    let storage: any ClaimStorage

    func add(to v1: APIRouter) { v1.get("/customers/{id}/claims", needs: .supportRead, list) }

    /// Lists the purchases that a customer has or had at any time, by original transaction ID.
    private func list(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let paging = try Paging(call.request)
        let instant = try call.request.instant("at") ?? .max
        let position = try paging.originalTransactionID()
        let owned = try await storage.purchases(ownedBy: customer, in: appEnvironment.id)
            .filter { position.precedesExactly($0.lineage.originalTransactionID) }
            .sorted { $0.lineage.originalTransactionID.precedesExactly($1.lineage.originalTransactionID) }
        let (page, last) = paging.items(of: owned)
        return .list(page, next: last?.lineage.originalTransactionID) { json, purchase in
            json.object("claim") { json in
                json.member("original_transaction_id", purchase.lineage.originalTransactionID)
                json.member("product_id", purchase.lineage.transactions.last?.productID)
                json.member("owners", Erasure.withoutStandIns(purchase.ownership.owners(at: instant))) {
                    $0.string($1)
                }
                json.member("reason", Self.reason(purchase.ownership, at: instant))
                json.member("since", Self.since(purchase.ownership, customer, at: instant))
            }
        }
    }

    /// Returns the instant at which the customer got the purchase, or the present owners if the customer is not one of
    /// them. Nil if the purchase was theirs from the beginning.
    private static func since(_ ownership: Ownership, _ customer: String, at instant: Milliseconds) -> Milliseconds? {
        let isOwner = ownership.owners(at: instant).containsExactly(customer)
        return ownership.changes.last { change in
            change.instant <= instant && (!isOwner || change.to.containsExactly(customer))
        }?.instant
    }

    private static func reason(_ ownership: Ownership, at instant: Milliseconds) -> String {
        let owners = ownership.owners(at: instant)
        if !owners.isEmpty, owners.allSatisfy(Erasure.isStandIn) { return "erased" }
        if !ownership.claims.owners(at: instant).isEmpty { return "claimed" }
        return ownership.named == nil ? "account_claimed" : "account_named"
    }
}
