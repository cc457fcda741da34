internal import AppStoreModels
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// What can be done in the console. Each asks for confirmation on a page of its own, and is a request to the API.
struct ConsoleAction: Sendable {
    /// What it is in the form.
    let name: String
    let title: String
    let scope: APIScope
    /// The fields that it takes.
    let fields: [String]
    /// What will happen.
    let consequences: @Sendable (FormFields) -> [String]
    /// The method, the path below `/v1`, whether that takes an app and environment, and the body.
    let request: @Sendable (FormFields) -> (HTTPRequest.Method, [String], Bool, [String: Any])
    /// The page to go to afterwards.
    let back: @Sendable (FormFields) -> [String]
    /// What has to be typed.
    var typed: (@Sendable (FormFields) -> String)?
    /// Whether the body names who does it.
    var namesActor = false
    /// What the API says of it before it is done: more of what will happen.
    var count: (@Sendable (Visit) async throws -> [String])?
    /// A page of what the API answered, where that is seen once.
    var shows: (@Sendable (APIValue, Visit) -> ConsolePage)?

    static let all: [ConsoleAction] = [
        .init(
            name: "reprocess", title: "Process the notification again", scope: .operationsWrite, fields: ["id"],
            consequences: { ["The notification \($0["id"] ?? "") is read again.", "What it led to before stays."] },
            request: { (.post, ["notifications", $0["id"] ?? "", "reprocess"], false, [:]) },
            back: { ["notifications", $0["id"] ?? ""] }),
        .init(
            name: "reprocess-failed", title: "Process all of them again", scope: .operationsWrite, fields: ["code"],
            consequences: {
                [
                    "All notifications that failed with \($0["code"] ?? "") are read again.",
                    "What they led to before stays.",
                ]
            },
            request: { (.post, ["notifications", "reprocess"], true, ["code": $0["code"] ?? ""]) },
            back: { _ in ["notifications"] }, count: Self.countFailed),
        .init(
            name: "webhook-secret", title: "Add a secret", scope: .webhooksWrite, fields: ["name"],
            consequences: { _ in
                [
                    "Everything is signed with the new secret too, beside those that there are, so that the receiver can change over.",
                    "It is shown once, on the next page.",
                ]
            },
            request: { (.patch, ["webhooks", $0["name"] ?? ""], false, ["add_secret": true]) },
            back: { ["webhooks", $0["name"] ?? ""] }, shows: Self.newSecret),
        .init(
            name: "webhook-secret-retire", title: "Retire the secret", scope: .webhooksWrite,
            fields: ["name", "fingerprint"],
            consequences: {
                [
                    "Nothing is signed with the secret \($0["fingerprint"] ?? "") any more.",
                    "A receiver that knows no other refuses everything from now on.",
                ]
            },
            request: {
                (.patch, ["webhooks", $0["name"] ?? ""], false, ["retire_secret": $0["fingerprint"] ?? ""])
            }, back: { ["webhooks", $0["name"] ?? ""] }),
        .init(
            name: "webhook-test", title: "Send a test", scope: .webhooksWrite, fields: ["name"],
            consequences: { ["The endpoint \($0["name"] ?? "") is sent one event of the type test."] },
            request: { (.post, ["webhooks", $0["name"] ?? "", "test"], false, [:]) },
            back: { ["webhooks", $0["name"] ?? ""] }),
        .init(
            name: "webhook-on", title: "Switch the endpoint on", scope: .webhooksWrite, fields: ["name"],
            consequences: { ["What waits for \($0["name"] ?? "") is sent at once, in its order."] },
            request: { (.patch, ["webhooks", $0["name"] ?? ""], false, ["enabled": true]) },
            back: { ["webhooks", $0["name"] ?? ""] }),
        .init(
            name: "webhook-off", title: "Switch the endpoint off", scope: .webhooksWrite, fields: ["name"],
            consequences: { ["Nothing is sent to \($0["name"] ?? "") until it is switched on; what happens waits."] },
            request: { (.patch, ["webhooks", $0["name"] ?? ""], false, ["enabled": false]) },
            back: { ["webhooks", $0["name"] ?? ""] }),
        .init(
            name: "webhook-discard", title: "Discard what waits", scope: .webhooksWrite, fields: ["name"],
            consequences: {
                ["Everything that waits for \($0["name"] ?? "") is given up and never sent by itself."]
            },
            request: { (.patch, ["webhooks", $0["name"] ?? ""], false, ["discard_backlog": true]) },
            back: { ["webhooks", $0["name"] ?? ""] }, typed: { $0["name"] ?? "" }),
        .init(
            name: "replay-event", title: "Send the event again", scope: .webhooksWrite, fields: ["name", "event_id"],
            consequences: { ["One event, \($0["event_id"] ?? ""), is sent again to \($0["name"] ?? "")."] },
            request: {
                (.post, ["webhooks", $0["name"] ?? "", "replay"], false, ["event_id": $0["event_id"] ?? ""])
            }, back: { ["webhooks", $0["name"] ?? ""] }),
        .init(
            name: "replay", title: "Send a time again", scope: .webhooksWrite, fields: ["name", "from", "to", "after"],
            consequences: { fields in
                [
                    "Every event that \(fields["name"] ?? "") takes and that became known from \(fields["from"] ?? "?") "
                        + "to \(fields["to"] ?? "?") is sent again.",
                    "What is newer about the same purchases follows where it would not be sent anyway.",
                ]
            },
            request: { (.post, ["webhooks", $0["name"] ?? "", "replay"], false, Self.replay($0)) },
            back: { ["webhooks", $0["name"] ?? ""] }, count: Self.countReplay),
        .init(
            name: "recover", title: "Read a part of the history again", scope: .operationsWrite,
            fields: ["from", "to"],
            consequences: {
                [
                    "The App Store is asked for all notifications from \($0["from"] ?? "?") to \($0["to"] ?? "?").",
                    "What is known stays; what is new is processed.",
                ]
            },
            request: { fields in
                var body: [String: Any] = [:]
                for name in ["from", "to"] { body[name] = fields[name].flatMap(Self.milliseconds) ?? 0 }
                return (.post, ["recoveries"], true, body)
            }, back: { _ in ["completeness"] }),
        .init(
            name: "refresh", title: "Ask the App Store about the customer", scope: .supportWrite, fields: ["id"],
            consequences: { ["The App Store is asked for everything that \($0["id"] ?? "") bought."] },
            request: { (.post, ["customers", $0["id"] ?? "", "refresh"], true, [:]) },
            back: { ["customers", $0["id"] ?? ""] }),
        .init(
            name: "extend", title: "Extend the subscription", scope: .supportWrite,
            fields: ["id", "customer", "days", "reason"],
            consequences: {
                [
                    "The subscription \($0["id"] ?? "") renews \($0["days"] ?? "?") days later.",
                    "The App Store allows 1 to 90 days, twice a year for each customer.",
                ]
            },
            request: { fields in
                (
                    .post, ["subscriptions", fields["id"] ?? "", "extend"], true,
                    ["days": Int(fields["days"] ?? "") ?? 0, "reason": fields["reason"] ?? "customer_satisfaction"]
                )
            }, back: { $0["customer"].map { ["customers", $0] } ?? ["customers"] }),
        .init(
            name: "grant", title: "Give an entitlement", scope: .grantsWrite,
            fields: ["id", "entitlement", "until", "reason"],
            consequences: {
                [
                    "\($0["id"] ?? "") has \($0["entitlement"] ?? "?") until \($0["until"] ?? "it is revoked"), without a purchase."
                ]
            },
            request: { fields in
                var body: [String: Any] = [
                    "entitlement": fields["entitlement"] ?? "", "reason": fields["reason"] ?? "",
                ]
                if let until = fields["until"] { body["until"] = Self.milliseconds(until) ?? 0 }
                return (.post, ["customers", fields["id"] ?? "", "grants"], true, body)
            }, back: { ["customers", $0["id"] ?? ""] }, namesActor: true),
        .init(
            name: "revoke", title: "Take the grant back", scope: .grantsWrite, fields: ["id", "grant", "reason"],
            consequences: { ["\($0["id"] ?? "") loses what the grant \($0["grant"] ?? "") gives, at once."] },
            request: { fields in
                (
                    .post, ["customers", fields["id"] ?? "", "grants", fields["grant"] ?? "", "revoke"], true,
                    ["reason": fields["reason"] ?? ""]
                )
            }, back: { ["customers", $0["id"] ?? ""] }, namesActor: true),
    ]

