internal import AppStoreModels
internal import WebConsole

extension SimulatorPanel {
    /// Returns the page with all types of notifications and the form that triggers one.
    func trigger(_ request: PanelRequest) -> PanelContent {
        let chosen = request.query["type"].flatMap { name in NotificationKind.all.first { $0.name == name } }
        let names = NotificationKind.all.map { (value: $0.name, title: $0.name) }
        let form = PanelForm(
            "trigger", "Trigger a notification",
            about:
                "Performs the events that have to precede it. Without a customer, creates one with a suitable history.",
            action: "trigger",
            [
                .init("type", "Type", .choice(names), value: chosen?.name ?? "SUBSCRIBED.INITIAL_BUY"),
                .init("customer", "Customer", value: request.query["customer"], hint: "Empty for a new one"),
                .init("product", "Product", .choice([("", "The first suitable one")] + products(request))),
                .init(
                    PanelAction.triggerOverrides[0], "Override",
                    hint: "Such as transaction.price=1990 or renewalInfo.autoRenewStatus=0"),
            ] + PanelAction.triggerOverrides.dropFirst().map { FormField($0, "Another override") },
            button: "Trigger",
            command: "counterfoil simulator trigger {type} [--customer {customer}] [--product {product}]"
                + PanelAction.triggerOverrides.map { " [--override {\($0)}]" }.joined() + request.environmentOption)
        let rows = NotificationKind.all.map { kind -> PageValue in
            [
                "name": .foreign(kind.name, breaksNames: true), "sentence": .text(Self.meaning(of: kind)),
                "needs": .text(Self.needs(of: kind)), "url": .link(request.link(.trigger, [("type", kind.name)])),
            ]
        }
        return PanelContent(
            template: "trigger", heading: "Trigger", values: ["form": form.value(request, state), "rows": .list(rows)],
            api: "POST {base}/\(request.environmentName)/trigger", command: "counterfoil simulator trigger --list")
    }

    /// Returns the kind's sentence about any product.
    private static func meaning(of kind: NotificationKind) -> String {
        guard let sentence = kind.sentence(filling: Self.anyValue) else { return meaningWithoutCustomer(of: kind) }
        return sentence.prefix(1).uppercased() + sentence.dropFirst()
    }

    /// Returns the meaning of a kind that is about no customer and therefore has no sentence in a timeline.
    private static func meaningWithoutCustomer(of kind: NotificationKind) -> String {
        switch kind.type {
        case .test: "The developer requested a test notification."
        case .externalPurchaseToken where kind.subtype == .created: "A token for external purchases was created."
        case .externalPurchaseToken where kind.subtype == .activeTokenReminder:
            "A monthly reminder: a token for external purchases is active."
        case .externalPurchaseToken: "A token for external purchases was not reported in time."
        default: kind.event
        }
    }

    private static func anyValue(of place: NotificationKind.Placeholder) -> String? {
        switch place {
        case .product: "the product"
        case .nextProduct: "another product"
        case .lossCause: "sharing or the assignment"
        case .payer: "the customer"
        default: nil
        }
    }

    /// Returns what an existing customer needs before the notification can be triggered.
    private static func needs(of kind: NotificationKind) -> String {
        switch kind.type {
        case .subscribed: kind.subtype == .resubscribe ? "a subscription that has ended" : "nothing"
        case .oneTimeCharge, .test, .externalPurchaseToken: "nothing"
        case .refund, .consumptionRequest, .revoke: "a purchase"
        case .refundDeclined: "a requested refund"
        case .refundReversed: "a refund"
        case .gracePeriodExpired: "a grace period in the settings"
        case .renewalExtension, .renewalExtended: "a running subscription"
        default:
            switch kind.content {
            case .subscription: "a subscription"
            case .purchase, .oneTimePurchase: "a purchase"
            default: "nothing"
            }
        }
    }
}
