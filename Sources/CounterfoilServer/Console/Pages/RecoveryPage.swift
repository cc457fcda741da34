internal import Foundation
internal import WebConsole

/// The page of one recovery with its windows.
enum RecoveryPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let id = pageRequest.segment("id")
        var page = pageRequest.page("Recovery", foreign: id, up: ("Completeness", pageRequest.list("completeness")))
        page.topics = [ChangeTopic.recoveries]
        let target = pageRequest.target(["recoveries", id], isScoped: false)
        guard let json = try await pageRequest.read(target, &page, "The recovery") else { return page }
        facts(json, &page)
        windows(json, &page)
        return page
    }

    private static func facts(_ json: APIValue, _ page: inout ConsolePage) {
        let types = json.strings("types")
        page.facts([
            ("State", NotificationsPage.tag(json.string("state"))), ("App", .foreign(json.scopeName)),
            ("Progress", progress(json)), ("Why", .plain(json.string("cause").words)),
            ("From", .time(json["from"].instant)), ("To", .time(json["to"].instant)),
            ("Types", types.isEmpty ? .plain("all") : .foreign(types.joined(separator: ", "), limit: 500)),
            ("Begun", .time(json["created_at"].instant)),
            ("Ended", .instant(json["finished_at"])),
            ("Pages", count(json, "pages")), ("Found", count(json, "found")), ("New", count(json, "new")),
            ("Known before", count(json, "duplicates")), ("Not verified", count(json, "failed")),
            ("Last error", json["failure"].text.map { .foreign($0, limit: 500) } ?? .none),
        ])
    }

    private static func windows(_ json: APIValue, _ page: inout ConsolePage) {
        let windows = json["window_list"].items
        page.title("Windows")
        page.table(
            "Periods, in the order in which they are read", ["From", "To", "Stage", "Type", "Notifications", "State"],
            windows.map { window in
                let isDone = window["is_done"].flag == true
                return [
                    .time(window["from"].instant), .time(window["to"].instant), .plain(window.string("stage")),
                    .foreign(window["type"].text ?? "all"),
                    .plain(window["only_failures"].flag == true ? "not delivered" : "everything"),
                    .tag(isDone ? "read" : "open", isDone ? .good : .warn),
                ]
            }, empty: "The windows of a finished recovery are not stored.")
        if let all = json["windows"].number, !windows.isEmpty, windows.count < all {
            page.paragraph("These are the first \(windows.count) of \(all.grouped).", "note")
        }
    }

    static let columns = ["Recovery", "App", "Period", "State", "Windows", "Found", "New", "Known", "Failed"]

    /// Returns the row of a recovery for ``columns``.
    static func row(_ item: APIValue, _ pageRequest: PageRequest) -> [ConsolePage.Cell] {
        let id = item.string("id")
        let period = [item["from"], item["to"]].compactMap(\.instant).map(\.consoleText).joined(separator: " to ")
        return [
            .link(id, pageRequest.item("recoveries", id)), .foreign(item.scopeName), .plain(period),
            NotificationsPage.tag(item.string("state")), progress(item), count(item, "found"), count(item, "new"),
            count(item, "duplicates"), count(item, "failed"),
        ]
    }

    private static func count(_ item: APIValue, _ name: String) -> ConsolePage.Cell {
        .number((item[name].number ?? 0).grouped)
    }

    /// Returns the progress in finished windows.
    private static func progress(_ item: APIValue) -> ConsolePage.Cell {
        let all = item["windows"].number ?? 0
        let done = all - (item["open_windows"].number ?? 0)
        return .progress(done, of: all, "\(done.grouped) of \(all.grouped) windows")
    }
}
