internal import Basics
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// Signing in by a key, or by a link that `counterfoil server console link` makes; and signing out.
enum SignIn {
    /// Nobody is signed in.
    struct Needed: Error {}

    static func add(to router: Router<ServerContext>, _ console: Console) {
        router.get("/console/sign-in") { request, context in page(request, context, console, problem: nil) }
        router.post("/console/sign-in") { request, context in try await signIn(request, context, console) }
        router.post("/console/sign-out") { request, context -> Response in
            let isSecure = console.isSecure(request, context)
            let token = ConsoleCookies.session(of: request, isSecure: isSecure)
            if let session = console.sessions.session(token) {
                note("sign-out", session.key, session.id, "200", request, context, console)
            }
            console.sessions.end(token)
            return .seeOther(
                PageLink("console", "sign-in"), cookies: [ConsoleCookies.endSession(isSecure: isSecure)])
        }
    }

    /// The form; or, for a link, a button: programs that preview links must not use it up.
    private static func page(
        _ request: Request, _ context: ServerContext, _ console: Console, problem: String?,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var page = ConsolePage("Sign in")
        let back = request.parameter("return") ?? "/console"
        if let token = request.parameter("link") {
            if console.links?.isGood(token) ?? false {
                page.paragraph("This link signs you in once.")
                page.form(
                    PageLink("console", "sign-in"), [.hidden("link", token), .hidden("return", back)],
                    button: "Sign in")
            } else {
                page.paragraph(
                    "This link was used, or is older than two minutes. Make another: counterfoil server console link --key NAME",
                    "empty")
            }
        } else {
            page.paragraph("Paste a key of the configuration that has the scope console:open.")
            page.form(
                PageLink("console", "sign-in"),
                [.init(name: "key", label: "API key", type: "password"), .hidden("return", back)], button: "Sign in")
        }
        var shell = Shell(
            heading: "Sign in", product: "Counterfoil", home: PageLink("console"), assets: console.assets,
            version: "server")
        shell.themeAction = PageLink("console", "theme")
        shell.theme = ConsoleCookies.theme(of: request)
        shell.current = PageLink("console", "sign-in")
        shell.command = "counterfoil server console link --key NAME"
        if let problem { shell.problem = .init("Not signed in", reasons: [problem]) }
        return .page(console.library.page("page", page.values, in: shell), status: status)
    }

    private static func signIn(
        _ request: Request, _ context: ServerContext, _ console: Console
    ) async throws -> Response {
        let client = ClientAddress(of: request, from: context.peer, console.core.configuration.listen)
        let isSecure = console.isSecure(request, context)
        func refuse(_ reason: String, _ status: HTTPResponse.Status) -> Response {
            console.core.audit.addAnonymous(
                AuditEntry(request, context, console.core, actor: "nobody", result: "\(status.code)"))
            return page(request, context, console, problem: reason, status: status)
        }
        guard isSecure || client.isThisMachine else {
            return refuse("Over plain HTTP only this machine may sign in. Use https.", .forbidden)
        }
        let address = client.address ?? "unknown"
        guard !console.failures.isBlocked(address) else {
            return refuse("Too many attempts failed. Wait for a minute.", .tooManyRequests)
        }
        let fields = try await FormFields(request, upTo: 16 << 10)
        let name: String?
        if let link = fields["link"] {
            name = console.links?.redeem(link)
        } else {
            let digest = Data(SHA256.hash(data: Data((fields["key"] ?? "").utf8)))
            name = console.core.access.current.keys[digest]?.principal.name
        }
        guard let name, console.principal(named: name) != nil else {
            console.failures.recordFailure(of: address)
            return refuse(
                fields["link"] == nil
                    ? "This key is not known here, or lacks the scope console:open."
                    : "This link was used, or is older than two minutes.", .forbidden)
        }
        // What the browser had before counts for nothing.
        console.sessions.end(ConsoleCookies.session(of: request, isSecure: isSecure))
        let (token, session) = console.sessions.start(key: name, address: address)
        note("sign-in", name, session.id, "200", request, context, console)
        let back = fields["return"].flatMap { PageLink(own: $0) } ?? PageLink("console")
        return .seeOther(
            back.description.hasPrefix("/console") ? back : PageLink("console"),
            cookies: [ConsoleCookies.startSession(token, isSecure: isSecure)])
    }

    private static func note(
        _ action: String, _ actor: String, _ session: String, _ result: String, _ request: Request,
        _ context: ServerContext, _ console: Console
    ) {
        var entry = AuditEntry(request, context, console.core, actor: actor, result: result)
        (entry.action, entry.session, entry.detail) = (action, session, nil)
        console.core.audit.add(entry)
    }
}
