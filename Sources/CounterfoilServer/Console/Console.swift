internal import AppStoreModels
internal import Basics
internal import Crypto
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
    let rendering = SharedRendering<Visit.Sharing>()
    /// What the configuration says of it.
    let settings: ServerConfiguration.Console

    init(_ core: ServerCore) throws {
        self.core = core
        settings = core.configuration.console
        sessions = core.sessions
        api = ConsoleAPI(core)
        library = try PageLibrary(ServerPages.files)
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

    /// The key of a session, as the configuration has it now. A session ends when its key does, or is replaced.
    func principal(of session: SessionStore.Session, countsAsUse: Bool = true) -> Principal? {
        guard let entry = core.access.current.keys[session.keyDigest], mayOpen(entry),
            entry.principal.name == session.key
        else {
            sessions.end { $0.id == session.id }
            return nil
        }
        if countsAsUse { entry.use.note() }
        let principal = entry.principal
        guard settings.isReadOnly else { return principal }
        let reading = principal.scopes.intersection(Self.readingScopes)
        return Principal(
            name: principal.name, scopes: reading, apps: principal.apps, environments: principal.environments)
    }

    /// The key of this text, if it opens the console.
    func key(text: String) -> SignInKey? {
        let digest = Data(SHA256.hash(data: Data(text.utf8)))
        guard let entry = core.access.current.keys[digest], mayOpen(entry) else { return nil }
        return SignInKey(name: entry.principal.name, digest: digest)
    }

    /// The key of this name, if it opens the console.
    func key(named name: String) -> SignInKey? {
        // A key that is being replaced is there twice: the same one each time.
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

    /// What may be seen where nothing may be done. Webhooks have one scope for both; the console asks nothing there then
    /// but to be shown them.
    private static let readingScopes: Set<APIScope> = [
        .customersRead, .supportRead, .operationsRead, .webhooksWrite, .auditRead, .consoleOpen,
    ]

    /// What a key sees of what the configuration serves. The ledger remembers more: what was taken out of the
    /// configuration, about which the API answers nothing.
    private func served(for principal: Principal) -> [Scope] {
        RequestResolver(apps: core.apps, scopes: core.scopes).served(for: principal)
    }

    /// What a key sees, and what is shown where nothing else is asked for: Production of the first app.
    func selection(for principal: Principal) -> Selection {
        let all = served(for: principal)
        return Selection(scope: all.first { $0.environment == .production } ?? all.first, all: all)
    }

    /// The app and environment that a query or a form names; without names, Production of the first app.
    ///
    /// - Throws: 404 where the key sees no such app and environment. Another one instead would be mistaken for it.
    func selection(
        app: String?, environment: String?, for principal: Principal
    ) throws(APIFailure) -> Selection {
        let all = served(for: principal)
        let (app, environment) = (app.flatMap(Self.name), environment.flatMap(Self.name))
        let possible = all.filter { scope in
            (app.map { $0 == scope.bundleID } ?? true) && (environment.map { $0 == scope.environment.rawValue } ?? true)
        }
        if possible.isEmpty, app != nil || environment != nil {
            let name = [app, environment].compactMap { $0?.prefix(100) }.joined(separator: " ")
            throw APIFailure(
                .notFound, "unknown_app",
                "The key \(principal.name) sees no \(name) here. It may be gone from the configuration.",
                parameter: app == nil ? "environment" : "app")
        }
        return Selection(scope: possible.first { $0.environment == .production } ?? possible.first, all: all)
    }

    private static func name(_ text: String) -> String? { text.isEmpty ? nil : text }

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
        ].compactMap(\.self)
        return OriginCheck(admitsPrograms: false) { host in
            OriginCheck.isLoopback(host) || OriginCheck.isNamed(host, oneOf: configured)
        }
    }
}
