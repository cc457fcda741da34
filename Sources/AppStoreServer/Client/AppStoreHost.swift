public import AppStoreModels
import Basics
import Foundation

/// The server to which requests are sent.
public struct AppStoreHost: Sendable, Hashable {
    /// The base URL, without a slash at the end.
    public let url: String

    /// The environment of the server. The sandbox has a tenth of the production quotas.
    public let environment: AppStoreEnvironment

    private init(trusted url: String, _ environment: AppStoreEnvironment) {
        self.url = url
        self.environment = environment
    }

    /// Production. The older host `api.storekit.itunes.apple.com` also works.
    public static let production = AppStoreHost(trusted: "https://api.storekit.apple.com", .production)

    /// The sandbox. The older host `api.storekit-sandbox.itunes.apple.com` also works.
    public static let sandbox = AppStoreHost(trusted: "https://api.storekit-sandbox.apple.com", .sandbox)

    /// The names of Apple's hosts, also the older ones.
    package static let appleNames: [AppStoreEnvironment: Set<String>] = [
        .production: ["api.storekit.apple.com", "api.storekit.itunes.apple.com"],
        .sandbox: ["api.storekit-sandbox.apple.com", "api.storekit-sandbox.itunes.apple.com"],
    ]

    /// Creates Apple's host for an environment.
    ///
    /// - Throws: ``AppStoreServerError`` with `invalid_request` for environments other than production and sandbox,
    ///   which have no server.
    public init(environment: AppStoreEnvironment) throws(AppStoreServerError) {
        switch environment {
        case .production: self = .production
        case .sandbox: self = .sandbox
        default:
            throw AppStoreServerError(.invalidRequest, "there is no server for the environment \(environment.rawValue)")
        }
    }

    /// Creates another host: a simulator, a proxy, or one of Apple's older names.
    ///
    /// - Parameters:
    ///   - url: An `http` or `https` URL, possibly with a path, but without query, fragment, user and password. The
    ///     bearer token is sent there: use `http` only for this machine.
    ///   - environment: The environment of the server.
    /// - Throws: ``AppStoreServerError`` with `invalid_request` for anything else.
    public init(url: String, environment: AppStoreEnvironment) throws(AppStoreServerError) {
        guard url.isVisibleASCII, url.utf8.count <= 2048, let parts = URLComponents(string: url),
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false, parts.user == nil,
            parts.password == nil, parts.query == nil, parts.fragment == nil
        else { throw AppStoreServerError(.invalidRequest, "not a usable base URL") }
        var url = url[...]
        while url.hasSuffix("/") { url = url.dropLast() }
        self.init(trusted: String(url), environment)
    }
}
