internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
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
        ("notifications/{id}", NotificationPage.make), ("refused", RefusedPage.make),
        ("completeness", CompletenessPage.make), ("recoveries/{id}", RecoveryPage.make),
        ("webhooks", WebhooksPage.make), ("webhooks/{name}", WebhookPage.make),
        ("webhooks/{name}/deliveries/{id}", DeliveryPage.make), ("refunds", RefundsPage.make),
        ("refunds/of", RefundPage.make),
        ("decode", DecodePage.make), ("operations", OperationsPage.make), ("operations/audit", AuditPage.make),
    ]

    static func responder(_ core: ServerCore, _ console: Console) -> some HTTPResponder<ServerContext> {
        let router = Router(context: ServerContext.self)
        router.addMiddleware {
            RequestMiddleware(logger: core.logger, requests: core.requests, spans: core.metrics.spans)
            ConsoleFailures(console: console)
            OriginGuard(console.originCheck) { refusal, request, context in
                core.audit.addAnonymous(
                    AuditEntry(
                        request, context, core, actor: "nobody", result: "403 \(refusal.rawValue)"))
                return message(
                    console, "Refused", "Another page or another name of this server sent this request.", .forbidden)
            }
        }
        router.get("/console/assets/{name}") { _, context in
            console.assets.response(context.parameters.get("name") ?? "")
        }
        SignIn.add(to: router, console)
        router.get("/console/events") { request, context -> Response in
            _ = try visit(request, context, console)
            return console.hub.response(to: request)
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
                return visit.response(try await page(visit))
            }
        }
        router.post("/console/decode") { request, context -> Response in
            var visit = try visit(request, context, console)
            visit.fields = try await FormFields(uploaded: request, upTo: 6 << 20)
            return visit.response(try await DecodePage.make(visit))
        }
        // A file, which a page cannot be. It is the API's answer.
        router.get("/console/operations/audit.csv") { request, context -> Response in
            let visit = try visit(request, context, console)
            let page = visit.parameter("page").map { [("page", $0)] } ?? []
            return try await console.api.response(
                .get, visit.target(["audit"], [("format", "csv")] + page, isScoped: false), for: visit.context)
        }
        ConsoleActions.add(to: router, console)
        return router.buildResponder()
    }

    /// Somebody who is signed in; anybody else is sent to where one signs in.
    static func visit(_ request: Request, _ context: ServerContext, _ console: Console) throws -> Visit {
        let isSecure = console.isSecure(request, context)
        guard let session = console.sessions.session(ConsoleCookies.session(of: request, isSecure: isSecure)),
            let principal = console.principal(of: session)
        else { throw SignIn.Needed() }
        var context = context
        (context.principal, context.session) = (principal, session.id)
        return Visit(
            console: console, request: request, context: context, principal: principal,
            selection: console.selection(of: request, for: principal))
    }

    /// A page without a frame for somebody who is not signed in.
    static func message(
        _ console: Console, _ title: String, _ text: String, _ status: HTTPResponse.Status
    ) -> Response {
        var shell = Shell(
            heading: title, product: "Counterfoil", home: PageLink("console"), assets: console.assets,
            version: "server")
        shell.themeAction = PageLink("console", "theme")
        if status.code >= 400 { shell.problem = .init(title, reasons: [text]) }
        let values: [String: PageValue] = [
            "paragraphs": .list([.foreign(text, limit: 1000)]),
            "links": .list([["url": .link(PageLink("console")), "title": "To the overview"]]),
        ]
        return .page(console.library.page("message", values, in: shell), status: status)
    }
}

/// Answers what failed with a page.
private struct ConsoleFailures: RouterMiddleware {
    let console: Console

    @concurrent func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch is SignIn.Needed {
            let target = request.method == .get ? [("return", request.uri.description)] : []
            return .seeOther(PageLink(["console", "sign-in"], query: target))
        } catch is FormFields.Problem {
            return ConsoleRoutes.message(console, "Refused", "This is not a form of this server.", .badRequest)
        } catch let failure as APIFailure {
            return ConsoleRoutes.message(console, "Refused", failure.message, failure.status)
        } catch let error as HTTPError where error.status == .notFound {
            return ConsoleRoutes.message(console, "Not found", "There is no such page.", .notFound)
        } catch let error as StorageError {
            FailureMiddleware(logger: console.core.logger, methods: AllowedMethods()).log(error, context)
            return ConsoleRoutes.message(
                console, "Not available",
                "The ledger cannot be used now (\(error.code.rawValue)). Request "
                    + "\(context.requestID) is in the log.", .serviceUnavailable)
        } catch {
            FailureMiddleware(logger: console.core.logger, methods: AllowedMethods()).log(error, context)
            return ConsoleRoutes.message(
                console, "Failed", "Something went wrong here. Request \(context.requestID) is in the log.",
                .internalServerError)
        }
    }
}
