internal import Ledger
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LedgerServices
internal import Logging
internal import WebConsole

/// Says which path of the console leads where. All of it stands behind the check of the origin.
enum ConsoleRoutes {
    typealias Handler = @Sendable (Visit) async throws -> ConsolePage

    /// The pages, by their paths below `/console`.
    static let pages: [(path: String, page: Handler)] = [
        ("", OverviewPage.make), ("customers", CustomersPage.make), ("customers/{id}", CustomerPage.make),
        ("customers/{id}/explain/{key}", ExplanationPage.make), ("transactions/{id}", TransactionPage.make),
        ("orders/{id}", OrderPage.make), ("notifications", NotificationsPage.make),
        ("notifications/refused", RefusedPage.make), ("notifications/{id}", NotificationPage.make),
        ("completeness", CompletenessPage.make), ("recoveries/{id}", RecoveryPage.make),
        ("webhooks", WebhooksPage.make), ("webhooks/{name}", WebhookPage.make),
        ("webhooks/{name}/deliveries/{id}", DeliveryPage.make), ("refunds", RefundsPage.make),
        ("refunds/of", RefundPage.make), ("events/{id}", EventPage.make),
        ("decode", DecodePage.make), ("operations", OperationsPage.make), ("operations/audit", AuditPage.make),
        ("operations/configuration", ConfigurationPage.make),
    ]

    static func responder(_ core: ServerCore, _ console: Console) -> some HTTPResponder<ServerContext> {
        let router = Router(context: ServerContext.self)
        let (limits, listen) = (core.configuration.limits, core.configuration.listen)
        router.addMiddleware {
            RequestMiddleware(logger: core.logger, requests: core.requests, spans: core.metrics.spans)
            ConsoleFailures(console: console)
            RequestTimeLimit(watch: core.watch)
            OriginGuard(console.originCheck) { refusal, request, context in
                core.requestAudit.noteAnonymous(request, context, result: "403 \(refusal.rawValue)")
                return ErrorPage(
                    "Refused", "Another page or another name of this server sent this request.",
                    code: refusal.rawValue, .forbidden
                ).bare(to: request, context, console)
            }
            // Anybody can send the forms for signing in.
            BodyLimit(bytes: limits.requestBytes, budget: core.bodies, listen: listen)
        }
        router.get("/console/assets/{name}") { _, context in
            console.assets.response(context.parameters.get("name") ?? "")
        }
        SignIn.add(to: router, console)
        router.get("/console/events") { request, context -> Response in
            let visit = try visit(request, context, console)
            // As for the stream of the API: a topic says when something changes for a customer.
            try ChangeTopic.requireScopes(for: request, in: visit.context)
            return console.core.changes.response(to: request) { mayFollow(request, context, console) }
        }
        router.post("/console/theme") { request, _ -> Response in
            let fields = try await FormFields(request)
            let theme = fields["theme"].flatMap { Shell.Theme(rawValue: $0) }
            let back = fields["return"].flatMap { PageLink(own: $0) } ?? PageLink("console")
            return .seeOther(back, cookies: [ConsoleCookies.setTheme(theme)])
        }
        for (path, page) in pages {
            router.get(RouterPath("/console" + (path.isEmpty ? "" : "/" + path))) { request, context in
                let visit = try visit(request, context, console)
                guard visit.context.isRefetch else {
                    var shown = try await page(visit)
                    // The overview says it by itself.
                    if !path.isEmpty { try await visit.sayWhatIsBehind(on: &shown) }
                    return visit.response(shown)
                }
                guard let sharing = visit.sharing else { return .page(try visit.liveParts(of: try await page(visit))) }
                return .page(
                    try await console.rendering.shared(sharing) { try visit.liveParts(of: try await page(visit)) })
            }
        }
        // Where it was before; a link in a ticket still leads there.
        router.get("/console/refused") { request, _ -> Response in
            .seeOther(PageLink(["console", "notifications", "refused"], query: request.pageQuery))
        }
        router.post("/console/decode") { request, context -> Response in
            var visit: Visit
            do { visit = try ConsoleRoutes.visit(request, context, console) } catch is SignIn.Needed {
                throw SignIn.Needed(back: PageLink("console", "decode"))
            }
            visit.fields = try await FormFields(uploaded: request, upTo: 6 << 20)
            return visit.response(try await DecodePage.make(visit))
        }
        // A file, which a page cannot be. It is the API's answer, unless that is an error.
        router.get("/console/operations/audit.csv") { request, context -> Response in
            let visit = try visit(request, context, console)
            let page = visit.parameter("page").map { [("page", $0)] } ?? []
            let size = [("limit", String(SegmentFormat.csv.largestPage))]
            var response = try await console.api.response(
                .get, visit.target(["audit"], [("format", "csv")] + size + page, isScoped: false), for: visit.context)
            guard response.status == .ok else { throw try await ConsoleAPI.Answer(response).failure }
            for header in ConsoleHeaders.all { response.headers[header.name] = header.value }
            return response
        }
        ConsoleActions.add(to: router, console)
        return router.buildResponder()
    }

    /// Somebody who is signed in; anybody else is sent to where one signs in.
    ///
    /// - Throws: 404 where the key sees no such app and environment.
    static func visit(_ request: Request, _ context: ServerContext, _ console: Console) throws -> Visit {
        guard var visit = visitor(request, context, console) else { throw SignIn.Needed() }
        visit.selection = try console.selection(
            app: request.pageParameter("app"), environment: request.pageParameter("environment"), for: visit.principal)
        return visit
    }

    /// Somebody who is signed in, whatever they ask for; nil for anybody else.
    static func visitor(_ request: Request, _ context: ServerContext, _ console: Console) -> Visit? {
        let changes = console.core.changes.lastChange
        let isSecure = console.isSecure(request, context)
        let isRefetch = isRefetch(request)
        guard
            let session = console.sessions.session(
                ConsoleCookies.session(of: request, isSecure: isSecure), countsAsUse: !isRefetch),
            let principal = console.principal(of: session, countsAsUse: !isRefetch)
        else { return nil }
        var context = context
        (context.principal, context.session, context.isRefetch) = (principal, session.id, isRefetch)
        return Visit(
            console: console, request: request, context: context, principal: principal,
            selection: console.selection(for: principal), changes: changes)
    }

    /// Whether a stream may go on: its session is still open, and the key of it may follow the topics. To ask is no use of the
    /// session.
    private static func mayFollow(_ request: Request, _ context: ServerContext, _ console: Console) -> Bool {
        let token = ConsoleCookies.session(of: request, isSecure: console.isSecure(request, context))
        guard let session = console.sessions.session(token, countsAsUse: false),
            let principal = console.principal(of: session, countsAsUse: false)
        else { return false }
        var context = context
        context.principal = principal
        do { try ChangeTopic.requireScopes(for: request, in: context) } catch { return false }
        return true
    }

    /// Whether the script of an open page asks, and nobody who looks at the answer itself.
    static func isRefetch(_ request: Request) -> Bool {
        guard request.method == .get else { return false }
        return request.uri.path == "/console/events" || !(request.parameter("fragment") ?? "").isEmpty
    }
}
