internal import AppStoreModels
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// A request of a signed-in user for a console page or an action, with all that rendering the response needs.
struct PageRequest: Sendable {
    let console: Console
    let request: Request
    let context: ServerContext
    let principal: Principal
    var selection: Console.Selection
    /// The number of the last published change before the page was made.
    let changes: Int
    var fields = FormFields()

    func may(_ scope: APIScope) -> Bool { principal.scopes.contains(scope) }
    var mayWrite: Bool { !console.settings.isReadOnly }
    var now: Date { console.clock.now() }

    func parameter(_ name: String) -> String? {
        request.pageParameter(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The instant that the page shows, for the API.
    var instant: String? { parameter("at").map { Self.apiInstant($0) } }

    /// Converts a typed instant to milliseconds for the API. An invalid text is passed on, so that the API rejects it.
    static func apiInstant(_ text: String) -> String {
        InstantText.milliseconds(text, acceptsDays: true).map { String($0) } ?? text
    }

    /// The instant that the page shows, for a form: as it was typed, or ISO 8601 if a link passed milliseconds.
    var instantField: String {
        guard let text = parameter("at") else { return "" }
        guard let number = Int64(text), let milliseconds = InstantText.milliseconds(text) else { return text }
        let shown = InstantText.text(milliseconds)
        return InstantText.milliseconds(shown) == number ? shown : text
    }

    /// Returns an empty page.
    ///
    /// - Parameter up: The page to which it leads up.
    func page(_ heading: String, foreign: String? = nil, up: (title: String, link: PageLink)? = nil) -> ConsolePage {
        var page = ConsolePage(heading, foreign: foreign, now: now)
        (page.up, page.location) = (up, location)
        return page
    }

    /// Returns a link to a page with the same app and environment.
    func link(_ segments: String..., query: [(String, String)] = []) -> PageLink {
        PageLink(["console"] + segments, query: selection.query + query)
    }

    /// Returns the request with the app and environment of an item selected, for links from the item. Some pages show
    /// items of all apps and environments, whatever is selected. An item without a selectable one changes nothing.
    func selecting(_ item: APIValue) -> PageRequest {
        guard let app = item["app"].text, let environment = item["environment"].text,
            let found = selection.all.first(where: { $0.matches(app: app, environment: environment) })
        else { return self }
        var other = self
        other.selection.appEnvironment = found
        return other
    }

    /// Whether the key may see notifications beside those of a customer's timeline.
    var mayOpenNotifications: Bool { may(.operationsRead) }

    /// Returns a cell that shows an identifier and links to its page.
    func linkCell(_ folder: String, _ id: String) -> ConsolePage.Cell { .link(id, link(folder, id)) }

    /// Returns a cell that shows the UUID of a notification and links to its page if the key may see it.
    func notificationCell(_ uuid: String) -> ConsolePage.Cell {
        mayOpenNotifications ? linkCell("notifications", uuid) : .foreign(uuid)
    }

    /// Returns the link to the page of the console with the next part of a list; nil if this is the last part.
    func nextPage(of list: APIValue, _ segments: String..., query: [(String, String)] = []) -> PageLink? {
        list["next_page"].text.map { token in
            PageLink(["console"] + segments, query: selection.query + query + [("page", token)])
        }
    }

    /// Returns a path of the API with its query. `isScoped` adds the parameters `app` and `environment`.
    func target(_ segments: [String], _ query: [(String, String)] = [], isScoped: Bool = true) -> String {
        // Encode `.` and `..`, so that they are not resolved as path segments.
        let path = (["v1"] + segments).map {
            [".", ".."].contains($0) ? $0.replacing(".", with: "%2E") : $0.percentEncoded
        }
        let query = (isScoped ? selection.query : []) + query
        return "/" + path.joined(separator: "/") + (query.isEmpty ? "" : "?" + String(queryOf: query))
    }

    func get(_ target: String) async throws -> ConsoleAPI.APIResponse {
        try await console.api.call(.get, target, for: context)
    }

    func send(_ request: ConsoleRequest) async throws -> ConsoleAPI.APIResponse {
        let body = request.body.isEmpty ? nil : try JSONSerialization.data(withJSONObject: request.body)
        return try await console.api.call(
            request.method, target(request.path, isScoped: request.isScoped), body: body, for: context)
    }

    /// Returns what the API would do for a request, without doing it.
    func dryRun(_ request: ConsoleRequest) async throws -> APIValue {
        var request = request
        request.body["dry_run"] = true
        return try await send(request).orFailure().json
    }

    /// Calls the API and returns its response. For an error, adds the error to the page and returns nil. The page shows
    /// the request unless it has another.
    func read(
        _ target: String, _ page: inout ConsolePage, _ subject: String, isPart: Bool = false
    ) async throws -> APIValue? {
        page.api = page.api ?? target
        let answer = try await get(target)
        return accept(answer, &page, subject, isPart: isPart) ? answer.json : nil
    }

    /// Adds an error response to the page. Returns whether the response is not an error.
    ///
    /// - Parameter isPart: Whether the page also shows other data. Then 403 and 404 add a paragraph instead of an
    ///   error.
    func accept(
        _ answer: ConsoleAPI.APIResponse, _ page: inout ConsolePage, _ subject: String, isPart: Bool = false
    ) -> Bool {
        if answer.isSuccess { return true }
        let title =
            switch answer.status {
            case 403: "\(subject): not allowed"
            case 404: "\(subject): not found, or no longer there"
            case 503: "\(subject) cannot be read now"
            default: "\(subject) cannot be shown"
            }
        // Requests with other keys may share this rendering, so it must not contain the key's name.
        let message = answer.message.replacing("key \(principal.name) ", with: "key ")
        let reference = ErrorPage.reference(answer.code ?? "\(answer.status)", context)
        if isPart, answer.status == 403 || answer.status == 404 {
            page.paragraph("\(title). \(message) \(reference)", "empty")
        } else {
            page.problem = .init(title, reasons: [message, reference])
            (page.status, page.wrongField) = (answer.status, answer.field)
            // Refreshing the page would only repeat the error.
            if [400, 403, 404].contains(answer.status) { page.topics = [] }
        }
        return false
    }

    /// Adds an error to the page if the key lacks a scope. Returns whether the key has the scope.
    func requireScope(_ scope: APIScope, for subject: String, _ page: inout ConsolePage) -> Bool {
        if may(scope) { return true }
        page.problem = .init("\(subject): not allowed", reasons: ["The key lacks the scope \(scope.rawValue)."])
        page.status = 403
        return false
    }

    /// How long a received notification may wait before pages mention the backlog, in seconds.
    private static let longestWait: TimeInterval = 60

    /// Adds a note if received notifications have waited too long and are not shown yet.
    func addNoteOfBacklog(of storage: any LedgerStorage, to page: inout ConsolePage) async throws {
        guard let oldest = try await storage.backlog().oldest else { return }
        let since = Date(milliseconds: oldest)
        guard now.timeIntervalSince(since) > Self.longestWait else { return }
        page.notes.append(
            "The ledger is behind since \(since.consoleText): notifications received after that are not shown yet.")
    }

    /// Adds a note if notifications of the app and environment may be missing. A customer may then have bought or lost
    /// something that the page does not show. Reads no storage.
    func addNoteOfGap(of recovery: Recovery, to page: inout ConsolePage) {
        guard let id = selection.appEnvironment?.id,
            let found = recovery.completenessAges().first(where: { $0.appEnvironment.id == id })
        else { return }
        let reason = may(.operationsRead) ? " The page Completeness says why." : ""
        guard let age = found.age else {
            // The history was never read to its end. Without a failure, this is under way.
            let fails = recovery.consecutiveFailures().contains { $0.appEnvironment.id == id && $0.count > 0 }
            if fails {
                page.notes.append("Notifications may be missing here: none could be recovered yet." + reason)
            }
            return
        }
        guard age * 1000 > Double(Completeness.longestAge(interval: recovery.settings.interval)) else { return }
        let since = (now - age).consoleText
        page.notes.append("Notifications since \(since) may be missing here." + reason)
    }

    private static let pages: [(String, [String], String)] = [
        ("Overview", [], "o"), ("Customers", ["customers"], "c"), ("Notifications", ["notifications"], "n"),
        ("Completeness", ["completeness"], "h"), ("Webhooks", ["webhooks"], "w"), ("Refunds", ["refunds"], "r"),
        ("Decode", ["decode"], "d"), ("Operations", ["operations"], "s"),
    ]

    /// The navigation entry of pages with another path.
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
        // Switching the environment leads to the section's first page: items exist in one environment only.
        let section = Self.pages.first { $0.1.first == place }?.1 ?? []
        shell.navigation = Self.pages.map { title, path, key in
            .init(
                title, PageLink(["console"] + path, query: selection.query), isCurrent: path.first == place,
                shortcut: key)
        }
        selection.addChoices(to: &shell, leadingTo: ["console"] + section)
        shell.isSandbox = selection.appEnvironment.map { $0.environment != .production } ?? false
        if may(.supportRead) {
            shell.search = .init(
                PageLink("console", "customers"), label: "Search", text: parameter("q") ?? "", fields: selection.query)
        }
        shell.account = .init(name: principal.name, signOut: PageLink("console", "sign-out"))
        shell.events = PageLink("console", "events")
        shell.since = changes
        // A page that cannot be requested again is not refreshed.
        if request.method == .get, let here = location.here {
            (shell.current, shell.topics) = (here, page.topics)
        }
        shell.notes = page.notes + (mayWrite ? [] : ["Read-only: the configuration allows no changes here."])
        shell.problem = page.problem
        if console.simulator != nil {
            let mode = console.clock.followed?.mode.map { ", \($0)" } ?? ""
            shell.clock = "simulated time \(now.consoleText)\(mode)"
        }
        shell.api = page.api.map { $0.hasPrefix("/") ? "GET " + $0 : $0 }
        shell.command = page.command ?? page.api.map { command(for: $0) }
        return shell
    }

    /// Returns the response with a complete page.
    func response(_ page: ConsolePage) -> Response {
        .page(html(page), status: .init(code: page.status))
    }

    /// Returns the parts that an open page replaces. They are independent of the session: forms are not included.
    ///
    /// - Throws: The error that the page shows. The open page then keeps its content.
    func liveParts(of page: ConsolePage) throws(APIFailure) -> String {
        guard page.status < 400 else {
            let sentences = page.problem.map { [$0.title] + $0.reasons } ?? []
            throw APIFailure(.init(code: page.status), "unavailable", sentences.joined(separator: ": "))
        }
        return PageLibrary.liveParts(of: html(page))
    }

    private func html(_ page: ConsolePage) -> String {
        var page = page
        // Remove topics that the key may not follow: one of them would make the whole stream fail.
        page.topics = page.topics.filter { ChangeTopic.scopes(of: $0).contains(where: may) }
        if !context.isRefetch {
            console.changes.expect(page.topics.map { EventHub.topic($0, for: principal.audience) })
        }
        return console.library.page("page", page.values, in: shell(page))
    }

    /// Identifies requests that receive the same live parts.
    struct Sharing: Hashable, Sendable {
        /// The path and the query.
        var target: String
        /// Keys with other permissions get a separate rendering.
        var scopes: Set<APIScope>
        var apps, environments: Set<String>?
    }

    /// The identity for shared rendering; nil if each read must have its own entry in the audit log.
    var sharing: Sharing? {
        let path = request.uri.path
        let isOfCustomer = path.hasPrefix("/console/customers/") || path.hasPrefix("/console/refunds/")
        if console.settings.auditsReads, isOfCustomer { return nil }
        return Sharing(
            target: request.uri.description, scopes: principal.scopes, apps: principal.apps,
            environments: principal.environments.map { Set($0.map(\.rawValue)) })
    }
}
