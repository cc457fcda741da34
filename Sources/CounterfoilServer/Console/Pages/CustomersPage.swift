internal import Foundation
internal import Ledger
internal import WebConsole

/// The page to search by exact identifiers, with recently active customers.
struct CustomersPage {
    let storage: any EventFeedStorage

    @Sendable func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Customers")
        page.api = "/v1/search?q=IDENTIFIER"
        if let query = pageRequest.parameter("q") {
            let target = pageRequest.target(["search"], [("q", query)], isScoped: false)
            page.api = target
            if let json = try await pageRequest.read(target, &page, "The search") {
                Self.found(json, query, pageRequest, &page)
            }
        } else {
            if pageRequest.may(.supportRead) {
                page.paragraph(
                    "Search for a customer, a transaction, an order, a token, a notification or an event by its exact identifier."
                )
            } else {
                page.paragraph("To search, the key needs the scope support:read.", "empty")
            }
            if pageRequest.may(.operationsRead), pageRequest.may(.customersRead) {
                try await active(pageRequest, &page)
            }
        }
        return page
    }

    private static func found(_ json: APIValue, _ query: String, _ pageRequest: PageRequest, _ page: inout ConsolePage)
    {
        page.title("Found")
        page.table(
            "Records with this identifier", ["What", "Kind", "App", "Customers"],
            json["items"].items.map { item in
                let (id, customers) = (item.string("id"), item.strings("customers"))
                let isOpen = item.string("kind") != "notification" || pageRequest.mayOpenNotifications
                let what: ConsolePage.Cell = isOpen ? .link(id, link(to: item, pageRequest)) : .foreign(id)
                return [
                    what, .plain(item.string("kind").words), .foreign(item.scopeName),
                    customers.first.map { first -> ConsolePage.Cell in
                        // For a shared purchase, link to the transaction's page, which links to each customer.
                        let place = customers.count > 1 ? ["transactions", id] : ["customers", first]
                        return .link(
                            customers.joined(separator: ", "),
                            PageLink(["console"] + place, query: item.scope + pageRequest.location.origin))
                    } ?? .none,
                ]
            }, empty: "Nothing has exactly this identifier. Parts of identifiers are not searched.")
        page.table(
            "Kinds of records that were searched", ["Kind", "Found", "Note"],
            json["tried"].items.map { item in
                [
                    .plain(item.string("kind").words), .plain(item["found"].flag == true ? "yes" : "no"),
                    .foreign(item.string("note"), limit: 300),
                ]
            }, empty: "Nothing was tried.")
        if json["tried"].items.contains(where: { $0["kind"].text == "order" }) {
            page.links([("Ask the App Store for the order \(query)", pageRequest.link("orders", query))])
        }
    }

    private static func link(to item: APIValue, _ pageRequest: PageRequest) -> PageLink {
        let id = item.string("id")
        func link(_ segments: String...) -> PageLink {
            PageLink(["console"] + segments, query: item.scope + pageRequest.location.origin)
        }
        switch item.string("kind") {
        case "customer": return link("customers", id)
        case "notification": return link("notifications", id)
        case "event":
            return item.strings("customers").first.map { link("customers", $0) } ?? link("events", id)
        default: return link("transactions", id)
        }
    }

    /// The number of events from which customers are taken.
    private static let lastEvents = 200
    /// The number of last events of all apps that are searched for them.
    private static let searched: Int64 = 20_000
    private static let mostCustomers = 25

    /// Adds the customers of the last events of the app and environment. There is deliberately no list of all
    /// customers.
    private func active(_ pageRequest: PageRequest, _ page: inout ConsolePage) async throws {
        guard let appEnvironment = pageRequest.selection.appEnvironment else { return }
        let events = try await storage.lastEventsOfCustomers(
            in: appEnvironment.id, limit: Self.lastEvents, amongLast: Self.searched)
        var seen: Set<String> = []
        let rows = events.compactMap { event -> [ConsolePage.Cell]? in
            guard let customer = event.namedCustomer, seen.insert(customer).inserted else { return nil }
            return [
                pageRequest.linkCell("customers", customer), .plain(event.type.rawValue),
                .time(Date(milliseconds: event.occurredAt)),
            ]
        }
        page.title("Lately active")
        page.table(
            "Customers of the last events", ["Customer", "Last event", "When"], Array(rows.prefix(Self.mostCustomers)),
            empty: "No customer yet. Purchases in the simulator or in the sandbox appear here.")
    }
}
