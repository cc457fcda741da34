internal import AppStoreModels
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// The texts of the files in the folder Templates, which the build embeds.
package enum ServerPages {}

/// The web console: its sessions, templates and access to the API.
final class Console: Sendable {
    let core: ServerCore
    let api: ConsoleAPI
    let library: PageLibrary
    let assets = ConsoleAssets(folder: ["console", "assets"])
    let sessions: SessionStore
    let links: SignInRegistry?
    let failures = FailureLimit()
    let tickets = FormTickets()
    let rendering = SharedRendering<PageRequest.Sharing>()
    /// The settings of the console, as of the server's start.
    let settings: ServerConfiguration.Console

    init(_ core: ServerCore) throws {
        self.core = core
        settings = core.configuration.console
        sessions = core.sessions
        api = ConsoleAPI(core)
        library = try PageLibrary(ServerPages.files)
        links = settings.secret.map { SignInRegistry(SignInLinks(secret: Array($0.revealed.utf8))) }
    }

    /// The selected app and environment, and all that the key can select.
    struct Selection: Sendable {
        var appEnvironment: AppEnvironment?
        var all: [AppEnvironment]

        var query: [(String, String)] { appEnvironment?.parameters ?? [] }

        /// Returns the name of an environment, with the app if the key can select several.
        func name(of appEnvironment: AppEnvironment) -> String {
            let environment = appEnvironment.environment.rawValue
            let isOnlyApp = all.allSatisfy { $0.bundleID == appEnvironment.bundleID }
            return isOnlyApp ? environment : "\(appEnvironment.bundleID) \(environment)"
        }
    }

    /// Returns the principal of a session's key in the current configuration. Ends the session if the key was removed
    /// or replaced.
    func principal(of session: SessionStore.Session, countsAsUse: Bool = true) -> Principal? {
        guard let entry = core.access.current.keys[session.keyDigest], mayOpen(entry),
            entry.principal.name == session.key
        else {
            sessions.end { $0.id == session.id }
            return nil
        }
        if countsAsUse { entry.use.record() }
        let principal = entry.principal
        guard settings.isReadOnly else { return principal }
        let reading = principal.scopes.intersection(Self.readingScopes)
        return Principal(
            name: principal.name, scopes: reading, apps: principal.apps, environments: principal.environments)
    }

    /// Returns the key with this text, if it can sign in to the console.
    func key(text: String) -> SignInKey? {
        let digest = APIKeyText.hash(of: text)
        guard let entry = core.access.current.keys[digest], mayOpen(entry) else { return nil }
        return SignInKey(name: entry.principal.name, digest: digest)
    }

    /// Returns the key with this name, if it can sign in to the console.
    func key(named name: String) -> SignInKey? {
        // Only a configuration made in code can have two keys with one name; always choose the same one.
        let found = core.access.current.keys.filter { $0.value.principal.name == name && mayOpen($0.value) }
        return found.keys.min { $0.lexicographicallyPrecedes($1) }.map { SignInKey(name: name, digest: $0) }
    }

    private func mayOpen(_ entry: AccessTable.Entry) -> Bool {
        !entry.isPublic && entry.principal.scopes.contains(.consoleOpen)
    }

    /// A key that signs in.
    struct SignInKey {
        var name: String
        var digest: Data
    }

    /// The scopes of a read-only console. Webhooks have one scope for reading and writing; the read-only console only
    /// reads them.
    private static let readingScopes: Set<APIScope> = [
        .customersRead, .supportRead, .operationsRead, .webhooksWrite, .auditRead, .consoleOpen,
    ]

    /// Returns the configured scopes that a key can access. The ledger also contains scopes that were removed from the
    /// configuration; the API does not serve those.
    private func served(for principal: Principal) -> [AppEnvironment] {
        RequestResolver(apps: core.apps, scopes: core.scopes).served(for: principal)
    }

    /// Returns the scopes that a key can access, with the default selection: Production of the first app.
    func selection(for principal: Principal) -> Selection {
        let all = served(for: principal)
        return Selection(appEnvironment: all.first { $0.environment == .production } ?? all.first, all: all)
    }

    /// Returns the selection of a query or a form; without names, Production of the first app.
    ///
    /// - Throws: 404 if the key cannot access the app and environment. A fallback could be mistaken for the requested
    ///   one.
    func selection(
        app: String?, environment: String?, for principal: Principal
    ) throws(APIFailure) -> Selection {
        let all = served(for: principal)
        let (app, environment) = (app.flatMap(Self.name), environment.flatMap(Self.name))
        let possible = all.filter { $0.matches(app: app, environment: environment) }
        if possible.isEmpty, app != nil || environment != nil {
            let name = [app, environment].compactMap { $0?.prefix(100) }.joined(separator: " ")
            throw APIFailure(
                .notFound, "unknown_app",
                "The key \(principal.name) sees no \(name) here. It may be gone from the configuration.",
                parameter: app == nil ? "environment" : "app")
        }
        return Selection(appEnvironment: possible.first { $0.environment == .production } ?? possible.first, all: all)
    }

    private static func name(_ text: String) -> String? { text.isEmpty ? nil : text }

    /// Whether the client's connection uses HTTPS, as seen by this server or by a trusted proxy.
    func isSecure(_ request: Request, _ context: ServerContext) -> Bool {
        let listen = core.configuration.listen
        if listen.tls != nil { return true }
        guard let peer = context.peer, listen.trustedProxies.contains(where: { $0.contains(peer) }),
            let name = HTTPField.Name("x-forwarded-proto")
        else { return false }
        return request.headers.singleValue(of: name) == "https"
    }

    /// The origin check with the host names of this server.
    var originCheck: OriginCheck {
        let configured = [
            core.configuration.listen.publicURL.flatMap { URL(string: $0)?.host() }, core.configuration.listen.host,
            settings.listen?.host,
        ].compactMap(\.self)
        return OriginCheck(allowsNonBrowsers: false) { host in
            OriginCheck.isLoopback(host) || OriginCheck.isNamed(host, oneOf: configured)
        }
    }
}
