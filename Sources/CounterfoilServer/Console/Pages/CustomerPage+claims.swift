extension CustomerPage {
    /// Adds the claims: the purchases that belong or belonged to the customer, and the reasons.
    static func claims(
        _ id: String, _ instant: [(String, String)], _ pageRequest: PageRequest, _ page: inout ConsolePage
    ) async throws {
        guard pageRequest.may(.supportRead) else { return }
        let target = pageRequest.target(["customers", id, "claims"], instant + [("limit", "\(mostPurchases)")])
        guard let json = try await pageRequest.read(target, &page, "Claims", isPart: true) else { return }
        let items = json["items"].items
        guard !items.isEmpty else { return }
        page.title("Claims")
        page.table(
            "Owners of the purchases, and why", ["Purchase", "Product", "Owner", "Because", "Since"],
            items.map { item in
                let original = item.string("original_transaction_id")
                let owners = item.strings("owners")
                let reason = item.string("reason")
                return [
                    pageRequest.linkCell("transactions", original), .foreign(item.string("product_id")),
                    reason == "erased" ? .plain("an erased customer") : owner(owners, id, pageRequest),
                    .plain(reasons[reason] ?? "not known"),
                    .instant(item["since"], or: .plain("the purchase")),
                ]
            }, empty: "")
        if json["next_page"].text != nil {
            page.paragraph("There are more. The API lists all of them: GET /v1/customers/ID/claims.", "empty")
        }
    }

    private static func owner(_ owners: [String], _ id: String, _ pageRequest: PageRequest) -> ConsolePage.Cell {
        if owners.contains(where: { CustomerName.canonical($0) == CustomerName.canonical(id) }) {
            return .plain("this customer")
        }
        return owners.first.map { pageRequest.linkCell("customers", $0) } ?? .plain("none")
    }

    private static let reasons = [
        "claimed": "a restore, merge or transfer claimed it", "account_named": "the purchase names the account",
        "account_claimed": "other purchases of its Apple account were claimed", "erased": "the customer was erased",
    ]
}
