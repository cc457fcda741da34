internal import AppStoreModels
internal import Basics
internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    private static let customersPerPage = 50

    /// Returns the page with all customers, the purchase form and the form for a new customer.
    func customers(_ request: PanelRequest) throws -> PanelContent {
        let start = max(0, request.query["page"].flatMap { Int($0) } ?? 0)
        let (states, hasMore) = try core.read(request.environment) { store, now in
            let names = store.customers.keys.sorted().dropFirst(start).prefix(Self.customersPerPage + 1)
            let states = try names.prefix(Self.customersPerPage).map { try store.state(of: $0, at: now) }
            return (states, names.count > Self.customersPerPage)
        }
        let rows = states.map { state -> PageValue in
            [
                "url": .link(request.link(.customer(state.customer))), "key": .exact(state.customer),
                "name": .foreign(state.customer, limit: 60, breaksNames: true),
                "summary": .foreign(state.summary, limit: 300, breaksNames: true),
                "storefront": .text(state.storefront), "account": .foreign(state.appAccountToken),
                "tag": Self.tag(of: state),
            ]
        }
        // After the last page, lead to the first one.
        let before = rows.isEmpty ? 0 : max(0, start - Self.customersPerPage)
        let previous = start > 0 ? request.link(.customers, [("page", String(before))]) : nil
        let next = hasMore ? request.link(.customers, [("page", String(start + Self.customersPerPage))]) : nil
        return PanelContent(
            template: "customers", heading: "Customers",
            values: [
                "rows": .list(rows), "hasRows": .flag(!rows.isEmpty), "isEmpty": .flag(rows.isEmpty && start == 0),
                "isAfterEnd": .flag(rows.isEmpty && start > 0),
                "nextURL": .optional(next), "previousURL": .optional(previous),
                "hasPages": .flag(next != nil || previous != nil),
                "forms": .list(
                    [buyForm(request, customer: nil), newCustomerForm(request)].map { $0.value(request, state) }),
            ],
            api: "GET {base}/\(request.environmentName)/customers",
            command: "counterfoil simulator customers" + request.environmentOption)
    }

    /// Returns the label and style for the state of a customer.
    private static func tag(of state: CustomerState) -> PageValue {
        if state.isBillingFailing { return ["word": "billing fails", "look": "warn"] }
        if state.subscriptions.contains(where: \.hasAccess) { return ["word": "subscribed", "look": "good"] }
        if !state.subscriptions.isEmpty { return ["word": "lapsed", "look": "bad"] }
        return ["word": .text(state.purchases.isEmpty ? "nothing bought" : "bought"), "look": "plain"]
    }

    /// Returns the products on sale as options, with prices for a customer; for new customers if `customer` is nil.
    func products(
        _ request: PanelRequest, for customer: String? = nil, where isIncluded: (Product) -> Bool = { $0.isOnSale }
    ) -> [(value: String, title: String)] {
        core.read(request.environment) { store, _ in
            let own = customer.flatMap { store.customers[$0] }.flatMap { store.catalogue.storefront($0.storefront) }
            let storefront = own ?? store.catalogue.storefronts.first ?? .usa
            return store.catalogue.products.filter(isIncluded).prefix(500).map { product in
                let price = PriceText.price(product.price(in: storefront.code), storefront.currency)
                let length = product.subscription.map { ", each \($0.period.words)" } ?? ""
                return (product.id, "\(product.id) (\(price)\(length))")
            }
        }
    }

    func buyForm(_ request: PanelRequest, customer: String?) -> PanelForm {
        let offers = core.read(request.environment) { store, _ in
            store.catalogue.products.flatMap { $0.subscription?.offers ?? $0.offers }.compactMap(\.identifier)
        }
        let whom: FormField =
            customer.map { .hidden("customer", $0) }
            ?? .init("customer", "Customer", hint: "A name. A new name creates a customer.", isRequired: true)
        return PanelForm(
            "buy", "Buy",
            [
                .hidden("command", "purchase"), whom,
                .init("product", "Product", .choice(products(request, for: customer))),
                .init(
                    "offer", "Offer",
                    .choice([("", "None, or the introductory one")] + Set(offers).sorted().map { ($0, $0) })),
                .init("sign", "", .box("--sign"), hint: "Let the simulator sign a promotional offer"),
                .init("quantity", "Quantity", .number, hint: "Of a consumable"),
            ], button: "Buy",
            command: "counterfoil simulator buy {customer} {product} [--offer {offer}] [{sign}] [--quantity {quantity}]"
                + request.environmentOption)
    }

    private func newCustomerForm(_ request: PanelRequest) -> PanelForm {
        let storefronts = core.read(request.environment) { store, _ in store.catalogue.storefronts.map(\.code) }
        return .do(
            "create", "Create a customer", "createCustomer",
            [
                .init("customer", "Customer", isRequired: true),
                .init("storefront", "Storefront", .choice(storefronts.map { ($0, $0) })),
            ], button: "Create", option: request.environmentOption)
    }
}

extension OfferDiscountType {
    /// The type for display, such as `free trial`.
    var words: String { rawValue.lowercased().replacing("_", with: " ") }
}

extension Period {
    /// The period for display, such as `month` or `3 months`.
    var words: String {
        let name = "\(unit)"
        return count == 1 ? name : "\(count) \(count.noun(name))"
    }
}
