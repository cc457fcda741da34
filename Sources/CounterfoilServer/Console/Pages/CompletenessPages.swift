internal import AppStoreModels
internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// Whether anything is missing, and the readings of the history.
enum CompletenessPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = visit.page("Completeness")
        page.topics = ["recoveries"]
        (page.api, page.command) = ("/v1/completeness", "counterfoil api GET /v1/completeness")
        page.sayWhatWasDone(visit)
        let answer = try await visit.get("/v1/completeness")
        if visit.accept(answer, &page, "Completeness") {
            for item in answer.json["items"].items { show(item, &page) }
        }
        let query = visit.parameter("page").map { [("page", $0)] } ?? []
        let recoveries = try await visit.get(visit.target(["recoveries"], query, isScoped: false))
        page.title("Recoveries")
        if visit.accept(recoveries, &page, "Recoveries") {
            page.table(
                "Readings of the notification history, the last first",
                ["Recovery", "App", "State", "Windows", "Pages", "Found", "New", "Failed"],
                recoveries.json["items"].items.map { RecoveryPage.row($0, visit) },
                empty: "The history was not read yet. It needs an In-App Purchase key in the configuration.")
            page.links(
                [], next: recoveries.json["next_page"].text.map { visit.link("completeness", query: [("page", $0)]) })
        }
        page.action(
            "recover", visit, [],
            [.init(name: "from", label: "From, such as 2026-05-03"), .init(name: "to", label: "to")],
            title: "Read a part again")
        return page
    }

    private static func show(_ item: APIValue, _ page: inout ConsolePage) {
        let state = item["state"].text ?? "unknown"
        page.title("\(item["app"].text ?? "") \(item["environment"].text ?? "")")
        var facts: [(String, ConsolePage.Cell)] = [("state", .tag(state.words, NotificationsPage.tone(state)))]
        if let reason = item["reason"].text { facts.append(("why", .foreign(reason, limit: 500))) }
        if let since = item["complete_since"].instant { facts.append(("complete since", .time(since))) }
        let until = item["complete_until"].instant
        facts.append(("complete until", until == nil ? .plain("not known") : .time(until)))
        if let checked = item["known_by"]["checked_at"].instant { facts.append(("known since", .time(checked))) }
        for (name, count) in item["missing"].members where (count.number ?? 0) > 0 {
            facts.append(("missing: \(name.words)", .plain(count.text ?? "")))
        }
        page.facts(facts)
        if let unverified = item["unverified_items"].items.first {
            page.paragraph(
                "Not believed: \(unverified["code"].text ?? "") \(unverified["message"].text ?? "")", "note")
        }
    }
}

/// One reading of the history.
enum RecoveryPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let id = visit.segment("id")
        var page = visit.page("Recovery", foreign: id)
        page.up = ("Completeness", visit.link("completeness"))
        page.topics = ["recoveries"]
        let target = visit.target(["recoveries", id], isScoped: false)
        (page.api, page.command) = (target, "counterfoil api GET \(target)")
        let answer = try await visit.get(target)
        guard visit.accept(answer, &page, "The recovery") else { return page }
        page.facts(answer.json.members.map { ($0.0.words, PageFacts.cell($0.0, $0.1)) })
        return page
    }

    static func row(_ item: APIValue, _ visit: Visit) -> [ConsolePage.Cell] {
        let (id, state) = (item["id"].text ?? "", item["state"].text ?? "")
        let (all, open) = (item["windows"].number ?? 0, item["open_windows"].number ?? 0)
        return [
            .link(id, visit.link("recoveries", id)),
            .foreign("\(item["app"].text ?? "") \(item["environment"].text ?? "")"),
            .tag(
                state,
                ["completed", "complete", "done", "finished"].contains(state) ? .good : NotificationsPage.tone(state)),
            .plain("\(all - open) of \(all)"), .plain(item["pages"].text ?? "0"), .plain(item["found"].text ?? "0"),
            .plain(item["new"].text ?? "0"), .plain(item["failed"].text ?? "0"),
        ]
    }
}
