internal import AppStoreModels
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// The pages of the server: who is signed in, what the pages are made of.
final class Console: Sendable {
    let core: ServerCore
    let api: ConsoleAPI
    let library: PageLibrary
    let assets = ConsoleAssets(folder: ["console", "assets"])
    let sessions: SessionStore
    let links: SignInRegistry?
    let failures = FailureLimit()
    let tickets = FormTickets()
    let hub = EventHub()
    let history = MetricHistory()
    /// What the configuration says of it.
    let settings: ServerConfiguration.Console

    init(_ core: ServerCore) throws {
        self.core = core
        settings = core.configuration.console
        api = ConsoleAPI(core)
        library = try PageLibrary(ServerPages.files)
        sessions = SessionStore()
        links = settings.secret.map { SignInRegistry(SignInLinks(secret: Array($0.revealed.utf8))) }
    }

    /// The environment that somebody looks at.
    struct Selection: Sendable {
        var scope: Scope?
        var all: [Scope]

        var query: [(String, String)] {
            scope.map { [("app", $0.bundleID), ("environment", $0.environment.rawValue)] } ?? []
        }
    }

    /// The key of a session, as the configuration has it now. A session ends when its key does.
    func principal(of session: SessionStore.Session) -> Principal? {
        guard let principal = principal(named: session.key) else {
            sessions.end { $0.id == session.id }
            return nil
        }
        guard settings.isReadOnly else { return principal }
        let reading = principal.scopes.intersection(Self.readingScopes)
        return Principal(
            name: principal.name, scopes: reading, apps: principal.apps, environments: principal.environments)
    }

    func principal(named name: String) -> Principal? {
        let entry = core.access.current.keys.values.first { entry in
            entry.principal.name == name && !entry.isPublic && entry.principal.scopes.contains(.consoleOpen)
        }
        entry?.use.note()
        return entry?.principal
    }

    /// What may be seen where nothing may be done. Webhooks have one scope for both; the console asks nothing there then
    /// but to be shown them.
    private static let readingScopes: Set<APIScope> = [
        .customersRead, .supportRead, .operationsRead, .webhooksWrite, .auditRead, .consoleOpen,
    ]

    func selection(of request: Request, for principal: Principal) -> Selection {
        let all = core.scopes.all.filter { principal.maySee($0) }
        let (app, environment) = (request.parameter("app"), request.parameter("environment"))
        let chosen = all.first { scope in
            (app.map { $0 == scope.bundleID } ?? true)
                && (environment.map { $0 == scope.environment.rawValue } ?? (scope.environment == .production))
        }
        return Selection(scope: chosen ?? all.first, all: all)
    }

    /// Whether nobody between can read along.
    func isSecure(_ request: Request, _ context: ServerContext) -> Bool {
        let listen = core.configuration.listen
        if listen.tls != nil { return true }
        guard let peer = context.peer, listen.trustedProxies.contains(where: { $0.contains(peer) }),
            let name = HTTPField.Name("x-forwarded-proto")
        else { return false }
        return request.headers.only(name) == "https"
    }

    /// The names that this server is asked by.
    var originCheck: OriginCheck {
        let configured = [
            core.configuration.listen.publicURL.flatMap { URL(string: $0)?.host() }, core.configuration.listen.host,
            settings.listen?.host,
        ].compactMap { $0?.lowercased() }
        return OriginCheck(admitsPrograms: false) { host in
            OriginCheck.isLoopback(host) || OriginCheck.name(of: host).map { configured.contains($0) } ?? false
        }
    }
}
