internal import AppStoreModels
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import WebConsole

/// The routes of the panel.
enum PanelRoutes {
    static func add(to router: Router<SimulatorContext>, _ holder: SimulatorHolder, _ state: PanelState) {
        for path in ["/", "/customers/{name}", "/notifications/{name}"]
            + PanelPage.main.compactMap(\.page.segments.first).map({ "/" + $0 })
        {
            router.get(RouterPath(path)) { request, _ -> Response in
                let panel = SimulatorPanel(simulator: try holder.get(), state: state)
                return page(try panelRequest(request), panel)
            }
        }
        router.post("/forms/{form}") { request, context -> Response in
            let panel = SimulatorPanel(simulator: try holder.get(), state: state)
            return try await send(request, context.parameters.get("form") ?? "", panel)
        }
        router.post("/theme") { request, _ in
            try await ConsoleCookies.response(toThemeForm: request, home: PageLink())
        }
        router.get("/events") { request, _ -> Response in try holder.get().core.pages.response(to: request) }
        router.get("/assets/{file}") { _, context -> Response in
            SimulatorPanel.assets.response(context.parameters.get("file") ?? "")
        }
    }

    /// Returns the page for an unknown path; nil unless the client accepts HTML.
    static func missing(_ request: Request, _ simulator: Simulator, _ state: PanelState) -> Response? {
        guard request.method == .get || request.method == .head,
            request.headers[.accept]?.contains("text/html") == true
        else { return nil }
        let panelRequest = PanelRequest(
            page: .unknown(request.uri.path), environment: .production, query: FormFields(),
            theme: ConsoleCookies.theme(of: request))
        return page(panelRequest, SimulatorPanel(simulator: simulator, state: state))
    }

    private static func panelRequest(_ request: Request) throws -> PanelRequest {
        let query: FormFields
        do { query = try FormFields(encoded: (request.uri.query.map { String($0) } ?? "").utf8) } catch {
            throw HTTPError(.badRequest)
        }
        guard let page = PanelPage(PageLink.segments(of: request.uri.path)) else { throw HTTPError(.notFound) }
        return PanelRequest(
            page: page, environment: environment(named: query["environment"]), query: query,
            theme: ConsoleCookies.theme(of: request))
    }

    /// Returns the environment with a name in either case: the server's console writes `Sandbox`.
    private static func environment(named name: String?) -> AppStoreEnvironment {
        name?.lowercased() == "sandbox" ? .sandbox : .production
    }

    private static func page(_ request: PanelRequest, _ panel: SimulatorPanel) -> Response {
        let page = panel.page(request)
        guard let html = page.html else { return Response(status: .internalServerError) }
        let status = HTTPResponse.Status(code: page.status)
        return .page(request.query.contains("fragment") ? PageLibrary.liveParts(of: html) : html, status: status)
    }

    /// Performs the action of a form, once for each ticket, and redirects to the page with the result. If the action is
    /// refused, shows the form again.
    private static func send(_ request: Request, _ name: String, _ panel: SimulatorPanel) async throws -> Response {
        let fields: FormFields
        do { fields = try await FormFields(request, upTo: 2 << 20) } catch FormFields.Problem.tooLarge {
            throw HTTPError(.contentTooLarge)
        } catch FormFields.Problem.notAForm { throw HTTPError(.unsupportedMediaType) } catch {
            throw HTTPError(.badRequest)
        }
        guard let action = PanelAction.all[name] else { throw HTTPError(.notFound) }
        let target = PanelRequest(
            page: PanelPage(path: fields["page"] ?? "") ?? .customers,
            environment: environment(named: fields["environment"]), query: FormFields(),
            theme: ConsoleCookies.theme(of: request))
        func refused(_ failure: ControlFailure) -> Response {
            var form = target
            form.formFailure = .init(form: fields["form"] ?? name, fields: fields, failure: failure)
            return page(form, panel)
        }
        let response = try await panel.state.tickets.once(fields["ticket"], for: name) {
            do {
                if let question = try action.confirmation?(fields), fields["confirmed"] == nil {
                    guard let html = panel.confirmation(question, action: name, fields, target).html else {
                        return .notDone(Response(status: .internalServerError))
                    }
                    return .notDone(.page(html))
                }
                let link = try await panel.perform(action, fields, target)
                return .done(.seeOther(link), later: link)
            } catch {
                return .notDone(refused(ControlFailure(error)))
            }
        }
        return response
            ?? refused(
                ControlFailure(
                    409, "form_expired",
                    "The form was too old, or from an earlier run of the simulator. Submit it again."))
    }
}
