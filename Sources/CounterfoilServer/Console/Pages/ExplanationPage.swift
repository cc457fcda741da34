/// The page that explains why a customer has or lacks an entitlement.
enum ExplanationPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let (id, key) = (pageRequest.segment("id"), pageRequest.segment("key"))
        let instant = pageRequest.instant.map { [("at", $0)] } ?? []
        let up = pageRequest.link("customers", id, query: instant + pageRequest.listQuery)
        var page = pageRequest.page("Entitlement \(key) of", foreign: id, up: ("Customer", up))
        page.topics = instant.isEmpty ? [ChangeTopic.customer(id)] : []
        let target = pageRequest.target(["customers", id, "entitlements", key, "explain"], instant)
        guard let json = try await pageRequest.read(target, &page, "The explanation") else { return page }
        page.paragraph(json.string("sentence").withReadableInstants, "note")
        page.facts([
            ("Access", .access(json["is_active"])),
            ("Until", .instant(json["until"], or: json["is_active"].flag == true ? .plain("no end") : .none)),
            ("Rule", .plain(json.string("rule").words)),
            ("Product", .foreign(json["product_id"].text ?? "none")),
            ("Transaction", json["transaction_id"].text.map { pageRequest.linkCell("transactions", $0) } ?? .none),
            ("As of", .time(json["as_of"].instant)),
        ])
        changes(json["changes"].items, pageRequest, &page)
        let facts = json["facts"].items
        page.title("Facts")
        page.table(
            "The facts that decide, and those that were not used",
            ["Fact", "Role", "Product", "Signed", "Notification"],
            facts.map { fact in
                let role = fact.string("role")
                return [
                    .foreign("\(fact.string("kind").words) \(fact.string("identifier"))"),
                    .tag(role.words, role == "decides" ? .good : .plain), .foreign(fact.string("product_id")),
                    .time(fact["signed_date"].instant),
                    fact["notification_uuid"].text.map { pageRequest.notificationCell($0) }
                        ?? .plain(fact.string("origin").words),
                ]
            }, empty: "There is no fact about it.")
        if let omitted = json["facts_omitted"].number, omitted > 0 {
            page.paragraph(
                "\(omitted) more facts were not used. The API lists up to 500 of them with limit=500.", "empty")
        }
        VerificationDetails.show(
            facts.prefix(20).filter { !$0["verification"].isNothing }.map { fact in
                let name = "\(fact.string("kind").words) \(fact.string("identifier"))"
                return ("Verification of \(name)", fact["verification"])
            }, &page)
        return page
    }

    /// Adds the changes of owner, which lead to the purchase and to the customer who has it now.
    private static func changes(_ items: [APIValue], _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        guard !items.isEmpty else { return }
        page.title("Changes of owner")
        page.table(
            "The purchases that changed their owner, oldest first", ["When", "What happened", "Purchase", "New owner"],
            items.map { change in
                [
                    .time(change["occurred_at"].instant), .foreign(change.string("sentence"), limit: 300),
                    pageRequest.linkCell("transactions", change.string("original_transaction_id")),
                    change.strings("to").first.map { pageRequest.linkCell("customers", $0) } ?? .plain("none"),
                ]
            }, empty: "")
    }
}
