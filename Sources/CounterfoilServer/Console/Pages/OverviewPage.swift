internal import AppStoreModels
internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// What needs attention, and where to go from there.
enum OverviewPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = visit.page("Overview")
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
        try await inbox(visit, add)
        try await questions(visit, add)
        try await refusals(visit, add)
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

    /// What waits for too long, and what failed.
    private static func inbox(
        _ visit: Visit, _ add: (String, String, ConsolePage.Tone, String, PageLink) -> Void
    ) async throws {
        let core = visit.console.core
        if let oldest = try await core.storage.backlog().oldest,
            case let age = core.now.timeIntervalSince(Date(milliseconds: oldest)), age > longestWait
        {
            add(
                "Notifications that wait", "The oldest has waited for \(Int(age / 60)) minutes.", .bad, "waiting",
                visit.link("notifications", query: [("state", "pending")]))
        }
        let failed = try await visit.get(visit.target(["notifications"], [("state", "failed"), ("limit", "1")]))
        if let first = failed.json["items"].items.first {
            add(
                "Notifications that failed", "The last: \(first["failure"].text ?? "").", .warn, "failed",
                visit.link("notifications", query: [("state", "failed")]))
        }
    }

    /// How long a notification may wait before somebody is told.
    private static let longestWait: TimeInterval = 300
    /// How long before its end a question is urgent.
    private static let urgency: TimeInterval = 2 * 3600

    /// Questions before refunds that end soon.
    private static func questions(
        _ visit: Visit, _ add: (String, String, ConsolePage.Tone, String, PageLink) -> Void
    ) async throws {
        guard visit.may(.supportRead), visit.selection.scope != nil else { return }
        let answer = try await visit.get(visit.target(["consumption"], [("state", "pending"), ("limit", "100")]))
        let now = visit.console.core.now
        let urgent = answer.json["items"].items.compactMap { $0["answer_due_at"].instant }
            .filter { $0.timeIntervalSince(now) < urgency }
        guard let first = urgent.first else { return }
        add(
            "Refund questions",
            "\(urgent.count) of them end within two hours, the first at \(first.formatted(.iso8601)).",
            .warn, "due", visit.link("refunds"))
    }

    /// Reasons of refusals of the last day that the day before did not have.
    private static func refusals(
        _ visit: Visit, _ add: (String, String, ConsolePage.Tone, String, PageLink) -> Void
    ) async throws {
        let answer = try await visit.get("/v1/refused?limit=100")
        guard answer.isFine else { return }
        let now = visit.console.core.now
        var (fresh, known): (Set<String>, Set<String>) = ([], [])
        for item in answer.json["items"].items {
            guard let code = item["code"].text, let at = item["received_at"].instant else { continue }
            if now.timeIntervalSince(at) < 86_400 { fresh.insert(code) } else { known.insert(code) }
        }
        fresh.subtract(known)
        guard !fresh.isEmpty else { return }
        add(
            "Refused in the last day",
            "Reasons that the day before did not have: \(fresh.sorted().joined(separator: ", ")).",
            .warn, "new", visit.link("refused"))
    }

    private static func latest(_ visit: Visit, _ page: inout ConsolePage) async throws {
        let target = visit.target(["notifications"], [("limit", "10")])
        let answer = try await visit.get(target)
        page.holdFromHere()
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