    private static func replay(_ fields: FormFields) -> [String: Any] {
        var body: [String: Any] = [:]
        for name in ["from", "to"] { body[name] = fields[name].flatMap(Self.milliseconds) ?? 0 }
        if let after = fields["after"].flatMap(Int64.init) { body["after"] = after }
        return body
    }

    /// How many notifications are read again.
    private static func countFailed(_ visit: Visit) async throws -> [String] {
        let body: [String: Any] = ["code": visit.fields["code"] ?? "", "dry_run": true]
        let answer = try await visit.console.api.call(
            .post, visit.target(["notifications", "reprocess"]), body: try JSONSerialization.data(withJSONObject: body),
            for: visit.context)
        guard answer.isFine else { return [answer.message] }
        let number = answer.json["notifications"].number ?? 0
        let rest = answer.json["has_more"].flag == true ? ", as many as go at once; do it again for the rest" : ""
        return ["That is \(number == 1 ? "1 notification" : "\(number.grouped) notifications")\(rest)."]
    }

    /// The secret, which nothing shows again.
    private static func newSecret(_ answer: APIValue, _ visit: Visit) -> ConsolePage {
        let name = visit.fields["name"] ?? ""
        var page = visit.page("The new secret of", foreign: name)
        page.up = ("Endpoint", visit.link("webhooks", name))
        page.paragraph(
            "Copy it now: it is not shown again. When the receiver knows it, retire the one before.")
        page.exact("The secret", answer["secret"].text ?? "", isOpen: true)
        page.links([("Back to the endpoint", visit.link("webhooks", name))])
        return page
    }

