internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// What was received.
enum NotificationsPage {
    private static let filters = ["type", "subtype", "state", "original_transaction_id", "from", "to"]

    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = visit.page("Notifications")
        page.topics = visit.parameter("page") == nil ? ["inbox"] : []
        var query: [(String, String)] = []
        for name in filters + ["page"] {
            guard let value = visit.parameter(name) else { continue }
            let isInstant = name == "from" || name == "to"
            query.append((name, isInstant ? ConsoleAction.milliseconds(value).map(String.init) ?? value : value))
        }
        let target = visit.target(["notifications"], query)
        (page.api, page.command) = (target, "counterfoil api GET '\(target)'")
        let answer = try await visit.get(target)
        page.links([("What was refused", visit.link("refused"))])
        page.holdFromHere()
        if visit.accept(answer, &page, "Notifications") {
            let items = answer.json["items"].items
            table(
                items, visit, &page,
                empty: query.isEmpty
                    ? "None was received yet. The URL for App Store Connect is /apple/notifications."
                    : "None of those that were looked through. There may be more on the next page.")
            let next = answer.json["next_page"].text.map { token in
                visit.link("notifications", query: query.filter { $0.0 != "page" } + [("page", token)])
            }
            page.links([], next: next)
            // The codes of those that are seen here; an app and its environment at a time.
            let codes = Set(items.filter { $0["state"].text == "failed" }.compactMap { $0["failure"].text })
            for code in codes.sorted() {
                page.action("reprocess-failed", visit, [("code", code)], title: "All that failed with \(code)")
            }
        }
        page.formTitle("Filter")
        let values = Dictionary(query) { $1 }
        page.form(
            PageLink("console", "notifications"),
            visit.selection.query.map { .hidden($0.0, $0.1) } + [
                .init(name: "type", label: "Type", value: values["type"] ?? ""),
                .init(name: "subtype", label: "Subtype", value: values["subtype"] ?? ""),
                .init(
                    name: "state", label: "State", value: values["state"] ?? "",
                    options: [("", "any"), ("pending", "pending"), ("folded", "processed"), ("failed", "failed")]),
                .init(
                    name: "original_transaction_id", label: "Original transaction",
                    value: values["original_transaction_id"] ?? ""),
                .init(name: "from", label: "Received from (2026-05-03)", value: visit.parameter("from") ?? ""),
                .init(name: "to", label: "to", value: visit.parameter("to") ?? ""),
            ], button: "Filter", method: "get")
        return page
    }

    static func table(_ items: [APIValue], _ visit: Visit, _ page: inout ConsolePage, empty: String) {
        page.table(
            "Notifications, the last received first", ["Notification", "State", "Received", "Signed", "Origin"],
            items.map { item in
                let name = [item["type"].text, item["subtype"].text].compactMap(\.self).joined(separator: " · ")
                let state = item["state"].text ?? ""
                return [
                    .link(name, visit.link("notifications", item["uuid"].text ?? "")),
                    tag(state), .time(item["received_at"].instant),
                    .time((item["signed_date"].isNothing ? item["signed_at"] : item["signed_date"]).instant),
                    .plain((item["origin"].text ?? "").words),
                ]
            }, empty: empty)
    }

    /// A state as people read it.
    static func tag(_ state: String) -> ConsolePage.Cell {
        .tag(state == "folded" ? "processed" : state, tone(state))
    }

    static func tone(_ state: String) -> ConsolePage.Tone {
        switch state {
        case "folded", "processed", "delivered", "complete", "active", "passed": .good
        case "failed", "discarded", "expired", "revoked": .bad
        default: .warn
        }
    }
}

