internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import WebConsole

/// The subscriptions and purchases, and what the customer paid.
extension CustomerPage {
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

    static func lists(_ json: APIValue, _ id: String, _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        subscriptions(json, id, pageRequest, &page)
        purchases(json["purchases"].items, id, pageRequest, &page)
        balances(json["consumables"].items, &page)
    }

    private static func subscriptions(
        _ json: APIValue, _ id: String, _ pageRequest: PageRequest, _ page: inout ConsolePage
    ) {
        let items = json["subscriptions"].items
        guard !items.isEmpty else { return }
        page.title("Subscriptions")
        let shown = last(items, &page)
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
                    .plain(nextSteps[NextStep(rawValue: item.string("next_step"))] ?? item.string("next_step").words),
                    pageRequest.linkCell("transactions", item.string("original_transaction_id")),
                    consumption(item, of: id, pageRequest),
                ]
            }, empty: "")
    }

    private static func purchases(
        _ items: [APIValue], _ id: String, _ pageRequest: PageRequest, _ page: inout ConsolePage
    ) {
        guard !items.isEmpty else { return }
        page.title("Purchases")
        let shown = last(items, &page)
        page.table(
            "All other purchases, newest last",
            ["Product", "Bought", "State", "Access until", "Transaction", "Consumption request"],
            shown.map { item in
                [
                    product(item), .time(item["purchase_date"].instant), state(ofPurchase: item), accessEnd(item),
                    pageRequest.linkCell("transactions", item.string("transaction_id")),
                    consumption(item, of: id, pageRequest),
                ]
            }, empty: "")
    }

    private static func balances(_ items: [APIValue], _ page: inout ConsolePage) {
        guard !items.isEmpty else { return }
        page.title("Balances")
        page.table(
            "Consumables", ["Product", "Bought", "Revoked"],
            items.map { item in
                [
                    .foreign(item.string("product_id")), .number(item["quantity"].text ?? "0"),
                    .number(item["revoked_quantity"].text ?? "0"),
                ]
            }, empty: "")
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

    static func spend(_ json: APIValue, _ page: inout ConsolePage) {
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
}
