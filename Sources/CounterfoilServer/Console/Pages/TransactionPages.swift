internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// Whose a transaction is.
enum TransactionPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let id = visit.segment("id")
        var page = visit.page("Transaction", foreign: id)
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
        var page = visit.page("Order", foreign: id)
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
