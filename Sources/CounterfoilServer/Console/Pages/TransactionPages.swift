internal import AppStoreModels
internal import Ledger
internal import WebConsole

/// The page of a transaction and its customers.
enum TransactionPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let id = pageRequest.segment("id")
        var page = pageRequest.page("Transaction", foreign: id, up: ("Customers", pageRequest.list("customers")))
        let target = pageRequest.target(["transactions", id])
        guard let json = try await pageRequest.read(target, &page, "The transaction") else { return page }
        show(json, pageRequest, &page)
        return page
    }

    static func show(_ json: APIValue, _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        page.facts(MemberFormatter.facts(of: json, without: ["object", "customers"]))
        let customers = json.strings("customers")
        page.table(
            "Owners", ["Customer"], customers.map { [pageRequest.linkCell("customers", $0)] },
            empty: "It belongs to no customer: none claimed it and it names no account, or the customer was erased. "
                + "A restore in the app gives it an owner, or Take over a purchase on the page of the customer.")
        guard let original = json["original_transaction_id"].text else { return }
        let query = [("original_transaction_id", original)]
        let link = ("Notifications about it", pageRequest.link("notifications", query: query))
        let notifications: [(String, PageLink)] = pageRequest.mayOpenNotifications ? [link] : []
        page.links(notifications + pageRequest.auditLinks(about: original))
    }
}

/// The page of an order. Only the App Store knows its transactions; the user decides when to query it.
enum OrderPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let id = pageRequest.segment("id")
        var page = pageRequest.page("Order", foreign: id, up: ("Customers", pageRequest.link("customers")))
        page.api = pageRequest.target(["orders", id])
        guard pageRequest.requireScope(.supportRead, for: "Order", &page) else { return page }
        if let environment = pageRequest.selection.appEnvironment?.environment, environment != .production {
            page.paragraph("Only the App Store knows which transactions an order has, in Production only.")
            return page
        }
        page.paragraph("Only the App Store knows which transactions an order has. The response is stored.")
        page.action("order", pageRequest, [("id", id)])
        return page
    }

    /// Returns the page with the App Store's response.
    @Sendable static func answer(_ json: APIValue, _ pageRequest: PageRequest) -> ConsolePage {
        let id = json.string("order_id")
        var page = pageRequest.page(
            "The App Store's answer", foreign: id, up: ("Order", pageRequest.link("orders", id)))
        for item in json["transactions"].items {
            page.title("Transaction \(item.string("transaction_id"))")
            TransactionPage.show(item, pageRequest, &page)
        }
        return page
    }
}
