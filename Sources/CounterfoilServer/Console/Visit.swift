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
    var selection: Console.Selection
    /// What the stream has told before the page was made.
    let changes: Int
    var fields = FormFields()

    func may(_ scope: APIScope) -> Bool { principal.scopes.contains(scope) }
    var mayWrite: Bool { !console.settings.isReadOnly }

    func parameter(_ name: String) -> String? {
        request.pageParameter(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The instant that the page is of, in milliseconds; what is no instant as it is, for the API to refuse.
    var instant: String? {
        parameter("at").map { text in
            InstantText.milliseconds(text, acceptsDays: true).map { String($0) } ?? text
        }
    }

    /// A page, empty so far.
    func page(_ heading: String, foreign: String? = nil) -> ConsolePage {
        var page = ConsolePage(heading, foreign: foreign, now: console.core.now)
        page.place = place
        return page
    }

    /// A link to a page, which shows the same app and environment.
    func link(_ segments: String..., query: [(String, String)] = []) -> PageLink {
        PageLink(["console"] + segments, query: selection.query + query)
    }

    /// The path of the API. `isScoped` is for those routes that take an app and an environment.
    func target(_ segments: [String], _ query: [(String, String)] = [], isScoped: Bool = true) -> String {
        // Names of dots are encoded: no browser reads this path.
        let path = (["v1"] + segments).map {
            [".", ".."].contains($0) ? $0.replacing(".", with: "%2E") : $0.percentEncoded
        }
        let query = ((isScoped ? selection.query : []) + query)
            .map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }
        return "/" + path.joined(separator: "/") + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    func get(_ target: String) async throws -> ConsoleAPI.Answer {
        try await console.api.call(.get, target, for: context)
    }

    func ask(_ request: ConsoleRequest) async throws -> ConsoleAPI.Answer {
        let body = request.body.isEmpty ? nil : try JSONSerialization.data(withJSONObject: request.body)
        return try await console.api.call(
            request.method, target(request.path, isScoped: request.isScoped), body: body, for: context)
    }

    /// What the API answers, if there is something to show; otherwise the page gets what it answered instead.
    func read(
        _ target: String, _ page: inout ConsolePage, _ what: String, isPart: Bool = false
    ) async throws -> APIValue? {
        let answer = try await get(target)
        return accept(answer, &page, what, isPart: isPart) ? answer.json : nil
    }

    /// Adds what the API answered instead of what was asked for. Returns whether there is something to show.
    ///
    /// - Parameter isPart: Whether the page shows other things as well: it stays a page then.
    func accept(
        _ answer: ConsoleAPI.Answer, _ page: inout ConsolePage, _ what: String, isPart: Bool = false
    ) -> Bool {
        if answer.isFine { return true }
        let title =
            switch answer.status {
            case 403: "\(what): not allowed"
            case 404: "\(what): there is nothing, or no longer"
            case 503: "\(what) cannot be read now"
            default: "\(what) cannot be shown"
            }
        // Others who may see the same share what is made for one of them, so that no name of a key may be in it.
        let message = answer.message.replacing("key \(principal.name) ", with: "key ")
        let reference = ErrorPage.reference(answer.code ?? "\(answer.status)", context)
        if isPart, answer.status == 403 || answer.status == 404 {
            page.paragraph("\(title). \(message) \(reference)", "empty")
        } else {
            page.problem = .init(title, reasons: [message, reference])
            page.status = answer.status
            // To follow it would only repeat what the page says.
            if answer.status == 403 || answer.status == 404 { page.topics = [] }
        }
        return false
    }

    /// Says that the key may not see a page. Returns whether it may.
    func has(_ scope: APIScope, for what: String, _ page: inout ConsolePage) -> Bool {
        if may(scope) { return true }
        page.problem = .init("\(what): not allowed", reasons: ["The key lacks the scope \(scope.rawValue)."])
        page.status = 403
        return false
    }

    /// How long what was received may wait before pages say that they do not show it yet, in seconds.
    private static let longestWait: TimeInterval = 60

    /// Says so where what was received is not in what pages show.
    func sayWhatIsBehind(on page: inout ConsolePage) async throws {
        guard let oldest = try await console.core.storage.backlog().oldest else { return }
        let since = Date(milliseconds: oldest)
        guard console.core.now.timeIntervalSince(since) > Self.longestWait else { return }
        page.notes.append(
            "The ledger is behind since \(since.consoleText): what was received from then on is not shown yet.")
    }

    private static let pages: [(String, [String], String)] = [
        ("Overview", [], "o"), ("Customers", ["customers"], "c"), ("Notifications", ["notifications"], "n"),
        ("Completeness", ["completeness"], "h"), ("Webhooks", ["webhooks"], "w"), ("Refunds", ["refunds"], "r"),
        ("Decode", ["decode"], "d"), ("Operations", ["operations"], "s"),
    ]

    /// The page of the navigation that pages elsewhere belong to.
    private static let parents = [
        "transactions": "customers", "orders": "customers", "events": "customers", "recoveries": "completeness",
    ]

    func shell(_ page: ConsolePage) -> Shell {
        var shell = console.shell(page.heading, for: request)
        shell.home = link()
        shell.foreignHeading = page.foreignHeading
        shell.up = page.up
        let segments = request.uri.path.split(separator: "/").dropFirst().map { String($0) }
        let place = segments.first.map { Self.parents[$0] ?? $0 }
        // Of what there is in one environment there is nothing in another, nor of a form that was sent.
        let section = Self.pages.first { $0.1.first == place }?.1 ?? []
        shell.navigation = Self.pages.map { title, path, key in
            .init(
                title, PageLink(["console"] + path, query: selection.query), isCurrent: path.first == place,
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
                        ["console"] + section,
                        query: [("app", scope.bundleID), ("environment", scope.environment.rawValue)]),
                    isCurrent: scope.id == selection.scope?.id)
            }
        shell.isSandbox = selection.scope.map { $0.environment != .production } ?? false
        shell.search = .init(
            PageLink("console", "customers"), label: "Search", text: parameter("q") ?? "", fields: selection.query)
        shell.account = .init(name: principal.name, signOut: PageLink("console", "sign-out"))
        shell.events = PageLink("console", "events")
        shell.since = changes
        // A page that cannot be asked for again follows nothing.
        if request.method == .get, let here = self.place.here {
            (shell.current, shell.topics) = (here, page.topics)
        }
        shell.notes = page.notes + (mayWrite ? [] : ["Read-only: the configuration lets nothing be changed here."])
        shell.problem = page.problem
        if case .simulator = console.core.configuration.clock {
            let mode = console.core.clock.followed?.mode.map { ", \($0)" } ?? ""
            shell.clock = "simulated time \(console.core.now.consoleText)\(mode)"
        }
        shell.api = page.api.map { $0.hasPrefix("/") ? "GET " + $0 : $0 }
        shell.command = page.command ?? page.api.map { command(for: $0) }
        return shell
    }

    /// A whole page.
    func response(_ page: ConsolePage) -> Response {
        .page(html(page), status: .init(code: page.status))
    }

    /// What an open page replaces of itself. Nothing in it is of one session alone: forms stand outside.
    ///
    /// - Throws: What the page says that is wrong: then the open page keeps what it has.
    func liveParts(of page: ConsolePage) throws(APIFailure) -> String {
        guard page.status < 400 else {
            let sentences = page.problem.map { [$0.title] + $0.reasons } ?? []
            throw APIFailure(.init(code: page.status), "unavailable", sentences.joined(separator: ": "))
        }
        return PageLibrary.liveParts(of: html(page))
    }

    private func html(_ page: ConsolePage) -> String {
        var page = page
        // A stream is refused as a whole for a topic that the key may not follow.
        page.topics = page.topics.filter { ChangeTopic.scopes(of: $0).contains(where: may) }
        if !context.isRefetch { console.core.changes.expect(page.topics) }
        return console.library.page("page", page.values, in: shell(page))
    }

    /// Who gets the same live parts as this visit.
    struct Sharing: Hashable, Sendable {
        /// The path and the query.
        var target: String
        /// Who may see less does not get what others may see.
        var scopes: Set<APIScope>
        var apps: Set<String>?
        var environments: Set<String>?
    }

    /// Nil where everybody who reads it has an entry of their own in the audit log.
    var sharing: Sharing? {
        let path = request.uri.path
        let isOfCustomer = path.hasPrefix("/console/customers/") || path.hasPrefix("/console/refunds/")
        if console.settings.auditsReads, isOfCustomer { return nil }
        return Sharing(
            target: request.uri.description, scopes: principal.scopes, apps: principal.apps,
            environments: principal.environments.map { Set($0.map(\.rawValue)) })
    }
}
