internal import AppStoreModels
internal import Basics
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// The apps and environments that requests can be about.
struct RequestResolver: Sendable {
    let apps: Apps
    let scopes: AppEnvironmentRegistry

    /// Returns the apps and environments that the configuration serves and the key may see.
    func served(for principal: Principal) -> [AppEnvironment] {
        scopes.all.filter { appEnvironment in
            principal.maySee(appEnvironment)
                && apps.served(appEnvironment.bundleID, appEnvironment.environment, among: scopes) != nil
        }
    }
}

// Determines the app, environment and customer of a request, and checks that the principal may access them.
extension APICall {
    private var apps: Apps { resolver.apps }
    private var scopes: AppEnvironmentRegistry { resolver.scopes }

    /// Returns the app and environment of the query parameters. `app` may be omitted if there is only one.
    /// `environment` defaults to production, or to the sandbox if the app has no production.
    func appEnvironment() throws(APIFailure) -> AppEnvironment {
        let all = apps.all
        // Use an index: settings are large, and a thousand requests per second read them.
        let app = try index(of: request.parameter("app"), among: all)
        let environment =
            request.parameter("environment").map { AppStoreEnvironment(named: $0) }
            ?? (all[app].environments.contains(.production) ? .production : .sandbox)
        guard let appEnvironment = scopes[all[app].bundleID, environment], all[app].environments.contains(environment)
        else {
            throw APIFailure(
                "unknown_environment",
                "The app does not have this environment; `environment` is Production or Sandbox.",
                parameter: "environment")
        }
        try requireAccess(to: environment)
        return appEnvironment
    }

    private func requireAccess(to environment: AppStoreEnvironment) throws(APIFailure) {
        guard principal.environments?.contains(environment) ?? true else {
            throw APIFailure.forbidden(
                "The key \(principal.name) is not for this environment.", parameter: "environment")
        }
    }

    private func index(of name: String?, among all: [AppSettings]) throws(APIFailure) -> Int {
        if name == nil, all.count == 1, principal.apps == nil { return 0 }
        let possible = all.indices.filter { principal.apps?.contains(all[$0].bundleID) ?? true }
        let chosen = name.map { name in possible.first { all[$0].bundleID.isExactly(name) } }
        guard let index = chosen ?? (possible.count == 1 ? possible.first : nil) else {
            throw name == nil && possible.count > 1 ? APIFailure.missingApp : .unknownApp
        }
        return index
    }

    /// Returns the app and environment of the sent purchases, which the parameters must match. Without purchases, the
    /// parameters decide.
    func appEnvironment(of proven: VerifiedPurchases) throws(APIFailure) -> AppEnvironment {
        guard let audience = proven.audience else { return try appEnvironment() }
        guard let appEnvironment = apps.served(audience.bundleID, audience.environment, among: scopes),
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
        return appEnvironment
    }

    /// Returns the row identifiers of all apps and environments that the parameters select and the key may see. An
    /// environment that the key may not see is refused, as in ``appEnvironment()``: an empty list would say that there
    /// is nothing.
    func visibleScopes() throws(APIFailure) -> [Int64] {
        let app = try request.shortText("app")
        let environment = try request.shortText("environment").map { AppStoreEnvironment(named: $0) }
        if let app, apps[app] == nil || !(principal.apps?.containsExactly(app) ?? true) { throw .unknownApp }
        let selected = scopes.all.filter {
            (principal.apps?.contains($0.bundleID) ?? true)
                && $0.matches(app: app, environment: environment?.rawValue)
        }
        if let environment {
            guard !selected.isEmpty else {
                throw APIFailure(
                    "unknown_environment",
                    "No app of the request has this environment; `environment` is Production or Sandbox.",
                    parameter: "environment")
            }
            try requireAccess(to: environment)
        }
        return selected.filter { principal.maySee($0) }.map(\.id)
    }

    /// Returns the other environments of an app that the configuration serves and the key may see.
    func otherEnvironments(of appEnvironment: AppEnvironment) -> [AppEnvironment] {
        resolver.served(for: principal).filter {
            $0.bundleID.isExactly(appEnvironment.bundleID) && $0.environment != appEnvironment.environment
        }
    }

    /// Returns the customer in the path: 1 to 255 bytes without control characters. Throws 403 if a token is for another
    /// customer.
    func customer() throws(APIFailure) -> String {
        // Most identifiers are not encoded. Decoding copies each byte, also for the most frequent request.
        let decoded = context.parameters.get("id").flatMap { text in
            text.utf8.contains(UInt8(ascii: "%")) ? String(percentEncoded: text.utf8) : text
        }
        let customer = try CustomerName.validated(decoded, parameter: "id")
        guard principal.customer?.isExactly(customer) ?? true else {
            throw APIFailure.forbidden("The customer token is for another customer.", parameter: "id")
        }
        return customer
    }
}

extension AppEnvironment {
    /// The app and the environment as parameters of a request. Metrics have labels of the same names.
    var parameters: [(String, String)] { [("app", bundleID), ("environment", environment.rawValue)] }
}

extension APIFailure {
    fileprivate static let unknownApp = APIFailure(
        "unknown_app", "`app` must be the bundle ID of a configured app.", parameter: "app")
    fileprivate static let missingApp = APIFailure(
        "unknown_app", "`app` is missing: the key is for several apps, so name one by its bundle ID.",
        parameter: "app")
}

extension AppStoreEnvironment {
    /// Creates the environment with a name in any case.
    init(named name: String) {
        let known = [Self.production, .sandbox].first { $0.rawValue.lowercased() == name.lowercased() }
        self = known ?? Self(rawValue: name)
    }
}
