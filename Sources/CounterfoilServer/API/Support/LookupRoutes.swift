internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Entitlements
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// The owners of a transaction or an order, for customer support.
struct LookupRoutes {
    let appStore: AppStoreQueries

    func add(to v1: APIRouter) {
        v1.get("/transactions/{id}", needs: .supportRead, transaction)
        v1.get("/orders/{id}", needs: .supportRead, order)
    }

    private func transaction(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        guard let known = try await appStore.transaction(try call.identifier("transaction"), in: appEnvironment) else {
            throw APIFailure.notFound(
                "No transaction with this ID is known in this app and environment.", parameter: "id")
        }
        return .json { Self.write(known, appEnvironment, to: &$0) }
    }

    static func write(_ known: OwnedTransaction, _ appEnvironment: AppEnvironment, to json: inout JSONWriter) {
        let fact = known.fact
        json.object("transaction") { json in
            json.member("transaction_id", fact.transactionID)
            json.member("original_transaction_id", fact.originalTransactionID)
            json.members(of: appEnvironment)
            json.member("product_id", fact.productID)
            json.member("type", fact.type.rawValue)
            json.member("purchase_date", fact.purchaseDate)
            json.member("expires_date", fact.expiresDate)
            json.member("revocation_date", fact.revocationDate)
            json.member("signed_date", fact.signedDate)
            json.member("customers", known.owners) { $0.string($1) }
        }
    }

    /// Requests an order from the App Store, by the order ID in a customer's receipt email. Stores its transactions.
    private func order(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        let id = try call.identifier("order")
        guard appEnvironment.environment == .production else {
            throw APIFailure("production_only", "Orders can be looked up in production only.", parameter: "environment")
        }
        let client = try appStore.client(for: appEnvironment)
        let answer: OrderLookupResponse
        do throws(AppStoreServerError) { answer = try await client.order(id) } catch { throw APIFailure(error) }
        guard answer.status == .valid, let texts = answer.signedTransactions, !texts.isEmpty else {
            throw APIFailure.notFound("The App Store knows no order with this ID for this app.", parameter: "id")
        }
        let items = try await appStore.store(texts, in: appEnvironment)
        return .object("order") { json in
            json.member("order_id", id)
            json.members(of: appEnvironment)
            let owners = Set(items.flatMap(\.owners).map { ExactText($0) }).sorted()
            json.member("customers", owners) { $0.string($1.text) }
            json.member("transactions", items) { Self.write($1, appEnvironment, to: &$0) }
        }
    }
}
