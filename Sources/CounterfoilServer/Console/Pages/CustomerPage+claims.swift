internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import Foundation
internal import WebConsole

extension CustomerPage {
    /// Adds the claims: the purchases that belong or belonged to the customer, and the reasons.
    static func claims(
        _ id: String, _ instant: [(String, String)], _ visit: Visit, _ page: inout ConsolePage
    ) async throws {
        guard visit.may(.supportRead) else { return }
        let target = visit.target(["customers", id, "claims"], instant)
        guard let json = try await visit.read(target, &page, "Claims", isPart: true) else { return }
        let items = json["items"].items
        guard !items.isEmpty else { return }
        page.title("Claims")
        page.table(
            "Owners of the purchases, and why", ["Purchase", "Product", "Owner", "Because", "Since"],
            items.map { item in
                let original = item["original_transaction_id"].text ?? ""
                let owners = item["owners"].items.compactMap(\.text)
                let isTheirs = owners.contains { CustomerName.canonical($0) == CustomerName.canonical(id) }
                return [
                    .link(original, visit.link("transactions", original)), .foreign(item["product_id"].text ?? ""),
                    isTheirs
                        ? .plain("this customer")
                        : owners.first.map { .link($0, visit.link("customers", $0)) } ?? .plain("none"),
                    .plain(reasons[item["reason"].text ?? ""] ?? "not known"),
                    item["since"].isNothing ? .plain("the purchase") : .time(item["since"].instant),
                ]
            }, empty: "")
        if json["next_page"].text != nil {
            page.paragraph("There are more. The API lists all of them: GET /v1/customers/ID/claims.", "empty")
        }
    }

    private static let reasons = [
        "claimed": "a restore or merge claimed it", "account_named": "the purchase names the account",
        "account_claimed": "other purchases of its Apple account were claimed",
    ]
}
