internal import Ledger

/// The page of consumption requests: pending requests by deadline, then all requests with their outcome.
enum RefundsPage {
    /// The maximum number of pending requests on the page.
    private static let mostWaiting = 50

    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Refunds")
        page.topics = pageRequest.parameter("page") == nil ? [ChangeTopic.inbox] : []
        let place = pageRequest.parameters("page")
        let target = pageRequest.target(["consumption"], place)
        page.api = target
        page.paragraph(
            "Before a refund the App Store sends a consumption request and waits for twelve hours, in Sandbox for five minutes. "
                + "The configuration decides how to answer.")
        guard let json = try await pageRequest.read(target, &page, "Consumption requests") else { return page }
        page.holdFollowingBlocks()
        if place.isEmpty {
            let waiting = pageRequest.target(
                ["consumption"], [("state", "pending"), ("limit", "\(mostWaiting + 1)")])
            page.title("Waiting for an answer")
            if let json = try await pageRequest.read(waiting, &page, "Consumption requests", isPart: true) {
                let items = json["items"].items
                table(
                    "By deadline", Array(items.prefix(mostWaiting)), pageRequest, &page,
                    empty: "No consumption request waits for an answer.")
                if items.count > mostWaiting {
                    page.paragraph(
                        "There are more. The API lists all of them: GET /v1/consumption?state=pending.", "empty")
                }
            }
        }
        page.title("All consumption requests")
        table(
            "Newest first", json["items"].items, pageRequest, &page,
            empty:
                "The App Store has sent no consumption request yet. In the simulator: counterfoil simulator refund NAME PRODUCT --request."
        )
        page.links([], next: pageRequest.nextPage(of: json, "refunds"))
        return page
    }

    private static func table(
        _ caption: String, _ items: [APIValue], _ pageRequest: PageRequest, _ page: inout ConsolePage, empty: String
    ) {
        page.table(
            caption, ["Transaction", "Customer", "State", "Answer by", "Sent", "Decision", "Answer"],
            items.map { item in
                let (id, state) = (item.string("transaction_id"), item.string("state"))
                let customer = item["customer"].text
                return [
                    pageRequest.linkCell("transactions", id),
                    customer.map { pageRequest.linkCell("customers", $0) } ?? .plain("none"),
                    .tag(state.words, tone(state)), .time(item["answer_due_at"].instant),
                    .instant(item["sent_at"], or: .plain("no")),
                    .plain((item["decision"].text ?? "none yet").words),
                    customer.map {
                        .link(
                            answer(item),
                            pageRequest.item("refunds", "of", query: [("customer", $0), ("transaction", id)]))
                    } ?? .foreign(result(item.string("answer"))),
                ]
            }, empty: empty)
    }

    /// Returns the words for the answer to a request: what it contains is on the page of the transaction.
    private static func answer(_ item: APIValue) -> String {
        guard item["state"].text == "pending" else { return item["sent"].isNothing ? "the outcome" : "what was sent" }
        // The last attempt found the obstacle. Until something changes, nothing is sent.
        guard ConsumptionPreview.Obstacle(rawValue: item.string("answer")) != nil else { return "what would be sent" }
        return "nothing would be sent: " + result(item.string("answer"))
    }

    private static let obstacles: [ConsumptionPreview.Obstacle: String] = [
        .noPolicy: "the configuration has no consumption policy for the app",
        .noConsent: "the customer has not consented",
        .notPurchased: "the customer did not pay for it",
    ]

    /// Returns the words for an obstacle or for the result of an attempt.
    fileprivate static func result(_ code: String) -> String {
        ConsumptionPreview.Obstacle(rawValue: code).flatMap { obstacles[$0] } ?? code.words
    }

    fileprivate static func tone(_ state: String) -> ConsolePage.Tone {
        switch state {
        case "sent": .good
        case "pending": .warn
        default: .bad
        }
    }
}

/// The page of the consumption requests for one transaction: the answers that were sent, and a preview of an answer.
enum RefundPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let (customer, id) = (pageRequest.parameter("customer") ?? "", pageRequest.parameter("transaction") ?? "")
        var page = pageRequest.page("Refund of", foreign: id, up: ("Refunds", pageRequest.list("refunds")))
        let query = [("transaction_id", id)]
        let preview = pageRequest.target(["customers", customer, "consumption", "preview"], query)
        page.api = preview
        guard pageRequest.requireScope(.customersRead, for: "Refund", &page) else { return page }
        page.links([("Customer \(customer)", pageRequest.link("customers", customer))])
        let requests = pageRequest.target(["customers", customer, "consumption"], query)
        page.title("Consumption requests")
        if let json = try await pageRequest.read(requests, &page, "Consumption requests", isPart: true) {
            let about = json["items"].items
            if about.isEmpty {
                page.paragraph("The App Store has sent no consumption request about this transaction.", "empty")
            }
            for item in about { show(item, &page) }
            if about.contains(where: { $0["state"].text == "pending" }) { page.topics = [ChangeTopic.inbox] }
        }
        page.holdFollowingBlocks()
        page.title("What would be sent now")
        guard let json = try await pageRequest.read(preview, &page, "The preview", isPart: true) else { return page }
        page.facts([
            ("Would be sent", .plain(json["would_send"].text ?? "no")),
            ("Obstacle", json["obstacle"].text.map { .tag(RefundsPage.result($0), .warn) } ?? .none),
        ])
        page.table(
            "Where each member comes from", ["Member", "From"],
            json["reasons"].items.map { reason in
                [.code(reason.string("member")), .foreign(reason.string("source").words, limit: 300)]
            }, empty: "Nothing would be sent.")
        if !json["request"].isNothing {
            // Keep it collapsed: an expanded text prevents the refresh of this part of the page.
            page.exact("The exact request", json["request"].pretty)
        }
        return page
    }

    private static func show(_ item: APIValue, _ page: inout ConsolePage) {
        let state = item.string("state")
        page.facts([
            ("State", .tag(state.words, RefundsPage.tone(state))), ("Asked", .time(item["requested_at"].instant)),
            ("Answer by", .time(item["answer_due_at"].instant)),
            ("Sent", .instant(item["sent_at"], or: .plain("no"))),
            ("Attempts", .plain(item["attempts"].text ?? "0")),
            ("Result", item["answer"].text.map { .foreign(RefundsPage.result($0)) } ?? .none),
            ("Decision", .plain((item["decision"].text ?? "none yet").words)),
            ("Decided", .instant(item["decided_at"])),
        ])
        if !item["sent"].isNothing { page.exact("What was sent", item["sent"].pretty) }
    }
}
