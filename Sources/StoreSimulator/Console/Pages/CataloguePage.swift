internal import AppStoreModels
internal import Basics
internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    /// Returns the catalogue page.
    func catalogue(_ request: PanelRequest) throws -> PanelContent {
        let catalogue = core.read(request.environment) { store, _ in store.catalogue }
        let storefront = catalogue.storefronts.first ?? .usa
        let rows = catalogue.products.prefix(500).map { Self.row(of: $0, in: storefront) }
        let whole = PanelForm(
            "catalogue", "The whole catalogue", about: "Names and values are those of the control API.",
            action: "catalogue",
            [.init("json", "As JSON", .area, value: SignedText.pretty(catalogue))], button: "Replace",
            command:
                "curl -X PUT -H 'Content-Type: application/json' -d @catalogue.json \(simulator.information.controlURL)/\(request.environmentName)/catalogue"
        )
        return PanelContent(
            template: "catalogue", heading: "Catalogue",
            values: [
                "rows": .list(rows),
                "storefronts": .text(
                    catalogue.storefronts.map { "\($0.code) (\($0.currency))" }.joined(separator: ", ")),
                "forms": .list(productForms(request).map { $0.value(request, state) }),
                "whole": whole.value(request, state),
                "isWholeOpen": .flag(request.formFailure?.form == "catalogue"),
            ], api: "GET {base}/\(request.environmentName)/catalogue", command: "counterfoil simulator status")
    }

    private static func row(of product: Product, in storefront: Storefront) -> PageValue {
        let terms = product.subscription
        let period = terms.map { "each \($0.period.words), group \($0.group), level \($0.level)" }
        let introductory = (terms?.introductoryOffer).map { ["introductory \($0.discount.words)"] } ?? []
        let offers = introductory + (terms?.offers ?? product.offers).compactMap(\.identifier)
        return [
            "id": .foreign(product.id, breaksNames: true), "title": .foreign(product.name),
            "type": .text(product.type.rawValue),
            "price": .text(PriceText.price(product.price(in: storefront.code), storefront.currency)),
            "period": .text(period ?? ""), "offers": .foreign(offers.joined(separator: ", ")),
            "word": .text(product.isOnSale ? "on sale" : "off sale"),
            "look": .text(product.isOnSale ? "good" : "bad"),
        ]
    }

    /// Returns the forms that change a product.
    private func productForms(_ request: PanelRequest) -> [PanelForm] {
        let option = request.environmentOption
        let product = FormField("product", "Product", .choice(products(request) { _ in true }))
        return [
            .do("off-sale", "Take off sale", "removeFromSale", [product], option: option),
            .do("on-sale", "Put on sale again", "returnToSale", [product], button: "Put on sale", option: option),
            PanelForm(
                "price", "Raise the price for subscribers",
                [
                    .hidden("command", "increasePrice"),
                    .init("product", "Product", .choice(products(request) { $0.subscription != nil })),
                    .init("price", "Price", .number, hint: "Such as 12.99", isRequired: true),
                    .init(
                        "consent", "Consent",
                        .choice([("true", "Subscribers have to agree"), ("false", "Subscribers are only notified")])),
                ], button: "Raise",
                command: "counterfoil simulator raise-price {product} {price} --consent {consent}" + option),
        ]
    }
}
