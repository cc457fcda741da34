internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import WebConsole

/// The routes to sign in by a key or by a link of `counterfoil server console link`, and to sign out.
enum SignIn {
    /// The error for a request without a session.
    struct Required: Error {
        /// The page to show after signing in; nil for the requested page.
        var back: PageLink?
    }

    static func add(to router: Router<ServerContext>, _ console: Console) {
        router.get("/console/sign-in") { request, context in
            page(request, context, console, back: request.pageParameter("return"), problem: nil)
        }
        router.post("/console/sign-in") { request, context in try await signIn(request, context, console) }
        router.post("/console/sign-out") { request, context -> Response in
            let isSecure = console.isSecure(request, context)
            let token = ConsoleCookies.session(of: request, isSecure: isSecure)
            if let session = console.sessions.session(token) {
                audit("sign-out", session.key, session.id, request, context, console)
            }
            console.sessions.end(token)
            return .seeOther(
                PageLink("console", "sign-in"), cookies: [ConsoleCookies.endSession(isSecure: isSecure)])
        }
    }

    /// Returns the sign-in page: a form, or for a link a button, so that link previews do not use up the link.
    ///
    /// - Parameter back: The page to show after signing in.
    private static func page(
        _ request: Request, _ context: ServerContext, _ console: Console, back: String?, problem: String?,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var page = ConsolePage("Sign in")
        let back = (back.flatMap { PageLink(own: $0) } ?? PageLink("console")).description
        if !maySend(request, context, console) {
            // Show no form, so that no key is sent over an insecure connection.
            page.paragraph(plainHTTP, "empty")
        } else if let token = request.pageParameter("link") {
            if console.links?.isValid(token) ?? false {
                page.paragraph("This link signs you in once.")
                page.form(
                    PageLink("console", "sign-in"), [.hidden("link", token), .hidden("return", back)],
                    button: "Sign in")
            } else {
                page.paragraph(
                    "This link was used, or is older than two minutes. Make another: counterfoil server console link --name NAME",
                    "empty")
            }
        } else {
            page.paragraph("Paste a key of the configuration that has the scope console:open.")
            page.form(
                PageLink("console", "sign-in"),
                [.init("key", "API key", .password), .hidden("return", back)], button: "Sign in")
        }
        var shell = console.shell("Sign in", for: request)
        shell.current = PageLink("console", "sign-in")
        shell.command = "counterfoil server console link --name NAME"
        if let problem { shell.problem = .init("Not signed in", reasons: [problem]) }
        return .page(console.library.page("page", page.values, in: shell), status: status)
    }

    private static let plainHTTP = "Over plain HTTP only this machine can sign in. Use https."

    /// Whether a key or a link may be sent over this connection: HTTPS or loopback.
    private static func maySend(_ request: Request, _ context: ServerContext, _ console: Console) -> Bool {
        console.isSecure(request, context)
            || ClientAddress(of: request, from: context.peer, console.listen).isLocal
    }

    private static func signIn(
        _ request: Request, _ context: ServerContext, _ console: Console
    ) async throws -> Response {
        let isSecure = console.isSecure(request, context)
        let fields = try await FormFields(request, upTo: 16 << 10)
        // Keep the return page when a key was mistyped.
        func refuse(_ reason: String, _ status: HTTPResponse.Status) -> Response {
            console.audit.recordRefusedSignIn(request, context, result: "\(status.code)")
            return page(request, context, console, back: fields["return"], problem: reason, status: status)
        }
        guard maySend(request, context, console) else { return refuse(plainHTTP, .forbidden) }
        let client = ClientAddress(of: request, from: context.peer, console.listen)
        let address = client.address ?? "unknown"
        if let wait = console.failures.wait(of: address) {
            var response = refuse("Too many attempts failed. Wait for a minute.", .tooManyRequests)
            response.headers[.retryAfter] = String(Int(wait.rounded(.up)))
            return response
        }
        let key =
            if let link = fields["link"] {
                console.links?.redeem(link).flatMap { console.key(named: $0) }
            } else {
                console.key(text: fields.text("key"))
            }
        guard let key else {
            console.failures.recordFailure(of: address)
            return refuse(
                fields["link"] == nil
                    ? "This key is not known here, or lacks the scope console:open."
                    : "This link was used, or is older than two minutes.", .forbidden)
        }
        // End the browser's previous session.
        console.sessions.end(ConsoleCookies.session(of: request, isSecure: isSecure))
        let (token, session) = console.sessions.start(key: key.name, digest: key.digest, address: address)
        audit("sign-in", key.name, session.id, request, context, console)
        let back = fields["return"].flatMap { PageLink(own: $0) } ?? PageLink("console")
        return .seeOther(
            back.description.hasPrefix("/console") ? back : PageLink("console"),
            cookies: [ConsoleCookies.startSession(token, isSecure: isSecure)])
    }

    private static func audit(
        _ action: String, _ actor: String, _ session: String, _ request: Request, _ context: ServerContext,
        _ console: Console
    ) {
        var entry = console.audit.entry(request, context, result: "200")
        (entry.actor, entry.action, entry.session, entry.detail) = (actor, action, session, nil)
        console.audit.add(entry, context)
    }
}
