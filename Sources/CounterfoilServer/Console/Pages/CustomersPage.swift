internal import HTTPTypes
internal import LedgerServices
internal import Foundation
internal import Ledger
internal import WebConsole

/// Search by anything exact, and who was lately active.
enum CustomersPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = visit.page("Customers")
        page.api = "/v1/search?q=IDENTIFIER"
        if let query = visit.parameter("q") {
            let target = visit.target(["search"], [("q", query)], isScoped: false)
            page.api = target
            if let json = try await visit.read(target, &page, "The search") { found(json, query, visit, &page) }
        } else {
            page.paragraph(
                "Search for a customer, a transaction, an order, a token, a notification or an event by its exact identifier."
            )
        }
        // Who has found somebody looks for nobody else.
        if visit.parameter("q") == nil, visit.may(.operationsRead), visit.may(.customersRead) {
            try await active(visit, &page)
        }
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
                    .link(id, link(kind, id, customers, scope, visit)), .plain(kind.words),
                    .foreign(scope.map(\.1).joined(separator: " ")),
                    customers.first.map { first -> ConsolePage.Cell in
                        // A purchase that is shared: its page has a link to each.
                        let place = customers.count > 1 ? ["transactions", id] : ["customers", first]
                        return .link(
                            customers.joined(separator: ", "),
                            PageLink(["console"] + place, query: scope + visit.place.origin))
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
        _ kind: String, _ id: String, _ customers: [String], _ scope: [(String, String)], _ visit: Visit
    ) -> PageLink {
        func link(_ segments: String...) -> PageLink {
            PageLink(["console"] + segments, query: scope + visit.place.origin)
        }
        switch kind {
        case "customer": return link("customers", id)
        case "notification": return link("notifications", id)
        case "event": return customers.first.map { link("customers", $0) } ?? link("events", id)
        default: return link("transactions", id)
        }
    }

    /// How many events are looked at.
    private static let lastEvents = 200
    /// Among how many events of all apps they are looked for.
    private static let searched: Int64 = 20_000
    private static let mostCustomers = 25

    /// The owners of the last events of this app and environment. There is no list of all customers, on purpose.
    private static func active(_ visit: Visit, _ page: inout ConsolePage) async throws {
        guard let scope = visit.selection.scope else { return }
        let events = try await visit.console.core.storage.lastEventsOfCustomers(
            in: scope.id, limit: lastEvents, amongLast: searched)
        var seen: Set<String> = []
        let rows = events.compactMap { event -> [ConsolePage.Cell]? in
            guard let customer = event.customer, !Erasure.isStandIn(customer), seen.insert(customer).inserted else {
                return nil
            }
            return [
                .link(customer, visit.link("customers", customer)), .plain(event.type.rawValue),
                .time(Date(milliseconds: event.occurredAt)),
            ]
        }
        page.title("Lately active")
        page.table(
            "Customers of the last events", ["Customer", "Last event", "When"], Array(rows.prefix(mostCustomers)),
            empty: "Nobody yet. What the simulator sells, or a sandbox purchase, appears here.")
    }
}
