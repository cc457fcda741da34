internal import Ledger
internal import WebConsole

/// The page of the audit log.
enum AuditPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Audit log", up: ("Operations", pageRequest.link("operations")))
        let (filter, query) = (Self.filter(pageRequest), Self.query(pageRequest))
        let target = pageRequest.target(["audit"], query, isScoped: false)
        page.holdFollowingBlocks()
        if let json = try await pageRequest.read(target, &page, "The audit log") {
            let next = pageRequest.nextPage(of: json, "operations", "audit", query: filter)
            if next != nil, filter.contains(where: { $0.0 != "target" }) {
                let count = AuditFilter().scanLimit.grouped
                page.paragraph("Searched up to \(count) entries; the next page goes on.", "note")
            }
            list(
                json, &page,
                empty: query.isEmpty
                    ? "Nothing was done yet." : next == nil ? "There is none." : "None among the searched entries.")
            let title = "The last \(ListFormat.csv.maximumPageSize.grouped) as a file for a spreadsheet (CSV)"
            page.links([(title, pageRequest.link("operations", "audit.csv", query: query))], next: next)
        }
        form(pageRequest, &page)
        return page
    }

    /// The filter of the page; the API has the same parameters.
    private static func filter(_ pageRequest: PageRequest) -> [(String, String)] {
        pageRequest.parameters("target", "actor", "action")
    }

    /// The parameters of the API for the page.
    static func query(_ pageRequest: PageRequest) -> [(String, String)] {
        filter(pageRequest) + pageRequest.parameters("page")
    }

    private static func list(_ json: APIValue, _ page: inout ConsolePage, empty: String) {
        page.table(
            "Newest first", ["When", "Who", "What", "About", "Change", "Result", "Session", "Address", "Chain"],
            json["items"].items.map { item in
                let isChained = item["is_chained"].flag != false
                let session = item.string("session")
                return [
                    .time(item["at"].instant), .foreign(item.string("actor")), .code(item.string("action")),
                    .foreign(item.string("target")), .foreign(item.string("detail"), limit: 300),
                    .code(item.string("result")), session.isEmpty ? .none : .code(session),
                    .foreign(item.string("address")),
                    .tag(isChained ? "whole" : "broken", isChained ? .good : .bad),
                ]
            }, empty: empty)
    }

    private static func form(_ pageRequest: PageRequest, _ page: inout ConsolePage) {
        guard pageRequest.may(.auditRead) else { return }
        let labels = [
            ("actor", "Who", "The name of a key, or a session"),
            ("action", "What", "Such as DELETE /v1/customers/{id} or sign-in"),
            ("target", "About", "A customer, a purchase or an endpoint"),
        ]
        let fields = labels.map { name, label, hint in
            FormField(name, label, value: pageRequest.parameter(name), hint: hint)
        }
        page.filter(
            "Filter the audit log", of: PageLink("console", "operations", "audit"), fields, pageRequest)
    }
}

extension PageRequest {
    /// The link to the changes of an object in the audit log; none if the key may not read the log.
    func auditLinks(about target: String) -> [(String, PageLink)] {
        guard may(.auditRead), principal.isUnlimited else { return [] }
        return [("Changes by people", link("operations", "audit", query: [("target", target)]))]
    }
}
