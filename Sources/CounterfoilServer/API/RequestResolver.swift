internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Decides what a request is about: which app, which environment, which customer, as far as whoever asks may know of them.
struct RequestResolver: Sendable {
    let apps: Apps
    let scopes: ScopeRegistry

    /// The app and environment of the parameters `app`, which may be left out where there is only one, and `environment`:
    /// production unless something else is said, or the app has no production.
    func scope(of request: Request, for principal: Principal) throws(APIFailure) -> Scope {
        let all = apps.all
        // By its place, since settings are many and asked for a thousand times a second.
        let app = try index(of: request.parameter("app"), among: all, for: principal)
        let environment =
            request.parameter("environment").map { AppStoreEnvironment(named: $0) }
            ?? (all[app].environments.contains(.production) ? .production : .sandbox)
        guard let scope = scopes[all[app].bundleID, environment], all[app].environments.contains(environment) else {
            throw APIFailure(
                "unknown_environment",
                "The app does not have this environment; `environment` is Production or Sandbox.",
                parameter: "environment")
        }
        guard principal.environments?.contains(environment) ?? true else {
            throw APIFailure.forbidden(
                "The key \(principal.name) is not for this environment.", parameter: "environment")
        }
        return scope
    }

    private func index(
        of name: String?, among all: [AppSettings], for principal: Principal
    ) throws(APIFailure) -> Int {
        if name == nil, all.count == 1, principal.apps == nil { return 0 }
        let possible = all.indices.filter { principal.apps?.contains(all[$0].bundleID) ?? true }
        let chosen = name.map { name in possible.first { all[$0].bundleID.isExactly(name) } }
        guard let index = chosen ?? (possible.count == 1 ? possible.first : nil) else { throw .unknownApp }
        return index
    }

    /// What was sent says which app and environment it is of. The parameters are for those who send nothing.
    func scope(of proven: ProvenPurchases, _ request: Request, for principal: Principal) throws(APIFailure) -> Scope {
        guard let audience = proven.audience else { return try scope(of: request, for: principal) }
        guard let scope = apps.served(audience.bundleID, audience.environment, among: scopes),
            principal.apps?.containsExactly(audience.bundleID) ?? true,
            request.parameter("app").map({ $0.isExactly(audience.bundleID) }) ?? true
        else {
            throw APIFailure("wrong_app", "This was bought in another app.", parameter: "app")
        }
        guard principal.environments?.contains(audience.environment) ?? true,
            request.parameter("environment").map({ AppStoreEnvironment(named: $0) == audience.environment }) ?? true
        else {
            throw APIFailure("wrong_environment", "This was bought in another environment.", parameter: "environment")
        }
        return scope
    }

    /// All that a key may see of what the parameters `app` and `environment` ask for.
    func visible(to request: Request, for principal: Principal) throws(APIFailure) -> [Int64] {
        let app = try request.word("app")
        let environment = try request.word("environment").map { AppStoreEnvironment(named: $0) }
        if let app, apps[app] == nil || !(principal.apps?.containsExactly(app) ?? true) { throw .unknownApp }
        if let environment, !scopes.all.contains(where: { $0.environment == environment }) {
            throw APIFailure("unknown_environment", "`environment` is Production or Sandbox.", parameter: "environment")
        }
        return scopes.all.filter { scope in
            principal.maySee(scope) && app.map { $0 == scope.bundleID } ?? true
                && environment.map { $0 == scope.environment } ?? true
        }.map(\.id)
    }

    /// What the configuration serves of what a key may see.
    func served(for principal: Principal) -> [Scope] {
        scopes.all.filter { scope in
            principal.maySee(scope) && apps.served(scope.bundleID, scope.environment, among: scopes) != nil
        }
    }

    /// The customer that a path names, if they may be asked about: 1 to 255 bytes without control characters.
    func customer(_ text: String?, for principal: Principal) throws(APIFailure) -> String {
        let isEncoded = text?.utf8.contains(UInt8(ascii: "%")) ?? false
        let customer = try CustomerName.checked(
            isEncoded ? text.flatMap { String(percentEncoded: $0.utf8) } : text, parameter: "id")
        guard principal.customer?.isExactly(customer) ?? true else {
            throw APIFailure.forbidden("The customer token is for another customer.", parameter: "id")
        }
        return customer
    }
}

extension Principal {
    /// Whether the key is for an app and environment.
    func maySee(_ scope: Scope) -> Bool {
        (apps?.contains(scope.bundleID) ?? true) && (environments?.contains(scope.environment) ?? true)
    }
}

extension APIFailure {
    fileprivate static let unknownApp = APIFailure(
        "unknown_app", "`app` must be the bundle ID of a configured app.", parameter: "app")
}

extension AppStoreEnvironment {
    /// The environment of this name, in either case.
    init(named name: String) {
        let known = [Self.production, .sandbox].first { $0.rawValue.lowercased() == name.lowercased() }
        self = known ?? Self(rawValue: name)
    }
}
