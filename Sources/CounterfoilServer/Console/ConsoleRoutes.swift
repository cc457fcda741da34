internal import HTTPTypes
internal import Hummingbird
internal import LedgerServices
internal import WebConsole

/// The routes of the console. All of them are protected by the origin check.
enum ConsoleRoutes {
    typealias Handler = @Sendable (PageRequest) async throws -> ConsolePage

    /// Returns the pages with their paths below `/console`. Most of them show only what the API returns.
    static func pages(_ core: ServerCore) -> [(path: String, page: Handler)] {
        [
            ("", OverviewPage(storage: core.storage, readiness: core.readiness).make),
            ("customers", CustomersPage(storage: core.storage).make), ("customers/{id}", CustomerPage.make),
            ("customers/{id}/explain/{key}", ExplanationPage.make), ("transactions/{id}", TransactionPage.make),
            ("orders/{id}", OrderPage.make), ("notifications", NotificationsPage.make),
            ("notifications/refused", RefusedPage.make), ("notifications/{id}", NotificationPage.make),
            ("completeness", CompletenessPage.make), ("recoveries/{id}", RecoveryPage.make),
            ("webhooks", WebhooksPage.make), ("webhooks/{name}", WebhookPage.make),
            ("webhooks/{name}/deliveries/{id}", DeliveryPage.make), ("refunds", RefundsPage.make),
            ("refunds/of", RefundPage.make), ("events/{id}", EventPage.make), ("decode", DecodePage.make),
            ("operations", OperationsPage(history: core.history, metrics: core.metrics).make),
            ("operations/audit", AuditPage.make), ("operations/configuration", ConfigurationPage.make),
        ]
    }

    /// The first parts of the paths of pages that missing notifications make incomplete.
    private static let pagesAboutPurchases: Set<Substring> = ["customers", "transactions", "notifications", "refunds"]

    static func responder(_ core: ServerCore, _ console: Console) -> some HTTPResponder<ServerContext> {
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        let (limits, storage, recovery) = (core.configuration.limits, core.storage, core.recovery)
        let methods = AllowedMethods()
        router.addMiddleware {
            RequestMiddleware(logger: core.logger, requests: core.requests, spans: core.metrics.spans)
            ConsoleFailures(console: console, methods: methods)
            RequestTimeLimit(watch: core.watch)
            OriginGuard(console.originCheck) { refusal, request, context in
                console.audit.recordAnonymous(request, context, result: "403 \(refusal.rawValue)")
                return ErrorPage(
                    "Refused", "The request came from another site, or used an unknown host name of this server.",
                    code: refusal.rawValue, .forbidden
                ).responseWithoutNavigation(to: request, context, console)
            }
            // The sign-in forms accept requests without a session.
            BodyLimit(bytes: limits.requestBytes, budget: core.bodies, listen: console.listen)
        }
        router.get("/console/assets/{name}") { _, context in
            console.assets.response(context.parameters.get("name") ?? "")
        }
        SignIn.add(to: router, console)
        router.get("/console/events") { request, context -> Response in
            let pageRequest = try pageRequest(request, context, console)
            // Require the scopes as in the API's stream: a topic reveals when a customer's data changes.
            try ChangeTopic.requireScopes(for: request, in: pageRequest.context)
            let (owner, audience) = (pageRequest.principal.name, pageRequest.principal.audience)
            return console.changes.response(to: request, for: owner, in: audience) {
                mayFollow(request, context, in: audience, console)
            }
        }
        router.post("/console/theme") { request, _ in
            try await ConsoleCookies.response(toThemeForm: request, home: PageLink("console"))
        }
        for (path, page) in pages(core) {
            router.get(RouterPath("/console" + (path.isEmpty ? "" : "/" + path))) { request, context in
                let pageRequest = try pageRequest(request, context, console)
                guard pageRequest.context.isRefetch else {
                    var shown = try await page(pageRequest)
                    // The overview has its own note about the backlog.
                    if !path.isEmpty { try await pageRequest.addNoteOfBacklog(of: storage, to: &shown) }
                    if Self.pagesAboutPurchases.contains(path.prefix(while: { $0 != "/" })) {
                        pageRequest.addNoteOfGap(of: recovery, to: &shown)
                    }
                    return pageRequest.response(shown)
                }
                return .page(try await liveParts(pageRequest, page))
            }
        }
        // The former path; links in tickets may still use it.
        router.get("/console/refused") { request, _ -> Response in
            .seeOther(PageLink(["console", "notifications", "refused"], query: request.pageQuery))
        }
        router.post("/console/decode") { request, context -> Response in
            var pageRequest: PageRequest
            do { pageRequest = try ConsoleRoutes.pageRequest(request, context, console) } catch is SignIn.Required {
                throw SignIn.Required(back: PageLink("console", "decode"))
            }
            pageRequest.fields = try await FormFields(uploaded: request, upTo: 6 << 20)
            return pageRequest.response(try await DecodePage.make(pageRequest))
        }
        // A download: the API's response is passed on, unless it is an error.
        router.get("/console/operations/audit.csv") { request, context -> Response in
            let pageRequest = try pageRequest(request, context, console)
            let query =
                [("format", "csv"), ("limit", "\(ListFormat.csv.maximumPageSize)")] + AuditPage.query(pageRequest)
            var response = try await console.api.response(
                .get, pageRequest.target(["audit"], query, isScoped: false),
                for: pageRequest.context)
            guard response.status == .ok else { throw try await ConsoleAPI.APIResponse(response).failure }
            for header in ConsoleHeaders.all { response.headers[header.name] = header.value }
            return response
        }
        ConsoleActions.add(to: router, console)
        methods.setRoutes(router.routes.map { ($0.path.description, $0.method.rawValue) })
        return router.buildResponder()
    }

