internal import Foundation
internal import Hummingbird

/// What customers own.
enum CustomerRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/customers/{id}") { request, context in try await customer(request, context, core) }
    }

    /// States, entitlements, what to offer next; now or `at` an instant.
    private static func customer(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.customersRead)
        let scope = try context.scope(of: request, core, for: principal)
        let customer = try context.customer(for: principal)
        let reading = try await core.customer(customer, in: scope, at: instant(request))
        var json = JSONText()
        CustomerJSON.write(reading, to: &json)
        return json.response()
    }

    /// The parameter `at`, milliseconds since 1970.
    static func instant(_ request: Request) throws(APIFailure) -> Date? {
        guard let text = request.uri.queryParameters["at"] else { return nil }
        guard let milliseconds = Int64(text), Date(milliseconds: milliseconds).milliseconds == milliseconds else {
            throw APIFailure(
                .badRequest, "invalid_instant", "An instant is a number of milliseconds since 1970.", parameter: "at")
        }
        return Date(milliseconds: milliseconds)
    }
}
