internal import AppStoreModels

extension SimulatorPanel {
    /// Returns the forms for the commands about a customer, except the purchase form.
    func customerForms(_ name: String, _ state: CustomerState, _ request: PanelRequest) -> [PanelForm] {
        let subscriptions = state.subscriptions.map { (value: $0.originalTransactionID, title: $0.productID) }
        let transactions = core.read(request.environment) { store, _ in
            store.transactions(of: name).suffix(200).reversed().map {
                (value: $0.payload.transactionId, title: "\($0.payload.transactionId), \($0.payload.productId)")
            }
        }
        let storefronts = core.read(request.environment) { store, _ in
            store.catalogue.storefronts.map { (value: $0.code, title: $0.code) }
        }
        let forms = CustomerForms(customerField: .hidden("customer", name), option: request.environmentOption)
        var all: [PanelForm] = []
        if !subscriptions.isEmpty { all += forms.ofSubscriptions(subscriptions) }
        if !transactions.isEmpty { all += forms.ofTransactions(transactions) }
        return all + forms.ofCustomer(storefronts, current: state.storefront)
    }
}

/// The forms of a customer's page.
private struct CustomerForms {
    typealias Choices = [(value: String, title: String)]

    /// The hidden field with the customer's name.
    let customerField: PanelForm.Field
    /// The command line option that selects the environment; empty for production.
    let option: String

    /// Returns the forms for commands about one of the subscriptions.
    func ofSubscriptions(_ subscriptions: Choices) -> [PanelForm] {
        let which = PanelForm.Field(
            "subscription", "Subscription", .choice(subscriptions), value: subscriptions.last?.value ?? "")
        return [
            run("cancel", "Cancel", about: "The customer turns renewal off.", which),
            run("resume", "Resume", about: "The customer turns renewal on again.", which),
            PanelForm(
                "fail", "Let billing fail",
                [
                    .hidden("command", "failBilling"), customerField,
                    .init("recovers", "", .box("--recovers"), hint: "Insufficient funds: a later attempt succeeds"),
                ], button: "Let billing fail",
                command: "counterfoil simulator fail-billing {customer} [{recovers}]" + option),
            PanelForm(
                "fix", "Fix billing", about: "The open amount is charged at once.",
                [.hidden("command", "fixBilling"), customerField], button: "Fix billing",
                command: "counterfoil simulator fix-billing {customer}" + option),
            `do`(
                "next", "Next event now", "accelerate",
                about: "The period, grace period or billing retry ends now.", [which]),
            `do`(
                "extend", "Extend renewal", "extendRenewal",
                [which, .init("days", "Days", .number, value: "7", hint: "1 to 90", isRequired: true)]),
        ]
    }

    /// Returns the forms for commands about one of the transactions.
    func ofTransactions(_ transactions: Choices) -> [PanelForm] {
        let purchase = PanelForm.Field(
            "transaction", "Transaction", .choice(transactions), value: transactions.first?.value ?? "")
        let refund = "counterfoil simulator refund {customer} {transaction}"
        return [
            PanelForm(
                "ask-refund", "Ask for a refund",
                [
                    .hidden("command", "requestRefund"), customerField, purchase,
                    .init(
                        "reason", "Reason",
                        .choice([
                            ("UNINTENDED_PURCHASE", "Unintended purchase"),
                            ("FULFILLMENT_ISSUE", "Fulfilment issue"),
                            ("UNSATISFIED_WITH_PURCHASE", "Unsatisfied"), ("LEGAL", "Legal"), ("OTHER", "Other"),
                        ]), value: "UNINTENDED_PURCHASE"),
                ], button: "Ask", command: refund + " --request --reason {reason}" + option),
            PanelForm(
                "refund", "Refund",
                [
                    .hidden("command", "approveRefund"), customerField, purchase,
                    .init("percentage", "Percent", .number, hint: "Empty: as in the developer's response, or all"),
                ], button: "Refund", command: refund + " [--percentage {percentage}]" + option),
            PanelForm(
                "decline", "Decline a refund", [.hidden("command", "declineRefund"), customerField, purchase],
                button: "Decline", command: refund + " --decline" + option),
            PanelForm(
                "reverse", "Reverse a refund", [.hidden("command", "reverseRefund"), customerField, purchase],
                button: "Reverse", command: refund + " --reverse" + option),
            `do`("finish", "Finish", "finish", about: "The app has delivered what was bought.", [purchase]),
        ]
    }

    /// Returns the forms for commands about the customer.
    func ofCustomer(_ storefronts: Choices, current: String) -> [PanelForm] {
        [
            `do`(
                "share", "Share with a family member", "shareWithFamily", [.init("member", "Member", isRequired: true)]),
            `do`("unshare", "Stop sharing", "stopSharing", [.init("member", "Member", isRequired: true)]),
            `do`(
                "move", "Change storefront", "changeStorefront",
                [.init("storefront", "Storefront", .choice(storefronts), value: current)]),
            `do`("accept", "Accept a higher price", "acceptPrice", []),
        ]
    }

    /// Returns a form for a command with its own subcommand.
    private func run(_ command: String, _ title: String, about: String, _ which: PanelForm.Field) -> PanelForm {
        PanelForm(
            command, title, about: about, [.hidden("command", command), customerField, which], button: title,
            command: "counterfoil simulator \(command) {customer} {subscription}" + option)
    }

    /// Returns a form for any other command about the customer.
    private func `do`(
        _ id: String, _ title: String, _ command: String, about: String? = nil, _ fields: [PanelForm.Field]
    ) -> PanelForm {
        .do(id, title, command, about: about, [customerField] + fields, option: option)
    }
}
