internal import AppStoreModels
internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// What needs attention, and where to go from there.
enum OverviewPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = ConsolePage("Overview")
        page.topics = ["overview"]
        page.command = "counterfoil api GET /v1/completeness"
        page.api = "/v1/completeness"
        guard visit.may(.operationsRead) else {
            page.paragraph("What needs attention needs the scope operations:read.", "empty")
            page.links([("Search for a customer", visit.link("customers"))])
            return page
        }
        var rows: [[ConsolePage.Cell]] = []
        func add(_ what: String, _ detail: String, _ tone: ConsolePage.Tone, _ word: String, _ link: PageLink) {
            rows.append([.link(what, link), .tag(word, tone), .foreign(detail, limit: 200)])
        }
        if let problem = await visit.console.core.readiness.ledgerProblem() {
            add("Ledger", "It cannot be written: \(problem).", .bad, "failing", visit.link("operations"))
        }
        try await completeness(visit, &page, add)
        try await webhooks(visit, add)
        if visit.may(.operationsRead) {
            let failed = try await visit.get(visit.target(["notifications"], [("state", "failed"), ("limit", "1")]))
            if let first = failed.json["items"].items.first {
                add(
                    "Notifications that failed", "The last: \(first["failure"].text ?? "").", .warn, "failed",
                    visit.link("notifications", query: [("state", "failed")]))
            }
        }
        page.title("Needs attention")
        page.table(
            "What is not as it should be, now", ["What", "State", "Detail"], rows,
            empty: "Nothing needs attention. To make something happen, open the simulator, or send a test notification."
        )
        try await latest(visit, &page)
        return page
    }

    private static func completeness(
        _ visit: Visit, _ page: inout ConsolePage,
        _ add: (String, String, ConsolePage.Tone, String, PageLink) -> Void
    ) async throws {
        let answer = try await visit.get("/v1/completeness")
        guard visit.accept(answer, &page, "Completeness") else { return }
        for item in answer.json["items"].items where item["state"].text != "complete" {
            let name = "\(item["app"].text ?? "") \(item["environment"].text ?? "")"
            let state = item["state"].text ?? "unknown"
            add(
                "Completeness of \(name)", item["reason"].text ?? "Something may be missing.",
                state == "catching_up" ? .warn : .bad, state.words, visit.link("completeness"))
        }
    }

    private static func webhooks(
        _ visit: Visit, _ add: (String, String, ConsolePage.Tone, String, PageLink) -> Void
    ) async throws {
        guard visit.may(.webhooksWrite) else { return }
        for item in try await visit.get("/v1/webhooks").json["items"].items {
            let name = item["name"].text ?? ""
            if item["enabled"].flag == false {
                add(
                    "Endpoint \(name)", "Switched off: \(item["disabled_reason"].text ?? "").", .bad, "off",
                    visit.link("webhooks", name))
            } else if let since = item["failing_since"].instant {
                add(
                    "Endpoint \(name)", "Failing since \(since.formatted(.iso8601)).", .warn, "failing",
                    visit.link("webhooks", name))
            }
        }
    }

    private static func latest(_ visit: Visit, _ page: inout ConsolePage) async throws {
        let target = visit.target(["notifications"], [("limit", "10")])
        let answer = try await visit.get(target)
        page.title("Last notifications")
        guard visit.accept(answer, &page, "Notifications") else { return }
        NotificationsPage.table(
            answer.json["items"].items, visit, &page,
            empty:
                "None was received yet. Run counterfoil simulator trigger SUBSCRIBED against the simulator, or see docs."
        )
    }
}

extension String {
    /// A word of the API as people read it.
    var words: String { replacing("_", with: " ") }
}
