internal import AppStoreModels
internal import WebConsole

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
    let customerField: FormField
    /// The command line option that selects the environment; empty for production.
    let option: String

    /// Returns the forms for commands about one of the subscriptions.
    func ofSubscriptions(_ subscriptions: Choices) -> [PanelForm] {
        let which = FormField("subscription", "Subscription", .choice(subscriptions), value: subscriptions.last?.value)
        let recovers = FormField(
            "recovers", "", .box("--recovers"), hint: "Insufficient funds: a later attempt succeeds")
        let days = FormField("days", "Days", .number, value: "7", hint: "1 to 90", isRequired: true)
        return [
            run(
                "cancel", "Cancel", "cancel", about: "The customer turns renewal off.", [which],
                "cancel {customer} {subscription}"),
            run(
                "resume", "Resume", "resume", about: "The customer turns renewal on again.", [which],
                "resume {customer} {subscription}"),
            run("fail", "Let billing fail", "failBilling", [recovers], "fail-billing {customer} [{recovers}]"),
            run(
                "fix", "Fix billing", "fixBilling", about: "The open amount is charged at once.", [],
                "fix-billing {customer}"),
            `do`(
                "next", "Next event now", "accelerate",
                about: "The period, grace period or billing retry ends now.", [which]),
            `do`("extend", "Extend renewal", "extendRenewal", [which, days]),
        ]
    }

    /// Returns the forms for commands about one of the transactions.
    func ofTransactions(_ transactions: Choices) -> [PanelForm] {
        let purchase = FormField("transaction", "Transaction", .choice(transactions))
        let reasons: Choices = [
            ("UNINTENDED_PURCHASE", "Unintended purchase"), ("FULFILLMENT_ISSUE", "Fulfilment issue"),
            ("UNSATISFIED_WITH_PURCHASE", "Unsatisfied"), ("LEGAL", "Legal"), ("OTHER", "Other"),
        ]
        let reason = FormField("reason", "Reason", .choice(reasons))
        let percentage = FormField(
            "percentage", "Percent", .number, hint: "Empty: as in the developer's response, or all")
        let refund = "refund {customer} {transaction}"
        return [
            run(
                "ask-refund", "Ask for a refund", "requestRefund", [purchase, reason], button: "Ask",
                refund + " --request --reason {reason}"),
            run("refund", "Refund", "approveRefund", [purchase, percentage], refund + " [--percentage {percentage}]"),
            run("decline", "Decline a refund", "declineRefund", [purchase], button: "Decline", refund + " --decline"),
            run("reverse", "Reverse a refund", "reverseRefund", [purchase], button: "Reverse", refund + " --reverse"),
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

    /// Returns a form for a command with a subcommand of its own. `line` is the subcommand with its arguments.
    private func run(
        _ id: String, _ title: String, _ command: String, about: String? = nil, _ fields: [FormField],
        button: String? = nil, _ line: String
    ) -> PanelForm {
        PanelForm(
            id, title, about: about, [.hidden("command", command), customerField] + fields, button: button ?? title,
            command: "counterfoil simulator " + line + option)
    }

    /// Returns a form for any other command about the customer.
    private func `do`(
        _ id: String, _ title: String, _ command: String, about: String? = nil, _ fields: [FormField]
    ) -> PanelForm {
        .do(id, title, command, about: about, [customerField] + fields, option: option)
    }
}
