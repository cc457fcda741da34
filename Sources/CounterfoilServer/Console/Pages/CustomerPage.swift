internal import Basics
internal import Entitlements
internal import Foundation
internal import Ledger
internal import WebConsole

/// The page of a customer: entitlements, purchases, claims, grants and the timeline.
enum CustomerPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let id = pageRequest.segment("id")
        var page = pageRequest.page("Customer", foreign: id, up: ("Customers", pageRequest.list("customers")))
        page.topics = pageRequest.parameter("at") == nil ? [ChangeTopic.customer(id)] : []
        page.addNoteOfDoneAction(pageRequest)
        let instant = pageRequest.instant.map { [("at", $0)] } ?? []
        let target = pageRequest.target(["customers", id], instant + [("include", "periods,spend")])
        guard let json = try await pageRequest.read(target, &page, "The customer") else {
            if !instant.isEmpty { instantForm(id, pageRequest, &page) }
            return page
        }
        if !instant.isEmpty, let then = json["as_of"].instant {
            page.paragraph("As it was known at \(then.consoleText).", "note")
            page.links([
                ("Show what is known now", pageRequest.link("customers", id, query: pageRequest.listQuery))
            ])
        }
        states(json, id, instant, pageRequest, &page)
        bars(json, pageRequest, &page)
        lists(json, id, pageRequest, &page)
        spend(json["spend"], &page)
        try await claims(id, instant, pageRequest, &page)
        let grants = try await grants(id, instant, pageRequest, &page)
        page.links(pageRequest.auditLinks(about: id))
        try await timeline(id, instant, pageRequest, &page)
        forms(json, grants, id, pageRequest, &page)
        return page
    }

    private static func states(
        _ json: APIValue, _ id: String, _ instant: [(String, String)], _ pageRequest: PageRequest,
        _ page: inout ConsolePage
    ) {
        page.title("Entitlements")
        page.table(
            nil, ["Entitlement", "Access", "State", "Until", "Why"],
            json["entitlements"].items.map { item in
                let key = item.string("key")
                return [
                    .foreign(key), .access(item["is_active"]),
                    .plain(withDetails(state(of: item), item)),
                    .instant(item["until"], or: item["is_active"].flag == true ? .plain("no end") : .none),
                    .link(
                        "explain \(key)",
                        pageRequest.link("customers", id, "explain", key, query: instant + pageRequest.listQuery)),
                ]
            }, empty: "The configuration has no entitlements for this app.")
    }

    /// Returns the state of an entitlement. The API calls one `new` if none of the customer's purchases gives it, even
    /// if a grant gave it, or a purchase that now belongs to another customer.
    private static func state(of item: APIValue) -> String {
        let state = item.string("state")
        return state == AccessState.new.rawValue ? "no purchase" : state.words
    }

    /// Returns a state with its reasons, such as `no access, refunded`.
    static func withDetails(_ state: String, _ item: APIValue) -> String {
        ([state] + item.strings("details").map(\.words)).joined(separator: ", ")
    }

    /// Draws the periods on a time axis.
    private static func bars(_ json: APIValue, _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        let items = json["periods"].items
        let rows = PeriodRows.rows(of: items)
        guard !rows.isEmpty else { return }
        let bars = TimeBars(rows, now: json["as_of"].instant ?? pageRequest.now)
        let count =
            rows.map { Int64($0.bars.count) }.reduce(0, +) + items.compactMap { $0["omitted"].number }.reduce(0, +)
        page.title("Periods")
        page.drawing(
            bars.drawing(
                title: "Periods",
                summary: "\(rows.count) \(rows.count.noun("purchase")) with \(count) \(count.noun("period")); "
                    + "the lists below name the purchases."),
            caption: "Subscriptions and purchases on a time axis, in UTC" + TimeBars.omissions(from: rows),
            legend: bars.legend)
    }

    /// Adds the customer's grants and returns them for the form to revoke one.
    private static func grants(
        _ id: String, _ instant: [(String, String)], _ pageRequest: PageRequest, _ page: inout ConsolePage
    ) async throws -> ShownGrants {
        let target = pageRequest.target(["customers", id, "grants"], [("limit", "100")])
        guard let json = try await pageRequest.read(target, &page, "Grants", isPart: true) else { return ShownGrants() }
        let items = json["items"].items
        guard !items.isEmpty else { return ShownGrants() }
        page.title("Grants")
        if !instant.isEmpty { page.paragraph("These are the grants as they are now.", "note") }
        page.table(
            "Entitlements that the team gave", ["Entitlement", "State", "Until", "Reason", "By", "Grant"],
            items.map { item in
                let isRunning = item["state"].text == Grant.State.running.rawValue
                return [
                    .foreign(item.string("entitlement")), NotificationsPage.tag(item.string("state")),
                    .instant(item["until"], or: isRunning ? .plain("no end") : .none), .foreign(item.string("reason")),
                    .foreign(item.string("actor")), .code(item.string("id")),
                ]
            }, empty: "")
        let areAll = json["next_page"].text == nil
        if !areAll {
            page.paragraph("There are later ones. The API lists all of them: GET /v1/customers/ID/grants.", "empty")
        }
        return ShownGrants(items: items, areAll: areAll)
    }

    private struct ShownGrants {
        var items: [APIValue] = []
        var areAll = true
    }

    private static func instantForm(_ id: String, _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        page.form(
            "As of another instant", parametersOf: PageLink("console", "customers", id),
            FormField.hidden(pageRequest.listQuery)
                + [
                    .init("at", "Instant", value: pageRequest.instantField, hint: "Such as 2026-05-03T12:00:00Z")
                ],
            pageRequest, button: "Show")
    }

    private static func forms(
        _ json: APIValue, _ grants: ShownGrants, _ id: String, _ pageRequest: PageRequest, _ page: inout ConsolePage
    ) {
        instantForm(id, pageRequest, &page)
        page.action("refresh", pageRequest, [("id", id)], title: "Read the purchases again")
        let subscriptions = json["subscriptions"].items.compactMap { item in
            item["original_transaction_id"].text.map { (value: $0, title: "\(item.string("product_id")), \($0)") }
        }
        if !subscriptions.isEmpty {
            let reasons = ["customer_satisfaction", "other", "service_issue"].map { (value: $0, title: $0.words) }
            page.action(
                "extend", pageRequest, [("customer", id)],
                [.init("id", "Subscription", .choice(subscriptions)), .init("reason", "Reason", .choice(reasons))],
                title: "Extend a subscription")
        }
        grantForms(json, grants, id, pageRequest, &page)
        page.action(
            "offer", pageRequest, [("id", id)],
            [.init("format", "Format", .choice([("jws", "JWS"), ("original", "original format")]))],
            title: "Sign an offer")
        page.action("transfer", pageRequest, [("id", id)], title: "Take over a purchase")
    }

    private static func grantForms(
        _ json: APIValue, _ grants: ShownGrants, _ id: String, _ pageRequest: PageRequest, _ page: inout ConsolePage
    ) {
        let entitlements = json["entitlements"].items.compactMap { $0["key"].text }
        if !entitlements.isEmpty {
            page.action(
                "grant", pageRequest, [("id", id)],
                [.init("entitlement", "Entitlement", .choice(entitlements.map { ($0, $0) }))],
                title: "Give an entitlement")
        }
        let running = grants.items.filter { $0["state"].text == Grant.State.running.rawValue }.compactMap { grant in
            grant["id"].text.map { (value: $0, title: "\(grant.string("entitlement")), \($0)") }
        }
        // If not all grants are listed, the user types the identifier.
        let choice: FormField? =
            grants.areAll
            ? (running.isEmpty ? nil : FormField("grant", "Grant", .choice(running)))
            : FormField("grant", "Grant, such as grt_0123…", isRequired: true)
        guard let choice else { return }
        page.action("revoke", pageRequest, [("id", id)], [choice], title: "Revoke a grant")
    }
}
