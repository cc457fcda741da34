internal import Ledger
internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Hummingbird

/// Forgets a person.
enum ErasureRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.delete("/customers/{id}") { request, context in try await erase(request, context, core) }
    }

    /// Whoever is not known is erased as well: an older export may be read later.
    private static func erase(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.customersErase)
        let scope = try context.scope(of: request, core, for: principal)
        let customer = try context.customer(for: principal)
        let now = core.now.milliseconds
        let report = try await core.storage.erase(customer, in: scope, at: now)
        var json = JSONWriter()
        json.object { json in
            json.member("object", "erasure")
            json.member("app", scope.bundleId)
            json.member("environment", scope.environment.rawValue)
            json.member("erased_at", now)
            json.member("claims", report.claims)
            json.member("grants", report.grants)
            json.member("usage", report.usage)
            json.member("purchases_kept", report.purchases)
        }
        return json.response()
    }
}
