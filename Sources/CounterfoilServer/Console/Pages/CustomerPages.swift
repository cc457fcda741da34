internal import AppStoreModels
internal import AppStoreTrust
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// Search by anything exact, and who was lately active.
enum CustomersPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = ConsolePage("Customers")
        (page.api, page.command) = ("/v1/search?q=…", "counterfoil api GET '/v1/search?q=…'")
        if let query = visit.parameter("q") {
            let target = visit.target(["search"], [("q", query)], isScoped: false)
            (page.api, page.command) = (target, "counterfoil api GET '\(target)'")
            let answer = try await visit.get(target)
            if visit.accept(answer, &page, "The search") { found(answer.json, query, visit, &page) }
        } else {
            page.paragraph(
                "Search for a customer, a transaction, an order, a token, a notification or an event by its exact identifier."
            )
        }
        guard visit.may(.operationsRead) else { return page }
        try await active(visit, &page)
        return page
    }

    private static func found(_ json: APIValue, _ query: String, _ visit: Visit, _ page: inout ConsolePage) {
        page.title("Found")
        page.table(
            "What has this identifier", ["What", "Kind", "App", "Customers"],
            json["items"].items.map { item in
                let (id, kind) = (item["id"].text ?? "", item["kind"].text ?? "")
                let scope = [("app", item["app"].text ?? ""), ("environment", item["environment"].text ?? "")]
                let customers = item["customers"].items.compactMap(\.text)
                return [
                    .link(id, link(kind, id, customers, scope)), .plain(kind.words),
                    .foreign(scope.map(\.1).joined(separator: " ")),
                    customers.first.map {
                        .link(customers.joined(separator: ", "), PageLink(["console", "customers", $0], query: scope))
                    } ?? .none,
                ]
            }, empty: "Nothing has exactly this identifier. Nothing is searched by parts of it.")
        page.table(
            "What was tried", ["Kind", "Found", "Note"],
            json["tried"].items.map { item in
                [
                    .plain((item["kind"].text ?? "").words), .plain(item["found"].flag == true ? "yes" : "no"),
                    .foreign(item["note"].text ?? "", limit: 300),
                ]
            }, empty: "Nothing was tried.")
        if json["tried"].items.contains(where: { $0["kind"].text == "order" }) {
            page.links([("Ask the App Store for the order \(query)", visit.link("orders", query))])
        }
    }

    private static func link(
        _ kind: String, _ id: String, _ customers: [String], _ scope: [(String, String)]
    ) -> PageLink {
        switch kind {
        case "customer": PageLink(["console", "customers", id], query: scope)
        case "notification": PageLink(["console", "notifications", id], query: scope)
        case "event": PageLink(["console", "customers"] + customers.prefix(1), query: scope)
        default: PageLink(["console", "transactions", id], query: scope)
        }
    }

    /// The owners of the last events. There is no list of all customers, on purpose.
    private static func active(_ visit: Visit, _ page: inout ConsolePage) async throws {
        let last = try await visit.get(visit.target(["events"], [("page", "end")]))
        guard let end = last.json["next_page"].text.flatMap({ Int64($0) }) else { return }
        let answer = try await visit.get(
            visit.target(["events"], [("page", String(max(0, end - 200))), ("limit", "100")]))
        var seen: Set<String> = []
        let rows = answer.json["items"].items.reversed().compactMap { event -> [ConsolePage.Cell]? in
            let data = event["data"].isNothing ? event : event["data"]
            guard let customer = data["customer"].text, seen.insert(customer).inserted else { return nil }
            return [
                .link(customer, visit.link("customers", customer)), .plain(event["type"].text ?? ""),
                .time(data["occurred_at"].instant),
            ]
        }
        page.title("Lately active")
        page.table(
            "Customers of the last events", ["Customer", "Last event", "When"], Array(rows.prefix(50)),
            empty: "Nobody yet. What the simulator sells, or a sandbox purchase, appears here.")
    }
}

