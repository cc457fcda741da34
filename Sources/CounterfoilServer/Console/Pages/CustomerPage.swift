internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import Ledger
internal import WebConsole

/// The page of a customer: entitlements, purchases, claims, grants and the timeline.
enum CustomerPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let id = pageRequest.segment("id")
        var page = pageRequest.page("Customer", foreign: id)
        page.up = ("Customers", pageRequest.list("customers"))
        page.topics = pageRequest.parameter("at") == nil ? [ChangeTopic.customer(id)] : []
        page.addNoteOfDoneAction(pageRequest)
        let instant = pageRequest.instant.map { [("at", $0)] } ?? []
        let target = pageRequest.target(["customers", id], instant + [("include", "periods,spend")])
        guard let json = try await pageRequest.read(target, &page, "The customer") else { return page }
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
            "What the customer has", ["Entitlement", "Access", "State", "Until", "Why"],
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
    private static func withDetails(_ state: String, _ item: APIValue) -> String {
        ([state] + item["details"].items.compactMap { $0.text?.words }).joined(separator: ", ")
    }

    /// Draws the periods on a time axis.
    private static func bars(_ json: APIValue, _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        let items = json["periods"].items
        let rows = PeriodRows.rows(of: items)
        guard !rows.isEmpty else { return }
        let bars = TimeBars(rows, now: json["as_of"].instant ?? pageRequest.console.core.now)
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

    /// Returns the link to a preview of the answer to a consumption request.
    private static func consumption(_ item: APIValue, of id: String, _ pageRequest: PageRequest) -> ConsolePage.Cell {
        guard let transaction = item["transaction_id"].text else { return .none }
        let query = [("customer", id), ("transaction", transaction)]
        return .link("preview the answer", pageRequest.link("refunds", "of", query: query))
    }

    /// The maximum number of subscriptions and of purchases that are shown. A customer who buys consumables can have
    /// thousands of purchases.
    static let mostPurchases = 10

    /// Returns the last items of a list. If these are not all, adds a paragraph with the total.
    private static func last(_ items: [APIValue], _ page: inout ConsolePage) -> ArraySlice<APIValue> {
        if items.count > mostPurchases {
            page.paragraph(
                "These are the last \(mostPurchases) of \(items.count.grouped). The API lists all of them.", "note")
        }
        return items.suffix(mostPurchases)
    }

    private static func lists(_ json: APIValue, _ id: String, _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        if !json["subscriptions"].items.isEmpty {
            page.title("Subscriptions")
            let shown = last(json["subscriptions"].items, &page)
            page.table(
                "Auto-renewable subscriptions",
                ["Product", "Status", "Access until", "Renews", "Next step", "Transaction", "Consumption request"],
                shown.map { item in
                    let hasAccess = item["has_access"].flag == true
                    let product = json["products"].items.first {
                        $0["transaction_id"].text == item["transaction_id"].text
                    }
                    return [
                        .foreign(item.string("product_id")),
                        .tag(withDetails(hasAccess ? "access" : "no access", item), hasAccess ? .good : .bad),
                        .time(item["access_until"].instant ?? product?["ended_at"].instant),
                        .plain(item["will_renew"].text ?? "not known"),
                        .plain(
                            nextSteps[NextStep(rawValue: item.string("next_step"))] ?? item.string("next_step").words),
                        pageRequest.linkCell("transactions", item.string("original_transaction_id")),
                        consumption(item, of: id, pageRequest),
                    ]
                }, empty: "")
        }
        if !json["purchases"].items.isEmpty {
            page.title("Purchases")
            let shown = last(json["purchases"].items, &page)
            page.table(
                "All other purchases, newest last",
                ["Product", "Bought", "State", "Access until", "Transaction", "Consumption request"],
                shown.map { item in
                    [
                        product(item), .time(item["purchase_date"].instant), state(ofPurchase: item),
                        accessEnd(item),
                        pageRequest.linkCell("transactions", item.string("transaction_id")),
                        consumption(item, of: id, pageRequest),
                    ]
                }, empty: "")
        }
        if !json["consumables"].items.isEmpty {
            page.title("Balances")
            page.table(
                "Consumables", ["Product", "Bought", "Revoked"],
                json["consumables"].items.map { item in
                    [
                        .foreign(item.string("product_id")), .number(item["quantity"].text ?? "0"),
                        .number(item["revoked_quantity"].text ?? "0"),
                    ]
                }, empty: "")
        }
    }

    private static let nextSteps: [NextStep: String] = [
        .noAction: "nothing", .subscribe: "offer a subscription", .fixPayment: "ask for another payment method",
        .requestPriceConsent: "ask for consent to the higher price", .saveOffer: "make an offer to stay",
        .winBackOffer: "make the win-back offer", .promotionalOffer: "make a promotional offer",
    ]

    /// Returns the product of a purchase, with the quantity as in the timeline.
    private static func product(_ item: APIValue) -> ConsolePage.Cell {
        let quantity = item["quantity"].number ?? 1
        return .foreign(item.string("product_id") + (quantity > 1 ? " (\(quantity.grouped) times)" : ""))
    }

    private static func isConsumable(_ item: APIValue) -> Bool {
        item["type"].text == ProductType.consumable.rawValue
    }

    /// Returns the state of a purchase. A consumable gives no access: its state is empty unless it was revoked.
    private static func state(ofPurchase item: APIValue) -> ConsolePage.Cell {
        if item["has_access"].flag == true { return .tag(withDetails("access", item), .good) }
        guard isConsumable(item) else { return .tag(withDetails("no access", item), .bad) }
        let details = item.strings("details").map(\.words)
        return details.isEmpty ? .none : .tag(details.joined(separator: ", "), .bad)
    }

    /// Returns when the access that a purchase gives ends or ended. A refund can end it before its planned end.
    private static func accessEnd(_ item: APIValue) -> ConsolePage.Cell {
        guard !isConsumable(item) else { return .none }
        let ends = [item["revocation_date"], item["ends_at"]].compactMap(\.instant)
        return ends.min().map { .time($0) } ?? (item["has_access"].flag == true ? .plain("no end") : .none)
    }

    private static func spend(_ json: APIValue, _ page: inout ConsolePage) {
        let without = json["without_price"].number ?? 0
        guard !json["items"].items.isEmpty || without > 0 else { return }
        page.title("Spend")
        page.table(
            "What the customer paid, as the App Store signed it", ["Currency", "Paid", "Refunded", "Kept", "Payments"],
            json["items"].items.map { item in
                let currency = item.string("currency")
                let (paid, refunded) = (item["paid_milliunits"].number ?? 0, item["refunded_milliunits"].number ?? 0)
                // Both are non-negative, so the difference cannot overflow.
                return [
                    .foreign(currency), .number(PriceText.amount(paid, in: currency)),
                    .number(PriceText.amount(refunded, in: currency)),
                    .number(PriceText.amount(paid - refunded, in: currency)),
                    .number(item["payments"].text ?? "0"),
                ]
            }, empty: "No price is known.")
        if without > 0 {
            page.paragraph(
                "Transactions without a known price: \(without). Receipts have none, and records from before prices were kept have one after counterfoil ledger rebuild.",
                "note")
        }
        if let upgraded = json["upgraded"].number, upgraded > 0 {
            page.paragraph(
                "Periods that ended with an upgrade: \(upgraded). The App Store does not sign what it refunds for the rest of them, so these figures do not include it.",
                "note")
        }
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

    private static func forms(
        _ json: APIValue, _ grants: ShownGrants, _ id: String, _ pageRequest: PageRequest, _ page: inout ConsolePage
    ) {
        page.form(
            "As of another instant", parametersOf: PageLink("console", "customers", id),
            FormField.hidden(pageRequest.listQuery)
                + [.init("at", "Instant, such as 2026-05-03T12:00:00Z", value: pageRequest.instantField)],
            pageRequest, button: "Show")
        page.action("refresh", pageRequest, [("id", id)], title: "Read the purchases again")
        let subscriptions = json["subscriptions"].items.compactMap { item in
            item["original_transaction_id"].text.map { (value: $0, title: "\(item.string("product_id")), \($0)") }
        }
        if let first = subscriptions.first {
            page.action(
                "extend", pageRequest, [("customer", id)],
                [
                    .init("id", "Subscription", .choice(subscriptions), value: first.value),
                    .init(
                        "reason", "Reason",
                        .choice(["customer_satisfaction", "other", "service_issue"].map { ($0, $0.words) }),
                        value: "customer_satisfaction"),
                ], title: "Extend a subscription")
        }
        grantForms(json, grants, id, pageRequest, &page)
        page.action(
            "offer", pageRequest, [("id", id)],
            [
                .init("format", "Format", .choice([("jws", "JWS"), ("original", "original format")]), value: "jws")
            ], title: "Sign an offer")
        page.action("transfer", pageRequest, [("id", id)], title: "Take over a purchase")
    }

    private static func grantForms(
        _ json: APIValue, _ grants: ShownGrants, _ id: String, _ pageRequest: PageRequest, _ page: inout ConsolePage
    ) {
        let entitlements = json["entitlements"].items.compactMap { $0["key"].text }
        if let first = entitlements.first {
            page.action(
                "grant", pageRequest, [("id", id)],
                [.init("entitlement", "Entitlement", .choice(entitlements.map { ($0, $0) }), value: first)],
                title: "Give an entitlement")
        }
        let running = grants.items.filter { $0["state"].text == Grant.State.running.rawValue }.compactMap { grant in
            grant["id"].text.map { (value: $0, title: "\(grant.string("entitlement")), \($0)") }
        }
        // If not all grants are listed, the user types the identifier.
        let choice: FormField? =
            grants.areAll
            ? running.first.map { FormField("grant", "Grant", .choice(running), value: $0.value) }
            : FormField("grant", "Grant, such as grt_0123…")
        guard let choice else { return }
        page.action("revoke", pageRequest, [("id", id)], [choice], title: "Revoke a grant")
    }
}
