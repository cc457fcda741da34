internal import AppStoreModels
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// Lets in who shows a key, and notes what they may.
struct Authorization: RouterMiddleware {
    private let keys: [Data: Principal]

    init(_ core: ServerCore) {
        let pairs = core.configuration.keys.map { key in
            (
                key.hash,
                Principal(name: key.name, scopes: key.scopes, apps: key.apps, environments: key.environments)
            )
        }
        keys = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    @concurrent func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.principal = try principal(request)
        return try await next(request, context)
    }

    private func principal(_ request: Request) throws(APIFailure) -> Principal {
        guard let header = request.headers[.authorization], header.hasPrefix("Bearer ") else {
            throw APIFailure(.unauthorized, "unauthorized", "Send an API key: Authorization: Bearer …")
        }
        // Found by its digest: nobody learns from the time it takes how much of a key is right.
        let digest = Data(SHA256.hash(data: Data(header.dropFirst(7).utf8)))
        guard let principal = keys[digest] else {
            throw APIFailure(.unauthorized, "unauthorized", "This API key is not known here.")
        }
        return principal
    }
}

extension ServerContext {
    /// Who asks, if they may do this.
    @discardableResult
    func require(_ scope: APIScope) throws(APIFailure) -> Principal {
        guard let principal else { throw APIFailure(.unauthorized, "unauthorized", "Send an API key.") }
        guard principal.scopes.contains(scope) else {
            throw APIFailure(.forbidden, "forbidden", "The key \(principal.name) lacks the scope \(scope.rawValue).")
        }
        return principal
    }

    /// The app and environment that a request is about: the parameters `app`, which may be left out where there is only
    /// one, and `environment`, production unless something else is said, or the app has no production.
    func scope(of request: Request, _ core: ServerCore, for principal: Principal) throws(APIFailure) -> Scope {
        let parameters = request.uri.queryParameters
        let apps = core.configuration.apps.filter { principal.apps?.contains($0.bundleId) ?? true }
        let name = parameters["app"].map { String($0) }
        guard let app = name == nil && apps.count == 1 ? apps.first : apps.first(where: { $0.bundleId == name }) else {
            throw APIFailure(
                .badRequest, "unknown_app", "Name one of your apps by its bundle ID.", parameter: "app")
        }
        let environment =
            parameters["environment"].map { AppStoreEnvironment(rawValue: String($0)) }
            ?? (app.environments.contains(.production) ? .production : .sandbox)
        guard let scope = core.scopes[app.bundleId, environment], app.environments.contains(environment) else {
            throw APIFailure(
                .badRequest, "unknown_environment", "The app has no such environment here; try Production or Sandbox.",
                parameter: "environment")
        }
        guard principal.environments?.contains(environment) ?? true else {
            throw APIFailure(
                .forbidden, "forbidden", "The key \(principal.name) is not for this environment.",
                parameter: "environment")
        }
        return scope
    }

    /// The customer that a path names, if they may be asked about: 1 to 255 bytes without control characters.
    func customer(for principal: Principal) throws(APIFailure) -> String {
        guard let customer = parameters.get("id")?.removingPercentEncoding, !customer.isEmpty,
            customer.utf8.count <= 255,
            customer.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw APIFailure(
                .badRequest, "invalid_customer", "A customer's identifier has 1 to 255 bytes.", parameter: "id")
        }
        guard principal.customer == nil || principal.customer == customer else {
            throw APIFailure(.forbidden, "forbidden", "The customer token is for another customer.", parameter: "id")
        }
        // The App Store writes the UUIDs of accounts in either case.
        return UUID(uuidString: customer)?.uuidString.lowercased() ?? customer
    }
}
