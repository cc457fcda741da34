internal import AppStoreServer
internal import HTTPTypes
internal import Hummingbird
internal import WebConsole

/// An error page. Signed-in users see it with the navigation.
struct ErrorPage {
    var title: String
    var text: String
    /// The error code.
    var code: String
    var status: HTTPResponse.Status

    init(_ title: String, _ text: String, code: String, _ status: HTTPResponse.Status) {
        (self.title, self.text, self.code, self.status) = (title, text, code, status)
    }

    func response(to request: Request, _ context: ServerContext, _ console: Console) -> Response {
        guard let pageRequest = ConsoleRoutes.signedInPageRequest(request, context, console) else {
            return responseWithoutNavigation(to: request, context, console)
        }
        var page = pageRequest.page(title)
        (page.problem, page.status) = (problem(context), status.code)
        page.links([("To the overview", pageRequest.link())])
        return pageRequest.response(page)
    }

    /// Returns the page without the navigation, which only signed-in users have.
    func responseWithoutNavigation(to request: Request, _ context: ServerContext, _ console: Console) -> Response {
        var shell = console.shell(title, for: request)
        shell.problem = problem(context)
        let values: [String: PageValue] = [
            "links": .list([["url": .link(PageLink("console")), "title": "To the overview"]])
        ]
        return .page(console.library.page("message", values, in: shell), status: status)
    }

    private func problem(_ context: ServerContext) -> Shell.Problem {
        .init(title, reasons: [text, Self.reference(code, context)])
    }

    /// Returns the code and the request ID, to find the request in the log.
    static func reference(_ code: String, _ context: ServerContext) -> String {
        "Code \(code), request \(context.requestID)."
    }
}

extension Console {
    /// Returns the shell with the values that all pages have in common.
    func shell(_ heading: String, for request: Request) -> Shell {
        var shell = Shell(
            heading: heading, product: "Counterfoil", home: PageLink("console"), assets: assets,
            version: "Counterfoil \(AppStoreServerClient.version)")
        shell.theme = ConsoleCookies.theme(of: request)
        shell.themeAction = PageLink("console", "theme")
        return shell
    }
}
