internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// Whose a transaction or an order is, for customer support.
enum LookupRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/transactions/{id}") { request, context in try await transaction(request, context, core) }
        router.get("/orders/{id}") { request, context in try await order(request, context, core) }
    }

    private static func transaction(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let scope = try context.scope(of: request, core, for: try context.require(.supportRead))
        let id = try context.identifier("transaction")
        guard let original = try await core.storage.originalTransactionId(of: id, in: scope.id),
            let fact = try await core.storage.lineage(original, in: scope.id)?.transactions
                .first(where: { $0.transactionId == id })
        else { throw APIFailure(.notFound, "not_found", "No such transaction is known here.", parameter: "id") }
        let owners = try await core.storage.owners(of: original, in: scope.id)
        var json = JSONWriter()
        write(fact, owners, scope, to: &json)
        return json.response()
    }

    static func write(_ fact: TransactionFact, _ owners: [String], _ scope: Scope, to json: inout JSONWriter) {
        json.object { json in
            json.member("object", "transaction")
            json.member("transaction_id", fact.transactionId)
            json.member("original_transaction_id", fact.originalTransactionId)
            json.member("app", scope.bundleId)
            json.member("environment", scope.environment.rawValue)
            json.member("product_id", fact.productId)
            json.member("type", fact.type.rawValue)
            json.member("purchase_date", fact.purchaseDate)
            json.member("expires_date", fact.expiresDate)
            json.member("revocation_date", fact.revocationDate)
            json.member("signed_date", fact.signedDate)
            json.member("customers", owners) { $0.string($1) }
        }
    }

    /// Asks the App Store for the order on a customer's mail. What it answers is kept.
    private static func order(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let scope = try context.scope(of: request, core, for: try context.require(.supportRead))
        let id = try context.identifier("order")
        guard scope.environment == .production else {
            throw APIFailure(
                .badRequest, "production_only", "Orders are looked up in production only.", parameter: "environment")
        }
        guard let client = core.clients[scope.id] else {
            throw APIFailure(.conflict, "no_api_key", "The configuration has no App Store Server API key for the app.")
        }
        let answer: OrderLookupResponse
        do throws(AppStoreServerError) { answer = try await client.order(id) } catch { throw APIFailure(error) }
        guard answer.status == .valid, let texts = answer.signedTransactions, !texts.isEmpty else {
            throw APIFailure(.notFound, "not_found", "The App Store knows no such order of this app.", parameter: "id")
        }
        let facts = try await keep(texts, scope, core)
        var items: [(TransactionFact, [String])] = []
        for fact in facts {
            items.append((fact, try await core.storage.owners(of: fact.originalTransactionId, in: scope.id)))
        }
        var json = JSONWriter()
        json.object { json in
            json.member("object", "order")
            json.member("order_id", id)
            json.member("app", scope.bundleId)
            json.member("environment", scope.environment.rawValue)
            json.member("customers", Set(items.flatMap(\.1)).sorted()) { $0.string($1) }
            json.member("transactions", items) { json, item in write(item.0, item.1, scope, to: &json) }
        }
        return json.response()
    }

    private static func keep(_ texts: [String], _ scope: Scope, _ core: ServerCore) async throws -> [TransactionFact] {
        var statements: [Statement] = []
        var facts: [TransactionFact] = []
        for text in texts {
            let verified = try await core.believed(text, in: scope)
            facts.append(TransactionFact(verified.payload))
            statements.append(
                Statement(verified, scope: scope, at: core.now, origin: .asked))
        }
        _ = try await core.storage.commit(statements)
        return facts
    }
}

extension APIFailure {
    /// Why the App Store gave no answer. What it said stays out: it is for the log.
    init(_ error: AppStoreServerError) {
        switch error.code {
        case .refused, .invalidRequest:
            self.init(.badRequest, "refused_by_app_store", "The App Store refuses this identifier.", parameter: "id")
        default:
            self.init(
                error.isRetryable ? .serviceUnavailable : .badGateway, "app_store_\(error.code)",
                "The App Store gave no answer that can be used.", isRetryable: error.isRetryable,
                backoff: error.isRetryable ? 10_000 : nil)
        }
    }
}
