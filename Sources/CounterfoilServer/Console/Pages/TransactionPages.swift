internal import AppStoreModels
internal import Ledger

/// The page of a transaction and its customers.
enum TransactionPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let id = visit.segment("id")
        var page = visit.page("Transaction", foreign: id)
        page.up = ("Customers", visit.list("customers"))
        let target = visit.target(["transactions", id])
        guard let json = try await visit.read(target, &page, "The transaction") else { return page }
        show(json, visit, &page)
        if let original = json["original_transaction_id"].text {
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
            "Owners", ["Customer"], customers.map { [.link($0, visit.link("customers", $0))] },
            empty: "It belongs to no customer: no customer claimed it, and it names no account.")
    }
}

/// The page of an order. Only the App Store knows its transactions; the user decides when to query it.
enum OrderPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let id = visit.segment("id")
        var page = visit.page("Order", foreign: id)
        page.up = ("Customers", visit.link("customers"))
        page.api = visit.target(["orders", id])
        guard visit.requireScope(.supportRead, for: "Order", &page) else { return page }
        if let environment = visit.selection.scope?.environment, environment != .production {
            page.paragraph("Only the App Store knows which transactions an order has, in Production only.")
            return page
        }
        page.paragraph("Only the App Store knows which transactions an order has. The response is stored.")
        page.action("order", visit, [("id", id)])
        return page
    }

    /// Returns the page with the App Store's response.
    @Sendable static func answer(_ json: APIValue, _ visit: Visit) -> ConsolePage {
        let id = json["order_id"].text ?? ""
        var page = visit.page("The App Store's answer", foreign: id)
        page.up = ("Order", visit.link("orders", id))
        for item in json["transactions"].items {
            page.title("Transaction \(item["transaction_id"].text ?? "")")
            TransactionPage.show(item, visit, &page)
        }
        return page
    }
}
