internal import AppStoreModels
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import Logging
internal import WebConsole

/// The texts of the files in the folder Templates, which the build embeds.
package enum ServerPages {}

/// The web console: its sessions, templates and access to the API.
final class Console: Sendable {
    let api: ConsoleAPI
    let library: PageLibrary
    let assets = ConsoleAssets(folder: ["console", "assets"])
    let sessions: SessionStore
    let links: SignInRegistry?
    let failures = FailureLimit()
    let tickets = FormTickets()
    let rendering = SharedRendering<PageRequest.Sharing>()
    /// The settings of the console and of the API's listener, as of the server's start.
    let settings: ServerConfiguration.Console
    let listen: ServerConfiguration.Listen
    /// The URL of the simulator whose clock the server follows; nil for the system's clock.
    let simulator: URL?
    let clock: ServerClock
    let changes: EventHub
    let audit: RequestAudit
    let logger: Logger
    private let access: SharedValue<AccessTable>
    private let resolver: RequestResolver

    init(_ core: ServerCore) throws {
        (settings, listen) = (core.configuration.console, core.configuration.listen)
        simulator = if case .simulator(let url) = core.configuration.clock { URL(string: url) } else { nil }
        (clock, changes, audit, logger) = (core.clock, core.changes, core.requestAudit, core.logger)
        (access, sessions) = (core.access, core.sessions)
        resolver = RequestResolver(apps: core.apps, scopes: core.scopes)
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

    /// Returns the session of a request, and the principal of its key in the current configuration; nil without a
    /// session. Ends the session if the key was removed or replaced.
    func signedIn(
        _ request: Request, _ context: ServerContext, countsAsUse: Bool
    ) -> (session: SessionStore.Session, principal: Principal)? {
        let token = ConsoleCookies.session(of: request, isSecure: isSecure(request, context))
        guard let session = sessions.session(token, countsAsUse: countsAsUse) else { return nil }
        guard let entry = access.current.keys[session.keyDigest], mayOpen(entry), entry.principal.name == session.key
        else {
            sessions.end { $0.id == session.id }
            return nil
        }
        if countsAsUse { entry.use.record() }
        let key = entry.principal
        let scopes = settings.isReadOnly ? key.scopes.intersection(Self.readingScopes) : key.scopes
        return (session, Principal(name: key.name, scopes: scopes, apps: key.apps, environments: key.environments))
    }

    /// Returns the key with this text, if it can sign in to the console.
    func key(text: String) -> (name: String, digest: Data)? {
        let digest = APIKeyText.hash(of: text)
        guard let entry = access.current.keys[digest], mayOpen(entry) else { return nil }
        return (entry.principal.name, digest)
    }

    /// Returns the key with this name, if it can sign in to the console.
    func key(named name: String) -> (name: String, digest: Data)? {
        // Only a configuration made in code can have two keys with one name; always choose the same one.
        let found = access.current.keys.filter { $0.value.principal.name == name && mayOpen($0.value) }
        return found.keys.min { $0.lexicographicallyPrecedes($1) }.map { (name, $0) }
    }

    private func mayOpen(_ entry: AccessTable.Entry) -> Bool {
        !entry.isPublic && entry.principal.scopes.contains(.consoleOpen)
    }

    /// The scopes of a read-only console. Webhooks have one scope for reading and writing; the read-only console only
    /// reads them.
    private static let readingScopes: Set<APIScope> = [
        .customersRead, .supportRead, .operationsRead, .webhooksWrite, .auditRead, .consoleOpen,
    ]

    /// Returns the scopes that a key can access, with the default selection: Production of the first app.
    func selection(for principal: Principal) -> Selection {
        let all = resolver.served(for: principal)
        return Selection(appEnvironment: all.first { $0.environment == .production } ?? all.first, all: all)
    }

    /// Returns the selection of a query or a form; without names, Production of the first app.
    ///
    /// - Throws: 404 if the key cannot access the app and environment. A fallback could be mistaken for the requested
    ///   one.
    func selection(
        app: String?, environment: String?, for principal: Principal
    ) throws(APIFailure) -> Selection {
        let all = resolver.served(for: principal)
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
        if listen.tls != nil { return true }
        guard let peer = context.peer, listen.trustedProxies.contains(where: { $0.contains(peer) }),
            let name = HTTPField.Name("x-forwarded-proto")
        else { return false }
        return request.headers.singleValue(of: name) == "https"
    }

    /// The origin check with the host names of this server.
    var originCheck: OriginCheck {
        let configured = [
            listen.publicURL.flatMap { URL(string: $0)?.host() }, listen.host, settings.listen?.host,
        ].compactMap(\.self)
        return OriginCheck(allowsNonBrowsers: false) { host in
            OriginCheck.isLoopback(host) || OriginCheck.isNamed(host, oneOf: configured)
        }
    }
}