/// One notification, with its parts and its exact text.
enum NotificationPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let id = visit.segment("id")
        var page = visit.page("Notification", foreign: id)
        page.up = ("Notifications", visit.link("notifications"))
        let target = visit.target(["notifications", id], [("include", "signed_data")], isScoped: false)
        (page.api, page.command) = (target, "counterfoil api GET '\(target)'")
        page.sayWhatWasDone(visit)
        let answer = try await visit.get(target)
        guard visit.accept(answer, &page, "The notification") else { return page }
        let json = answer.json
        let state = json["state"].text ?? ""
        page.facts(
            json.members.compactMap { name, value in
                guard !["decoded", "problems", "signed_data", "object", "state", "verifications"].contains(name) else {
                    return nil
                }
                return (name.words, PageFacts.cell(name, value))
            } + [("state", NotificationsPage.tag(state))])
        page.title("What it says")
        parts(json, visit, &page)
        page.title("As it was signed")
        page.exact("The exact text", json["signed_data"].text ?? "")
        for (part, trace) in json["verifications"].members {
            page.exact("What the verification of the \(part.words) rests on", trace.pretty)
        }
        page.action("reprocess", visit, [("id", id)], title: "Again")
        return page
    }

    /// What each part says, and what does not hold.
    static func parts(_ json: APIValue, _ visit: Visit, _ page: inout ConsolePage) {
        for problem in json["problems"].items {
            page.paragraph(
                "Not believed: \(problem["part"].text ?? ""): \(problem["message"].text ?? "")", "note")
        }
        for (name, part) in json["decoded"].members {
            page.subtitle(name.words.prefix(1).uppercased() + name.words.dropFirst())
            page.facts(PageFacts.all(of: part))
            if let transaction = part["originalTransactionId"].text {
                page.links([("Whose transaction is \(transaction)?", visit.link("transactions", transaction))])
            }
        }
    }
}

/// What was refused.
enum RefusedPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = visit.page("Refused")
        page.up = ("Notifications", visit.link("notifications"))
        let query = visit.parameter("page").map { [("page", $0)] } ?? []
        let target = visit.target(["refused"], query, isScoped: false)
        (page.api, page.command) = (target, "counterfoil api GET '\(target)'")
        let answer = try await visit.get(target)
        guard visit.accept(answer, &page, "What was refused") else { return page }
        let items = answer.json["items"].items
        page.table(
            "What was refused, the last first", ["When", "Reason", "Message", "Sender"],
            items.map { item in
                [
                    .time(item["received_at"].instant), .code(item["code"].text ?? ""),
                    .foreign(item["message"].text ?? "", limit: 300), .foreign(item["sender"].text ?? ""),
                ]
            }, empty: "Nothing was refused.")
        for item in items.prefix(50) {
            page.exact(
                "What \(item["sender"].text ?? "somebody") sent at \(item["received_at"].instant?.formatted(.iso8601) ?? "")",
                item["body"].text ?? "", isProven: false)
        }
        page.links([], next: answer.json["next_page"].text.map { visit.link("refused", query: [("page", $0)]) })
        return page
    }
}

/// How members of answers are shown.
enum PageFacts {
    /// The signed texts inside of a notification. What they say is shown as parts of their own.
    private static let signedTexts: Set<String> = [
        "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
    ]

    /// All members; those of an object inside by both names.
    static func all(of part: APIValue) -> [(String, ConsolePage.Cell)] {
        part.members.flatMap { name, value in
            guard case .object = value else { return [(name, cell(name, value))] }
            return value.members.filter { !signedTexts.contains($0.0) }
                .map { ("\(name).\($0.0)", cell($0.0, $0.1)) }
        }
    }

    static func cell(_ name: String, _ value: APIValue) -> ConsolePage.Cell {
        switch value {
        case .nothing: return .none
        case .number(let number) where isInstant(name, number): return .time(value.instant)
        case .list(let items) where items.isEmpty: return .none
        case .list, .object: return .code(value.pretty, limit: 2000)
        case .text(let text) where text.utf8.count > 200: return .code(text, limit: 120)
        default: return .foreign(value.text ?? "", limit: 300)
        }
    }

    private static func isInstant(_ name: String, _ number: Int64) -> Bool {
        let name = name.lowercased()
        return number > 100_000_000_000
            && ["date", "_at", "until", "since", "deadline", "from", "to", "as_of"].contains { name.hasSuffix($0) }
    }
}

extension Visit {
    /// A parameter of the path.
    func segment(_ name: String) -> String {
        let text = context.parameters.get(name) ?? ""
        return text.removingPercentEncoding ?? text
    }
}