    /// How many deliveries a replay makes, and where the rest begins.
    private static func countReplay(_ visit: Visit) async throws -> [String] {
        let body = replay(visit.fields).merging(["dry_run": true]) { $1 }
        let answer = try await visit.console.api.call(
            .post, visit.target(["webhooks", visit.fields["name"] ?? "", "replay"], isScoped: false),
            body: try JSONSerialization.data(withJSONObject: body), for: visit.context)
        guard answer.isFine else { return [answer.message] }
        let number = answer.json["deliveries"].number ?? 0
        let count = number == 1 ? "1 delivery" : "\(number.grouped) deliveries"
        guard let after = answer.json["after"].number else {
            return ["That makes \(count) now, and is all of it."]
        }
        return [
            "That makes \(count) now, as many as go at once; the rest begins after event "
                + "number \(after): send again from there."
        ]
    }

    /// An instant as people write it.
    static func milliseconds(_ text: String) -> Int64? {
        if let number = Int64(text) { return number }
        let date =
            (try? Date(text, strategy: .iso8601)) ?? (try? Date(text + "T00:00:00Z", strategy: .iso8601))
            ?? (try? Date(text + ":00Z", strategy: .iso8601))
        return date.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
    }
}

/// The pages that ask, and what is done then.
enum ConsoleActions {
    static func add(to router: Router<ServerContext>, _ console: Console) {
        router.post("/console/confirm") { request, context -> Response in
            let (visit, action) = try await self.visit(request, context, console)
            return try await confirmation(visit, action, problem: nil)
        }
        router.post("/console/do") { request, context in
            let (visit, action) = try await self.visit(request, context, console)
            return try await carryOut(action, visit)
        }
        router.post("/console/sessions/end") { request, context -> Response in
            var visit = try ConsoleRoutes.visit(request, context, console)
            visit.fields = try await FormFields(request)
            guard visit.may(.auditRead), visit.mayWrite else {
                throw APIFailure(.forbidden, "forbidden", "Ending sessions needs the scope audit:read.")
            }
            console.sessions.end { $0.id == visit.fields["session"] }
            var entry = AuditEntry(request, visit.context, console.core, actor: visit.principal.name, result: "200")
            entry.target = visit.fields["session"]
            console.core.audit.add(entry)
            return .seeOther(visit.link("operations"))
        }
    }