/// What a customer has, why, and how it came.
enum CustomerPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let id = visit.segment("id")
        var page = ConsolePage("Customer", foreign: id)
        page.up = ("Customers", visit.link("customers"))
        page.topics = visit.parameter("at") == nil ? ["customers"] : []
        page.sayWhatWasDone(visit)
        let at = visit.parameter("at").flatMap { ConsoleAction.milliseconds($0) }
        let instant = at.map { [("at", String($0))] } ?? []
        let target = visit.target(["customers", id], instant)
        (page.api, page.command) = (target, "counterfoil api GET '\(target)'")
        let answer = try await visit.get(target)
        guard visit.accept(answer, &page, "The customer") else { return page }
        if at != nil { page.paragraph("As it was known at that instant.", "note") }
        states(answer.json, id, instant, visit, &page)
        try await bars(id, at, visit, &page)
        lists(answer.json, visit, &page)
        try await grants(id, visit, &page)
        try await timeline(id, instant, visit, &page)
        forms(answer.json, id, visit, &page)
        return page
    }

    private static func states(
        _ json: APIValue, _ id: String, _ instant: [(String, String)], _ visit: Visit, _ page: inout ConsolePage
    ) {
        page.title("Entitlements")
        page.table(
            "What the customer has", ["Entitlement", "Access", "State", "Until", "Why"],
            json["entitlements"].items.map { item in
                let key = item["key"].text ?? ""
                let isActive = item["is_active"].flag == true
                return [
                    .foreign(key), .tag(isActive ? "access" : "no access", isActive ? .good : .bad),
                    .plain((item["state"].text ?? "").words), .time(item["until"].instant),
                    .link("explain \(key)", visit.link("customers", id, "explain", key, query: instant)),
                ]
            }, empty: "The configuration has no entitlements for this app.")
    }

    /// The periods on a time axis. The facts are those that the states were made of.
    private static func bars(_ id: String, _ at: Int64?, _ visit: Visit, _ page: inout ConsolePage) async throws {
        guard let scope = visit.selection.scope else { return }
        let reading = try await visit.console.core.customers.customer(
            CustomerName.normal(id), in: scope, at: at.map { Date(milliseconds: $0) })
        guard let drawing = PeriodBars.drawing(reading.facts.transactions, now: visit.console.core.now) else { return }
        page.title("Periods")
        page.drawing(drawing, caption: "Subscriptions and purchases on a time axis, in UTC")
    }

    private static func lists(_ json: APIValue, _ visit: Visit, _ page: inout ConsolePage) {
        if !json["subscriptions"].items.isEmpty {
            page.title("Subscriptions")
            page.table(
                "Subscriptions", ["Product", "Status", "Access until", "Renews", "Next step", "Transaction"],
                json["subscriptions"].items.map { item in
                    [
                        .foreign(item["product_id"].text ?? ""),
                        .tag(
                            item["has_access"].flag == true ? "access" : "no access",
                            item["has_access"].flag == true ? .good : .bad),
                        .time(item["access_until"].instant), .plain(item["will_renew"].text ?? "not known"),
                        .plain((item["next_step"].text ?? "").words),
                        .link(
                            item["original_transaction_id"].text ?? "",
                            visit.link("transactions", item["original_transaction_id"].text ?? "")),
                    ]
                }, empty: "")
        }
        if !json["purchases"].items.isEmpty {
            page.title("Purchases")
            page.table(
                "Purchases", ["Product", "Bought", "Ended", "Ownership", "Transaction"],
                json["purchases"].items.map { item in
                    [
                        .foreign(item["product_id"].text ?? ""), .time(item["purchase_date"].instant),
                        .time((item["ends_at"].isNothing ? item["revocation_date"] : item["ends_at"]).instant),
                        .plain((item["ownership"].text ?? "").words),
                        .link(
                            item["transaction_id"].text ?? "",
                            visit.link("transactions", item["transaction_id"].text ?? "")),
                    ]
                }, empty: "")
        }
        if !json["consumables"].items.isEmpty {
            page.title("Balances")
            page.table(
                "Consumables", ["Product", "Bought", "Taken back"],
                json["consumables"].items.map { item in
                    [
                        .foreign(item["product_id"].text ?? ""), .plain(item["quantity"].text ?? "0"),
                        .plain(item["revoked_quantity"].text ?? "0"),
                    ]
                }, empty: "")
        }
    }

    private static func grants(_ id: String, _ visit: Visit, _ page: inout ConsolePage) async throws {
        let answer = try await visit.get(visit.target(["customers", id, "grants"]))
        let items = answer.json["items"].items
        guard answer.isFine, !items.isEmpty else { return }
        page.title("Grants")
        page.table(
            "Entitlements that the team gave", ["Entitlement", "State", "Until", "Reason", "By", "Grant"],
            items.map { item in
                let state = item["state"].text ?? ""
                return [
                    .foreign(item["entitlement"].text ?? ""), .tag(state, NotificationsPage.tone(state)),
                    .time(item["until"].instant), .foreign(item["reason"].text ?? ""),
                    .foreign(item["actor"].text ?? ""), .code(item["id"].text ?? ""),
                ]
            }, empty: "")
    }

    private static func timeline(
        _ id: String, _ instant: [(String, String)], _ visit: Visit, _ page: inout ConsolePage
    ) async throws {
        let query = instant + (visit.parameter("page").map { [("page", $0)] } ?? [])
        let answer = try await visit.get(visit.target(["customers", id, "timeline"], query))
        page.title("Time line")
        guard visit.accept(answer, &page, "The time line") else { return }
        page.table(
            "What happened, the last first", ["What", "Signed", "Received", "Origin", "State"],
            answer.json["items"].items.map { item in
                let sentence = item["sentence"].text ?? item["type"].text ?? ""
                let state = item["state"].text ?? ""
                return [
                    item["uuid"].text.map { .link(sentence, visit.link("notifications", $0)) }
                        ?? .foreign(sentence, limit: 300),
                    .time((item["occurred_at"].isNothing ? item["signed_date"] : item["occurred_at"]).instant),
                    item["received_at"].isNothing ? .none : .time(item["received_at"].instant),
                    .plain((item["origin"].text ?? "").words),
                    state.isEmpty
                        ? .none : .tag(state == "folded" ? "processed" : state, NotificationsPage.tone(state)),
                ]
            }, empty: "Nothing is known of this customer. The identifier is exact: upper and lower case count.")
        page.links(
            [], next: answer.json["next_page"].text.map { visit.link("customers", id, query: instant + [("page", $0)]) }
        )
    }

    private static func forms(_ json: APIValue, _ id: String, _ visit: Visit, _ page: inout ConsolePage) {
        page.formTitle("As of another instant")
        page.form(
            PageLink("console", "customers", id),
            visit.selection.query.map { .hidden($0.0, $0.1) }
                + [
                    .init(
                        name: "at", label: "Instant, such as 2026-05-03T12:00:00Z", value: visit.parameter("at") ?? "")
                ],
            button: "Show", method: "get")
        page.action("refresh", visit, [("id", id)], title: "Ask again")
        let originals = json["subscriptions"].items.compactMap { $0["original_transaction_id"].text }
        if !originals.isEmpty {
            page.action(
                "extend", visit, [("customer", id)],
                [
                    .init(
                        name: "id", label: "Subscription", value: originals[0], options: originals.map { ($0, $0) }),
                    .init(name: "days", label: "Days (1 to 90)", value: "7", type: "number"),
                    .init(
                        name: "reason", label: "Reason", value: "customer_satisfaction",
                        options: [
                            ("customer_satisfaction", "customer satisfaction"), ("other", "other"),
                            ("service_issue", "service issue"),
                        ]),
                ], title: "More time")
        }
        let entitlements = json["entitlements"].items.compactMap { $0["key"].text }
        if let first = entitlements.first {
            page.action(
                "grant", visit, [("id", id)],
                [
                    .init(
                        name: "entitlement", label: "Entitlement", value: first, options: entitlements.map { ($0, $0) }),
                    .init(name: "until", label: "Until, such as 2026-12-31 (empty: no end)"),
                    .init(name: "reason", label: "Reason, kept in the ledger"),
                ], title: "Give an entitlement")
        }
        page.action(
            "revoke", visit, [("id", id)],
            [.init(name: "grant", label: "Grant, such as grant_…"), .init(name: "reason", label: "Reason")],
            title: "Take a grant back")
    }
}

