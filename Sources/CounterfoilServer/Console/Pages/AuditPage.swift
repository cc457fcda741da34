internal import WebConsole

/// The page of the audit log.
enum AuditPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Audit log")
        page.up = ("Operations", pageRequest.link("operations"))
        let query = pageRequest.parameters("page")
        let target = pageRequest.target(["audit"], query, isScoped: false)
        guard let json = try await pageRequest.read(target, &page, "The audit log") else { return page }
        page.table(
            "Actions, newest first",
            ["When", "Who", "What", "About", "Change", "Result", "Session", "Address", "Chain"],
            json["items"].items.map { item in
                let isChained = item["is_chained"].flag != false
                let session = item.string("session")
                return [
                    .time(item["at"].instant), .foreign(item.string("actor")), .code(item.string("action")),
                    .foreign(item.string("target")), .foreign(item.string("detail"), limit: 300),
                    .plain(item.string("result")), session.isEmpty ? .none : .code(session),
                    .foreign(item.string("address")),
                    .tag(isChained ? "whole" : "broken", isChained ? .good : .bad),
                ]
            }, empty: "Nothing was done yet.")
        let title = "The last \(ListFormat.csv.maximumPageSize.grouped) as a file for a spreadsheet (CSV)"
        page.links(
            [(title, pageRequest.link("operations", "audit.csv", query: query))],
            next: pageRequest.nextPage(of: json, "operations", "audit"))
        return page
    }
}
