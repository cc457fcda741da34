internal import HTTPTypes
internal import WebConsole

extension ConsoleAction {
    /// The actions for a customer's purchases.
    static let aboutPurchases: [ConsoleAction] = [
        .init(
            name: "transfer", title: "Take over the purchase", scope: .customersTransfer,
            fields: ["id", "transaction"],
            customer: "id",
            consequences: {
                [
                    "\($0.text("id")) has the purchase \($0["transaction"] ?? "?") from now on, and nobody else.",
                    "The app's restore policy does not apply. The current customer loses what the purchase gives.",
                    "Webhooks receive the event purchase.transferred.",
                ]
            },
            request: { fields in
                ConsoleRequest(
                    .post, "customers", fields.text("id"), "purchases", fields.text("transaction"), "transfer",
                    isScoped: true, body: ["reason": fields.text(Confirmation.reasonField)])
            }, back: { ["customers", $0.text("id")] }, asksForReason: true,
            inputs: [.init("transaction", "Transaction of the purchase", isRequired: true)]),
        .init(
            name: "offer", title: "Sign the offer", scope: .offersSign, fields: ["id", "product", "offer", "format"],
            customer: "id",
            consequences: {
                [
                    "\($0.text("id")) can buy \($0["product"] ?? "?") on the terms of the offer \($0["offer"] ?? "?"), once "
                        + "the app has the signature.", "It is shown once, on the next page.",
                ]
            },
            request: { fields in
                ConsoleRequest(
                    .post, "customers", fields.text("id"), "offers", "promotional", isScoped: true,
                    body: [
                        "product_id": fields.text("product"), "offer_id": fields.text("offer"),
                        "format": fields["format"] ?? "jws",
                    ])
            }, back: { ["customers", $0.text("id")] }, resultPage: Self.signedOffer,
            inputs: [
                .init("product", "Subscription, by its product identifier", isRequired: true),
                .init("offer", "Promotional offer, by its identifier", isRequired: true),
            ]),
    ]

    /// Returns the page with the signature of an offer, which is shown only once.
    private static func signedOffer(_ answer: APIValue, _ pageRequest: PageRequest) -> ConsolePage {
        let id = pageRequest.fields.text("id")
        var page = pageRequest.page("The offer for", foreign: id, up: ("Customer", pageRequest.link("customers", id)))
        page.paragraph("Copy it now: it is not shown again. The app hands it to StoreKit with the purchase.")
        if let jws = answer["jws"].text { page.exact("The signature", jws, isOpen: true) }
        page.exact("All that the app needs, as the API returns it", answer.pretty, isOpen: answer["jws"].isNothing)
        page.links([("Back to the customer", pageRequest.link("customers", id))])
        return page
    }
}