/// Why a customer has an entitlement, or has not.
enum ExplanationPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let (id, key) = (visit.segment("id"), visit.segment("key"))
        var page = ConsolePage("Why \(key)", foreign: id)
        page.up = ("Customer", visit.link("customers", id))
        let instant =
            visit.parameter("at").flatMap { ConsoleAction.milliseconds($0) }.map { [("at", String($0))] } ?? []
        let target = visit.target(["customers", id, "entitlements", key, "explain"], instant)
        (page.api, page.command) = (target, "counterfoil api GET '\(target)'")
        let answer = try await visit.get(target)
        guard visit.accept(answer, &page, "The explanation") else { return page }
        let json = answer.json
        let isActive = json["is_active"].flag == true
        page.paragraph(json["sentence"].text ?? "", "note")
        page.facts([
            ("access", .tag(isActive ? "access" : "no access", isActive ? .good : .bad)),
            ("until", .time(json["until"].instant)), ("rule", .plain((json["rule"].text ?? "").words)),
            ("product", .foreign(json["product_id"].text ?? "none")),
            ("transaction", json["transaction_id"].text.map { .link($0, visit.link("transactions", $0)) } ?? .none),
            ("as of", .time(json["as_of"].instant)),
        ])
        let facts = json["facts"].items
        page.title("Facts")
        page.table(
            "What it rests on, and what was set aside", ["Fact", "Role", "Product", "Signed", "Notification"],
            facts.map { fact in
                let role = fact["role"].text ?? ""
                return [
                    .foreign("\(fact["kind"].text ?? "") \(fact["identifier"].text ?? "")"),
                    .tag(role.words, role == "decides" ? .good : .plain), .foreign(fact["product_id"].text ?? ""),
                    .time(fact["signed_date"].instant),
                    fact["notification_uuid"].text.map { .link($0, visit.link("notifications", $0)) }
                        ?? .plain((fact["origin"].text ?? "").words),
                ]
            }, empty: "There is no fact about it.")
        for fact in facts.prefix(20) where !fact["verification"].isNothing {
            page.exact(
                "Verification of \(fact["kind"].text ?? "") \(fact["identifier"].text ?? "")",
                fact["verification"].pretty)
        }
        return page
    }
}