    private static func visit(
        _ request: Request, _ context: ServerContext, _ console: Console
    ) async throws -> (Visit, ConsoleAction) {
        var visit = try ConsoleRoutes.visit(request, context, console)
        visit.fields = try await FormFields(request)
        let name = visit.fields["action"]
        guard let action = ConsoleAction.all.first(where: { $0.name == name }) else {
            throw APIFailure(.notFound, "not_found", "There is no such action.")
        }
        guard visit.may(action.scope), visit.mayWrite else {
            console.core.audit.add(
                AuditEntry(
                    request, visit.context, console.core, actor: visit.principal.name, result: "403 forbidden"))
            throw APIFailure(
                .forbidden, "forbidden",
                visit.mayWrite
                    ? "The key \(visit.principal.name) lacks the scope \(action.scope.rawValue)."
                    : "The console is read-only.")
        }
        // The app and environment of the page that had the form.
        let all = console.core.scopes.all.filter { visit.principal.maySee($0) }
        let scope = all.first {
            $0.bundleID == visit.fields["app"] && $0.environment.rawValue == visit.fields["environment"]
        }
        let selection = Console.Selection(scope: scope ?? visit.selection.scope, all: all)
        let chosen = Visit(
            console: console, request: request, context: visit.context, principal: visit.principal,
            selection: selection, fields: visit.fields)
        return (chosen, action)
    }

    private static func confirmation(
        _ visit: Visit, _ action: ConsoleAction, problem: String?
    ) async throws -> Response {
        var page = visit.page(action.title)
        if let problem { page.problem = .init("Not done", reasons: [problem]) }
        page.status = problem == nil ? 200 : 409
        let fields = action.fields.compactMap { name in visit.fields[name].map { (name, $0) } }
        let counted = try await action.count?(visit) ?? []
        let confirmation = Confirmation(
            action.consequences(visit.fields) + counted, button: action.title, action: PageLink("console", "do"),
            cancel: PageLink(["console"] + action.back(visit.fields), query: visit.selection.query),
            ticket: visit.console.tickets.issue(for: action.name),
            fields: [("action", action.name)] + fields + visit.selection.query,
            typedWord: action.typed.map { $0(visit.fields) }, isDangerous: action.typed != nil)
        let html = visit.console.library.page("confirmation", confirmation.values, in: visit.shell(page))
        return .page(html, status: .init(code: page.status))
    }

    private static func carryOut(_ action: ConsoleAction, _ visit: Visit) async throws -> Response {
        let ticket = visit.fields["ticket"]
        let back = PageLink(
            ["console"] + action.back(visit.fields), query: visit.selection.query + [("done", action.name)])
        if let typed = action.typed, visit.fields[Confirmation.typedField] != typed(visit.fields) {
            return try await confirmation(visit, action, problem: "What you typed is not the name.")
        }
        switch visit.console.tickets.use(ticket, for: action.name) {
        case .first: break
        case .again(let result): return .seeOther(result ?? back)
        case .unknown:
            return try await confirmation(visit, action, problem: "The form is too old. Look again and confirm.")
        }
        let (method, path, isScoped, members) = action.request(visit.fields)
        let body = action.namesActor ? members.merging(["actor": visit.principal.name]) { $1 } : members
        let data = body.isEmpty ? nil : try JSONSerialization.data(withJSONObject: body)
        let answer = try await visit.console.api.call(
            method, visit.target(path, isScoped: isScoped), body: data, for: visit.context)
        guard answer.isFine else {
            visit.console.tickets.giveBack(ticket)
            return try await confirmation(visit, action, problem: answer.message)
        }
        visit.console.tickets.finish(ticket, with: back)
        if let shows = action.shows {
            let page = shows(answer.json, visit)
            return .page(visit.console.library.page("page", page.values, in: visit.shell(page)), status: .ok)
        }
        return .seeOther(back)
    }
}

extension ConsolePage {
    /// A form that leads to the page that asks whether to do it; nothing where somebody may not.
    mutating func action(
        _ name: String, _ visit: Visit, _ values: [(String, String)], _ inputs: [Field] = [], title: String? = nil
    ) {
        guard let action = ConsoleAction.all.first(where: { $0.name == name }), visit.may(action.scope), visit.mayWrite
        else { return }
        if let title { formTitle(title) }
        let hidden = ([("action", name)] + values + visit.selection.query).map { Field.hidden($0.0, $0.1) }
        form(PageLink("console", "confirm"), hidden + inputs, button: action.title + "…")
    }

    /// Says that something was done, when the page is shown after it.
    mutating func sayWhatWasDone(_ visit: Visit) {
        guard let name = visit.parameter("done"), let action = ConsoleAction.all.first(where: { $0.name == name })
        else {
            return
        }
        notes.append("Done: \(action.title.lowercased()).")
    }
}
