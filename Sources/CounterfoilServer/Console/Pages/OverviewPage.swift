internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Ledger
internal import WebConsole

/// The page of everything that needs attention, with links to the details.
struct OverviewPage {
    let storage: any LedgerStorage & ConsumptionStorage & RefusalStorage
    let readiness: Readiness

    /// Adds a row: the subject, the detail, the tone and word of the state, and the link.
    private typealias AddRow = (String, String, ConsolePage.Tone, String, PageLink) -> Void

    @Sendable func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Overview")
        page.topics = [ChangeTopic.overview]
        page.api = "/v1/completeness"
        guard pageRequest.may(.operationsRead) else {
            page.paragraph("To see what needs attention, the key needs the scope operations:read.", "empty")
            if pageRequest.may(.supportRead) {
                page.links([("Search for a customer", pageRequest.link("customers"))])
            }
            return page
        }
        var rows: [[ConsolePage.Cell]] = []
        func add(_ subject: String, _ detail: String, _ tone: ConsolePage.Tone, _ word: String, _ link: PageLink) {
            rows.append([.link(subject, link), .tag(word, tone), .foreign(detail, limit: 200)])
        }
        if readiness.isDraining {
            add(
                "Server", "It is stopping and accepts no more requests.", .bad, "draining",
                pageRequest.link("operations"))
        }
        if let problem = await readiness.ledgerProblem() {
            add("Ledger", "It cannot be written: \(problem).", .bad, "failing", pageRequest.link("operations"))
        }
        try await completeness(pageRequest, &page, add)
        try await webhooks(pageRequest, &page, add)
        try await inbox(pageRequest, add)
        try await consumption(pageRequest, add)
        try await refusals(pageRequest, add)
        page.holdFollowingBlocks()
        page.title("Needs attention")
        page.table(
            nil, ["Problem", "State", "Detail"], rows,
            empty: "Nothing needs attention.")
        simulator(pageRequest, &page)
        try await latest(pageRequest, &page)
        return page
    }

    /// In Sandbox, adds a link to the simulator whose clock the server follows.
    private func simulator(_ pageRequest: PageRequest, _ page: inout ConsolePage) {
        guard pageRequest.selection.appEnvironment?.environment != .production else { return }
        guard let simulator = pageRequest.console.simulator,
            let panel = URL(string: "/?environment=sandbox", relativeTo: simulator),
            let link = PageLink(external: panel.absoluteString)
        else { return }
        page.links([("Make something happen in the simulator", link)])
    }

    private func completeness(_ pageRequest: PageRequest, _ page: inout ConsolePage, _ add: AddRow) async throws {
        guard let json = try await pageRequest.read("/v1/completeness", &page, "Completeness") else { return }
        for item in json["items"].items {
            let name = item.scopeName
            if let failed = item["missing"]["failed_notifications"].number, failed > 0 {
                add(
                    "Notifications that failed", "\(failed.grouped) of \(name).", .warn, "failed",
                    PageLink(["console", "notifications"], query: item.scope + [("state", "failed")]))
            }
            guard item["state"].text != "complete" else { continue }
            let state = item["state"].text ?? "unknown"
            add(
                "Completeness of \(name)", item["reason"].text ?? "Something may be missing.",
                CompletenessPage.tone(state), state.words, pageRequest.link("completeness"))
        }
    }

    private func webhooks(_ pageRequest: PageRequest, _ page: inout ConsolePage, _ add: AddRow) async throws {
        guard pageRequest.may(.webhooksWrite) else { return }
        guard let json = try await pageRequest.read("/v1/webhooks", &page, "Webhooks") else { return }
        for item in json["items"].items {
            let name = item.string("name")
            if item["enabled"].flag == false {
                add(
                    "Endpoint \(name)", "Switched off: \(WebhooksPage.reason(item) ?? "").", .bad, "off",
                    pageRequest.link("webhooks", name))
            } else if let since = item["failing_since"].instant {
                add(
                    "Endpoint \(name)", "Failing since \(since.consoleText).", .warn, "failing",
                    pageRequest.link("webhooks", name))
            }
        }
    }

    /// Adds a row if a notification has waited too long.
    private func inbox(_ pageRequest: PageRequest, _ add: AddRow) async throws {
        let backlog = try await storage.backlog()
        if let oldest = backlog.oldest, let code = backlog.oldestCode,
            oldest < pageRequest.now.milliseconds - ServerCore.longestWait
        {
            let age = pageRequest.now.timeIntervalSince(Date(milliseconds: oldest))
            // The inbox has the notifications of all apps and environments. Link to those of the oldest.
            let first = try await storage.pending(after: code - 1, limit: 1).first
            let found = pageRequest.selection.all.first { $0.id == first?.scope }?.parameters
            let query = (found ?? pageRequest.selection.query) + [("state", "pending")]
            add(
                "Notifications that wait", "The oldest has waited for \(age.lengthInWords).", .bad, "waiting",
                PageLink("console", "notifications", query: query))
        }
    }

    /// How long before its deadline a consumption request is urgent, in seconds.
    private static let urgency: TimeInterval = 2 * 3600

    /// Adds rows for consumption requests with a near deadline, for each app and environment of the key. Those that the
    /// server should not answer need no attention.
    private func consumption(_ pageRequest: PageRequest, _ add: AddRow) async throws {
        guard pageRequest.may(.supportRead) else { return }
        let end = (pageRequest.now + Self.urgency).milliseconds
        let all = pageRequest.selection.all
        let backlogs = try await storage.inquiryBacklogs(in: all.map(\.id), dueBefore: end)
        // Production first: in Sandbox there is no money to refund.
        let ordered = all.filter { $0.environment == .production } + all.filter { $0.environment != .production }
        for appEnvironment in ordered {
            let query = appEnvironment.parameters
            guard let urgent = backlogs[appEnvironment.id], let deadline = urgent.firstDeadline else { continue }
            let first = Date(milliseconds: deadline).consoleText
            add(
                "Consumption requests of \(query.map(\.1).joined(separator: " "))",
                urgent.count == 1
                    ? "1 is due within two hours, at \(first)."
                    : "\(urgent.count.grouped) are due within two hours, the first at \(first).",
                .warn, "due", PageLink(["console", "refunds"], query: query))
        }
    }

    /// The number of last refusals that are counted.
    private static let lastRefusals: Int64 = 5000

    /// Adds a row for reasons of refusals in the last day that did not occur the day before.
    private func refusals(_ pageRequest: PageRequest, _ add: AddRow) async throws {
        // The app named in a refused request is not trustworthy, so only an unlimited key may see refusals.
        guard pageRequest.principal.isUnlimited else { return }
        let (now, day, depth) = (pageRequest.now.milliseconds, Milliseconds(86_400_000), Self.lastRefusals)
        let last = try await storage.refusalCounts(from: now - day, to: .max, amongLast: depth)
        let known = try await storage.refusalCounts(from: now - 2 * day, to: now - day, amongLast: depth)
        let fresh = last.keys.filter { known[$0] == nil }.sorted()
        guard !fresh.isEmpty else { return }
        let isMany = last.values.reduce(0, +) >= depth
        add(
            "Refused in the last day",
            "Reasons that \(isMany ? "are among the last \(depth.grouped)" : "the day before did not have"): "
                + fresh.joined(separator: ", ") + ".",
            .warn, "new", pageRequest.link("notifications", "refused"))
    }

    private func latest(_ pageRequest: PageRequest, _ page: inout ConsolePage) async throws {
        let target = pageRequest.target(["notifications"], [("limit", "10")])
        page.title("Last notifications")
        guard let json = try await pageRequest.read(target, &page, "Notifications", isPart: true) else { return }
        NotificationsPage.table(
            json["items"].items, pageRequest, &page,
            empty: "No notification was received yet. The URL for App Store Connect is /apple/notifications. "
                + "In a simulator: \(Self.triggerCommand(pageRequest.selection.appEnvironment?.environment)).")
    }

    /// Returns the command with which the simulator sends the first notification of an environment.
    private static func triggerCommand(_ environment: AppStoreEnvironment?) -> String {
        let option = environment == .sandbox ? " --environment sandbox" : ""
        return "counterfoil simulator trigger SUBSCRIBED.INITIAL_BUY" + option
    }
}

extension String {
    /// The text with underscores replaced by spaces, for display.
    var words: String { replacing("_", with: " ") }

    /// The text with its instants as the console writes them: `2027-03-01 12:00:00 UTC`.
    var withReadableInstants: String {
        replacing(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)Z/) { "\($0.1) \($0.2) UTC" }
    }
}