/// Whose a transaction is.
enum TransactionPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let id = visit.segment("id")
        var page = ConsolePage("Transaction", foreign: id)
        page.up = ("Customers", visit.link("customers"))
        let target = visit.target(["transactions", id])
        (page.api, page.command) = (target, "counterfoil api GET '\(target)'")
        let answer = try await visit.get(target)
        guard visit.accept(answer, &page, "The transaction") else { return page }
        show(answer.json, visit, &page)
        if let original = answer.json["original_transaction_id"].text {
            page.links([
                (
                    "Notifications about it",
                    visit.link("notifications", query: [("original_transaction_id", original)])
                )
            ])
        }
        return page
    }

    static func show(_ json: APIValue, _ visit: Visit, _ page: inout ConsolePage) {
        page.facts(
            json.members.compactMap { name, value in
                ["object", "customers"].contains(name) ? nil : (name.words, PageFacts.cell(name, value))
            })
        let customers = json["customers"].items.compactMap(\.text)
        page.table(
            "Whose it is", ["Customer"], customers.map { [.link($0, visit.link("customers", $0))] },
            empty: "It is nobody's: no customer claimed it, and it names no account.")
    }
}

/// An order, which only the App Store knows: it is asked when somebody says so.
enum OrderPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let id = visit.segment("id")
        var page = ConsolePage("Order", foreign: id)
        page.up = ("Customers", visit.link("customers"))
        let target = visit.target(["orders", id])
        (page.api, page.command) = (target, "counterfoil api GET '\(target)'")
        guard visit.parameter("ask") != nil else {
            page.paragraph("Only the App Store knows which transactions an order has. What it answers is kept.")
            page.form(
                PageLink("console", "orders", id),
                visit.selection.query.map { .hidden($0.0, $0.1) } + [.hidden("ask", "yes")],
                button: "Ask the App Store", method: "get")
            return page
        }
        let answer = try await visit.get(target)
        guard visit.accept(answer, &page, "The order") else { return page }
        for item in answer.json["transactions"].items {
            page.title("Transaction \(item["transaction_id"].text ?? "")")
            TransactionPage.show(item, visit, &page)
        }
        return page
    }
}
