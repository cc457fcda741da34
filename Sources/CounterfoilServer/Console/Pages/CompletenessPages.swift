internal import Foundation
internal import Ledger
internal import WebConsole

/// The page of completeness and recoveries.
enum CompletenessPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Completeness")
        page.topics = [ChangeTopic.recoveries]
        page.api = "/v1/completeness"
        page.addNoteOfDoneAction(pageRequest)
        let answer = try await pageRequest.get("/v1/completeness")
        let recoveries = try await pageRequest.get(
            pageRequest.target(["recoveries"], pageRequest.parameters("page"), isScoped: false))
        guard pageRequest.accept(answer, &page, "Completeness") else { return page }
        let items = answer.json["items"].items
        drawing(of: items, now: pageRequest.now, &page)
        // Among hundreds of apps, those that need attention come first.
        for item in items.filter({ !isComplete($0) }) + items.filter(isComplete) { show(item, &page) }
        let open = recoveries.json["items"].items.filter { $0["state"].text == "open" }
        if !open.isEmpty {
            page.title("Under way")
            page.table(
                nil, RecoveryPage.columns, open.map { RecoveryPage.row($0, pageRequest) },
                empty: "")
        }
        page.holdFollowingBlocks()
        page.title("Recoveries")
        if pageRequest.accept(recoveries, &page, "Recoveries", isPart: true) {
            page.table(
                "Recoveries from the notification history, newest first", RecoveryPage.columns,
                recoveries.json["items"].items.map { RecoveryPage.row($0, pageRequest) },
                empty: "The history was not read yet. That needs an In-App Purchase key in the configuration.")
            page.links([], next: pageRequest.nextPage(of: recoveries.json, "completeness"))
        }
        page.action("recover", pageRequest, [], title: "Read a period again")
        return page
    }

    private static func isComplete(_ item: APIValue) -> Bool {
        item["state"].text == Completeness.State.complete.rawValue
    }

    /// Returns the tone of a state of completeness, here and on the overview.
    static func tone(_ state: String) -> ConsolePage.Tone {
        switch Completeness.State(rawValue: state) {
        case .complete?: .good
        case .catchingUp?: .warn
        default: .bad
        }
    }

    private static func show(_ item: APIValue, _ page: inout ConsolePage) {
        let state = item["state"].text ?? "unknown"
        page.title(item.scopeName)
        var facts: [(String, ConsolePage.Cell)] = [("State", .tag(state.words, tone(state)))]
        if let reason = item["reason"].text { facts.append(("Why", .foreign(reason, limit: 500))) }
        if let since = item["complete_since"].instant { facts.append(("Complete since", .time(since))) }
        facts.append(("Complete until", .instant(item["complete_until"], or: .plain("not known"))))
        if let checked = item["known_by"]["checked_at"].instant { facts.append(("Checked", .time(checked))) }
        for (name, count) in item["missing"].members where (count.number ?? 0) > 0 {
            facts.append(("Missing: \(name.words)", .plain(count.text ?? "")))
        }
        page.facts(facts)
        if let unverified = item["unverified_items"].items.first {
            page.paragraph("Not verified: \(unverified.string("code")) \(unverified.string("message"))", "note")
        }
    }

    /// Draws the completeness marks on a time axis.
    private static func drawing(of items: [APIValue], now: Date, _ page: inout ConsolePage) {
        let marks = items.compactMap { CompletenessBars($0, now: now) }
        guard !marks.isEmpty else { return }
        let rows = marks.map(\.row)
        let bars = TimeBars(rows, now: now)
        page.drawing(
            bars.drawing(title: "Completeness", summary: marks.map(\.sentence).joined(separator: " ")),
            caption: "Periods without missing notifications, in UTC" + TimeBars.omissions(from: rows),
            legend: bars.legend)
    }
}

/// The completeness mark of an app in an environment as bars.
private struct CompletenessBars {
    var row: TimeBars.Row
    var sentence: String

    /// Returns nil if there is no mark.
    init?(_ item: APIValue, now: Date) {
        guard let since = item["complete_since"].instant, let until = item["complete_until"].instant else { return nil }
        let name = item.scopeName
        sentence = "\(name) is complete from \(since.consoleText) to \(until.consoleText)."
        var bars = [TimeBars.Bar(since, until, .complete, sentence)]
        if until < now {
            bars.append(.init(until, now, .unknown, "Not known to be complete since \(until.consoleText)"))
        }
        for span in item["unverified_spans"].items {
            guard let from = span["from"].instant, let to = span["to"].instant else { continue }
            let label = "Not all verified from \(from.consoleText) to \(to.consoleText)"
            bars.append(.init(from, max(to, from + 1), .unverified, label))
        }
        row = TimeBars.Row(name, bars)
    }
}
