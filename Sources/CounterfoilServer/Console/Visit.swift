internal import AppStoreModels
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// A request of somebody who is signed in.
struct Visit: Sendable {
    let console: Console
    let request: Request
    let context: ServerContext
    let principal: Principal
    let selection: Console.Selection
    var fields = FormFields()

    func may(_ scope: APIScope) -> Bool { principal.scopes.contains(scope) }
    var mayWrite: Bool { !console.settings.isReadOnly }

    func parameter(_ name: String) -> String? {
        request.parameter(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A page, empty so far.
    func page(_ heading: String, foreign: String? = nil) -> ConsolePage {
        ConsolePage(heading, foreign: foreign, now: console.core.now)
    }

    /// A link to a page, which shows the same app and environment.
    func link(_ segments: String..., query: [(String, String)] = []) -> PageLink {
        PageLink(["console"] + segments, query: selection.query + query)
    }

    /// The path of the API. `isScoped` is for those routes that take an app and an environment.
    func target(_ segments: [String], _ query: [(String, String)] = [], isScoped: Bool = true) -> String {
        PageLink(["v1"] + segments, query: (isScoped ? selection.query : []) + query).description
    }

    func get(_ target: String) async throws -> ConsoleAPI.Answer {
        try await console.api.call(.get, target, for: context)
    }

    /// Adds what the API answered instead of what was asked for. Returns whether there is something to show.
    func accept(_ answer: ConsoleAPI.Answer, _ page: inout ConsolePage, _ what: String) -> Bool {
        if answer.isFine { return true }
        switch answer.status {
        case 403: page.paragraph("\(what): not allowed. \(answer.message)", "empty")
        case 404: page.paragraph("\(what): there is nothing, or no longer. \(answer.message)", "empty")
        case 503:
            page.problem = .init("\(what) cannot be read now", reasons: [answer.message])
            page.status = 503
        default:
            page.problem = .init("\(what) cannot be shown", reasons: [answer.message])
            page.status = answer.status
        }
        return false
    }

    private static let pages: [(String, [String], String)] = [
        ("Overview", [], "o"), ("Customers", ["customers"], "c"), ("Notifications", ["notifications"], "n"),
        ("Completeness", ["completeness"], "h"), ("Webhooks", ["webhooks"], "w"), ("Refunds", ["refunds"], "r"),
        ("Decode", ["decode"], "d"), ("Operations", ["operations"], "s"),
    ]

    func shell(_ page: ConsolePage) -> Shell {
        var shell = Shell(
            heading: page.heading, product: "Counterfoil", home: link(), assets: console.assets, version: "server")
        shell.foreignHeading = page.foreignHeading
        shell.up = page.up
        let segments = request.uri.path.split(separator: "/").dropFirst().map { String($0) }
        shell.navigation = Self.pages.map { title, path, key in
            .init(
                title, PageLink(["console"] + path, query: selection.query), isCurrent: path.first == segments.first,
                shortcut: key)
        }
        shell.choices =
            selection.all.count < 2
            ? []
            : selection.all.map { scope in
                .init(
                    selection.all.allSatisfy { $0.bundleID == scope.bundleID }
                        ? scope.environment.rawValue : "\(scope.bundleID) \(scope.environment.rawValue)",
                    PageLink(
                        ["console"] + segments.prefix(1),
                        query: [("app", scope.bundleID), ("environment", scope.environment.rawValue)]),
                    isCurrent: scope.id == selection.scope?.id)
            }
        shell.isSandbox = selection.scope.map { $0.environment != .production } ?? false
        shell.search = .init(
            PageLink("console", "customers"), label: "Search", text: parameter("q") ?? "", fields: selection.query)
        shell.account = .init(name: principal.name, signOut: PageLink("console", "sign-out"))
        shell.topics = page.topics
        shell.events = PageLink("console", "events")
        shell.theme = ConsoleCookies.theme(of: request)
        shell.themeAction = PageLink("console", "theme")
        if request.method == .get, let own = PageLink(own: request.uri.description) { shell.current = own }
        shell.notes = page.notes + (mayWrite ? [] : ["Read-only: the configuration lets nothing be changed here."])
        shell.problem = page.problem
        if case .simulator = console.core.configuration.clock {
            shell.clock = "simulated time \(console.core.now.formatted(.iso8601))"
        }
        shell.api = page.api.map { $0.hasPrefix("/") ? "GET " + $0 : $0 }
        shell.command = page.command
        return shell
    }

    func response(_ page: ConsolePage) -> Response {
        let html = console.library.page("page", page.values, in: shell(page))
        if parameter("fragment") != nil { return .page(PageLibrary.liveParts(of: html)) }
        return .page(html, status: .init(code: page.status))
    }
}
