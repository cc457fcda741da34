internal import LedgerServices
internal import Ledger
internal import Basics
internal import Foundation
internal import Hummingbird

/// What customers own.
enum CustomerRoutes {
    /// The route below `/v1`.
    static let path = "/customers/{id}"

    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/customers/{id}") { request, context in
            try await customer(context.parameters.get("id"), request, context, core)
        }
    }

    /// States, entitlements, what to offer next; now or `at` an instant.
    static func customer(
        _ name: String?, _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.customersRead)
        let scope = try context.scope(of: request, core, for: principal)
        let customer = try context.customer(name, for: principal)
        let reading = try await core.customers.customer(
            customer, in: scope, at: request.instant("at").map { Date(milliseconds: $0) })
        var json = JSONWriter()
        CustomerJSON.write(reading, to: &json) { core.writeMembersForApps(of: scope, for: principal, to: &$0) }
        return try core.answer(json, about: customer, in: scope, to: request)
    }
}
