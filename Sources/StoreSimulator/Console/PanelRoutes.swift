internal import AppStoreModels
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import WebConsole

/// The routes of the panel.
enum PanelRoutes {
    static func add(to router: Router<SimulatorContext>, _ slot: SimulatorSlot) {
        let state = PanelState()
        for path in ["/", "/customers/{name}", "/notifications/{name}"]
            + PanelPage.main.compactMap(\.page.segments.first).map({ "/" + $0 })
        {
            router.get(RouterPath(path)) { request, context -> Response in
                let panel = SimulatorPanel(simulator: try slot.get(), state: state)
                return page(try panelRequest(request, context), panel, request)
            }
        }
        router.post("/forms/{form}") { request, context -> Response in
            let panel = SimulatorPanel(simulator: try slot.get(), state: state)
            return try await send(request, context.parameters.get("form") ?? "", panel)
        }
        router.post("/theme") { request, _ -> Response in
            let fields = try await FormFields(request, upTo: 4096)
            let theme = fields["theme"].flatMap { Shell.Theme(rawValue: $0) }
            let back = fields["return"].flatMap { PageLink(own: $0) } ?? PageLink()
            return .seeOther(back, cookies: [ConsoleCookies.setTheme(theme)])
        }
        router.get("/events") { request, _ -> Response in try slot.get().core.pages.response(to: request) }
        router.get("/assets/{file}") { _, context -> Response in
            SimulatorPanel.assets.response(context.parameters.get("file") ?? "")
        }
    }

    private static func panelRequest(_ request: Request, _ context: SimulatorContext) throws -> PanelRequest {
        let query: FormFields
        do { query = try FormFields(encoded: (request.uri.query.map { String($0) } ?? "").utf8) } catch {
            throw HTTPError(.badRequest)
        }
        guard let page = PanelPage(PageLink.segments(of: request.uri.path), query) else { throw HTTPError(.notFound) }
        return PanelRequest(
            page: page, environment: query["environment"] == "sandbox" ? .sandbox : .production, query: query,
            theme: ConsoleCookies.theme(of: request))
    }

    private static func page(_ asked: PanelRequest, _ panel: SimulatorPanel, _ request: Request) -> Response {
        guard let html = panel.html(asked) else { return Response(status: .internalServerError) }
        let status = HTTPResponse.Status(code: panel.status(asked))
        return .page(asked.query.contains("fragment") ? PageLibrary.liveParts(of: html) : html, status: status)
    }

    /// Carries out a form, once, and leads to the page that shows what came of it. What cannot be done leads back to the form.
    private static func send(_ request: Request, _ name: String, _ panel: SimulatorPanel) async throws -> Response {
        let fields: FormFields
        do { fields = try await FormFields(request, upTo: 2 << 20) } catch FormFields.Problem.tooLarge {
            throw HTTPError(.contentTooLarge)
        } catch FormFields.Problem.notAForm { throw HTTPError(.unsupportedMediaType) } catch {
            throw HTTPError(.badRequest)
        }
        guard let action = PanelAction.all[name] else { throw HTTPError(.notFound) }
        var asked = PanelRequest(
            page: PanelPage(path: fields["page"] ?? "") ?? .customers,
            environment: fields["environment"] == "sandbox" ? .sandbox : .production, query: FormFields(),
            theme: ConsoleCookies.theme(of: request))
        let ticket = fields["ticket"]
        switch panel.state.tickets.use(ticket, for: name) {
        case .first: break
        case .again(let result): return .seeOther(result ?? asked.link(asked.page))
        case .unknown:
            let failure = ControlFailure(
                409, "form_expired", "The form was too old, or of an earlier run of the simulator. Here it is anew.")
            asked.mistake = .init(form: fields["form"] ?? name, fields: fields, failure: failure)
            return page(asked, panel, request)
        }
        do {
            if let question = try action.confirmation?(fields), fields["confirmed"] == nil {
                panel.state.tickets.giveBack(ticket)
                return .page(panel.confirmation(question, action: name, fields, asked))
            }
            let link = try await panel.carryOut(action, fields, asked)
            panel.state.tickets.finish(ticket, with: link)
            return .seeOther(link)
        } catch {
            panel.state.tickets.giveBack(ticket)
            asked.mistake = .init(form: fields["form"] ?? name, fields: fields, failure: ControlFailure(error))
            return page(asked, panel, request)
        }
    }
}