    /// Returns the parts of a page that an open page replaces, rendered once for all requests that may share them.
    private static func liveParts(_ pageRequest: PageRequest, _ page: Handler) async throws -> String {
        guard let sharing = pageRequest.sharing else { return try pageRequest.liveParts(of: await page(pageRequest)) }
        return try await pageRequest.console.rendering.shared(sharing) {
            try pageRequest.liveParts(of: await page(pageRequest))
        }
    }

    /// Returns the page request of a signed-in user, with the requested app and environment.
    ///
    /// - Throws: ``SignIn/Required`` without a session; 404 if the key has no access to the app and environment.
    static func pageRequest(_ request: Request, _ context: ServerContext, _ console: Console) throws -> PageRequest {
        guard var pageRequest = signedInPageRequest(request, context, console) else { throw SignIn.Required() }
        pageRequest.selection = try console.selection(
            app: request.pageParameter("app"), environment: request.pageParameter("environment"),
            for: pageRequest.principal)
        return pageRequest
    }

    /// Returns the page request of a signed-in user with the default app and environment; nil without a session.
    static func signedInPageRequest(_ request: Request, _ context: ServerContext, _ console: Console) -> PageRequest? {
        let isRefetch = isRefetch(request)
        guard let (session, principal) = console.signedIn(request, context, countsAsUse: !isRefetch) else { return nil }
        let changes = console.changes.lastChange(for: principal.audience)
        var context = context
        (context.principal, context.session, context.isRefetch) = (principal, session.id, isRefetch)
        return PageRequest(
            console: console, request: request, context: context, principal: principal,
            selection: console.selection(for: principal), changes: changes)
    }

    /// Whether a stream may continue: the session is still open, and its key is for the same apps and may follow the
    /// topics. This check does not count as use of the session.
    private static func mayFollow(
        _ request: Request, _ context: ServerContext, in audience: String, _ console: Console
    ) -> Bool {
        guard let principal = console.signedIn(request, context, countsAsUse: false)?.principal,
            principal.audience == audience
        else { return false }
        var context = context
        context.principal = principal
        do { try ChangeTopic.requireScopes(for: request, in: context) } catch { return false }
        return true
    }

    /// Whether the request is from the script of an open page and not from a navigation of the user.
    static func isRefetch(_ request: Request) -> Bool {
        guard request.method == .get else { return false }
        return request.uri.path == "/console/events" || !(request.parameter("fragment") ?? "").isEmpty
    }
}
