internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// One subscription and one entitlement, for those who need no more.
enum SubscriptionRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/subscriptions/{id}") { request, context in try await subscription(request, context, core) }
        router.get("/customers/{id}/entitlements/{key}") { request, context in
            try await entitlement(request, context, core)
        }
    }

    /// How a subscription stands now, and whose it is.
    private static func subscription(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.customersRead)
        let scope = try context.scope(of: request, core, for: principal)
        let original = try context.identifier("transaction")
        let unknown = APIFailure(.notFound, "not_found", "No such subscription is known here.", parameter: "id")
        guard let lineage = try await core.storage.lineage(original, in: scope.id) else { throw unknown }
        let owners = try await core.storage.owners(of: original, in: scope.id)
        // Who asks for one customer learns nothing of others, not even that there are any.
        guard principal.customer.map({ owners.containsName($0) }) ?? true else { throw unknown }
        let facts = CustomerFacts(transactions: lineage.transactions, renewals: lineage.renewal.map { [$0] } ?? [])
        let engine = core.apps.engine(of: scope.bundleId)
        let states = engine.currentState(of: facts, now: core.now)
        guard let state = states.subscriptions.first(where: { $0.originalTransactionId.isExactly(original) }) else {
            throw unknown
        }
        var json = JSONWriter()
        CustomerJSON.subscription(&json, state) { json in
            json.member("app", scope.bundleId)
            json.member("environment", scope.environment.rawValue)
            json.member("as_of", states.asOf)
            if principal.customer == nil { json.member("customers", owners) { $0.string($1) } }
        }
        return json.response()
    }

    /// Whether a customer has an entitlement; now or `at` an instant.
    private static func entitlement(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.customersRead)
        let scope = try context.scope(of: request, core, for: principal)
        let customer = try context.customer(for: principal)
        let reading = try await core.customers.customer(
            customer, in: scope, at: request.instant("at").map { Date(milliseconds: $0) })
        guard let name = context.parameters.get("key")?.removingPercentEncoding,
            let state = reading.states.entitlements.first(where: { $0.entitlement.isExactly(name) })
        else {
            throw APIFailure(.notFound, "not_found", "The configuration has no such entitlement.", parameter: "key")
        }
        var json = JSONWriter()
        CustomerJSON.entitlement(&json, state) { json in
            json.member("customer", customer)
            json.member("app", scope.bundleId)
            json.member("environment", scope.environment.rawValue)
            json.member("as_of", reading.states.asOf)
        }
        return json.response()
    }
}

extension ServerContext {
    /// The identifier of the App Store's that a path names.
    func identifier(_ name: String) throws(APIFailure) -> String {
        guard let id = parameters.get("id")?.removingPercentEncoding, !id.isEmpty, id.utf8.count <= 64,
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        else {
            throw APIFailure(
                .badRequest, "invalid_\(name)", "An identifier of the App Store has 1 to 64 letters and digits.",
                parameter: "id")
        }
        return id
    }
}
