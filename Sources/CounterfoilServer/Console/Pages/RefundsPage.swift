internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import Foundation
internal import WebConsole

/// The App Store's questions before refunds: those that wait, by deadline, and what became of the others.
enum RefundsPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = visit.page("Refunds")
        page.topics = visit.parameter("page") == nil ? [ChangeTopic.inbox] : []
        let place = visit.parameter("page").map { [("page", $0)] } ?? []
        let target = visit.target(["consumption"], place)
        page.api = target
        page.paragraph(
            "The App Store asks before it refunds, and waits for twelve hours, in Sandbox for five minutes. Answers follow the "
                + "configuration.")
        page.holdFromHere()
        if place.isEmpty {
            let waiting = visit.target(["consumption"], [("state", "pending"), ("limit", "50")])
            page.title("Waiting for an answer")
            if let json = try await visit.read(waiting, &page, "Questions", isPart: true) {
                table(
                    "The next deadline first", json["items"].items, visit, &page,
                    empty: "No question waits for an answer.")
            }
        }
        page.title("All questions")
        guard let json = try await visit.read(target, &page, "Questions") else { return page }
        table(
            "The last first", json["items"].items, visit, &page,
            empty:
                "The App Store asked nothing yet. In the simulator: counterfoil simulator refund NAME PRODUCT --request."
        )
        page.links([], next: json["next_page"].text.map { visit.link("refunds", query: [("page", $0)]) })
        return page
    }

    private static func table(
        _ caption: String, _ items: [APIValue], _ visit: Visit, _ page: inout ConsolePage, empty: String
    ) {
        page.table(
            caption, ["Transaction", "Customer", "State", "Answer by", "Sent", "Decision", "Answer"],
            items.map { item in
                let (id, state) = (item["transaction_id"].text ?? "", item["state"].text ?? "")
                let customer = item["customer"].text
                return [
                    .link(id, visit.link("transactions", id)),
                    customer.map { .link($0, visit.link("customers", $0)) } ?? .plain("nobody's"),
                    .tag(state.words, tone(state)), .time(item["answer_due_at"].instant),
                    item["sent_at"].isNothing ? .plain("no") : .time(item["sent_at"].instant),
                    .plain((item["decision"].text ?? "none yet").words),
                    customer.map {
                        .link(
                            state == "pending"
                                ? "what would be sent" : item["sent"].isNothing ? "what became of it" : "what was sent",
                            visit.item("refunds", "of", query: [("customer", $0), ("transaction", id)]))
                    } ?? .foreign(item["answer"].text ?? ""),
                ]
            }, empty: empty)
    }

    fileprivate static func tone(_ state: String) -> ConsolePage.Tone {
        switch state {
        case "sent": .good
        case "pending": .warn
        default: .bad
        }
    }
}

/// The questions about one transaction: what was sent, and what would be sent now, and why.
enum RefundPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let (customer, id) = (visit.parameter("customer") ?? "", visit.parameter("transaction") ?? "")
        var page = visit.page("Refund of", foreign: id)
        page.up = ("Refunds", visit.list("refunds"))
        let query = [("transaction_id", id)]
        let preview = visit.target(["customers", customer, "consumption", "preview"], query)
        page.api = preview
        guard visit.has(.customersRead, for: "Refund", &page) else { return page }
        page.links([("Customer \(customer)", visit.link("customers", customer))])
        let questions = visit.target(["customers", customer, "consumption"], query)
        page.title("Questions")
        if let json = try await visit.read(questions, &page, "Questions", isPart: true) {
            let about = json["items"].items
            if about.isEmpty { page.paragraph("The App Store asked nothing about this transaction.", "empty") }
            for item in about { show(item, &page) }
            if about.contains(where: { $0["state"].text == "pending" }) { page.topics = [ChangeTopic.inbox] }
        }
        page.holdFromHere()
        page.title("What would be sent now")
        guard let json = try await visit.read(preview, &page, "The preview", isPart: true) else { return page }
        page.facts([
            ("would be sent", .plain(json["would_send"].text ?? "no")),
            ("obstacle", json["obstacle"].text.map { .tag($0.words, .warn) } ?? .none),
        ])
        page.table(
            "Where each member comes from", ["Member", "From"],
            json["reasons"].items.map { reason in
                [.code(reason["member"].text ?? ""), .foreign((reason["source"].text ?? "").words, limit: 300)]
            }, empty: "Nothing would be said.")
        if !json["request"].isNothing {
            // What stands open is in use, and would not follow what happens.
            page.exact("The exact request", json["request"].pretty)
        }
        return page
    }

    private static func show(_ item: APIValue, _ page: inout ConsolePage) {
        let state = item["state"].text ?? ""
        page.facts([
            ("state", .tag(state.words, RefundsPage.tone(state))), ("asked", .time(item["requested_at"].instant)),
            ("answer by", .time(item["answer_due_at"].instant)),
            ("sent", item["sent_at"].isNothing ? .plain("no") : .time(item["sent_at"].instant)),
            ("attempts", .plain(item["attempts"].text ?? "0")),
            ("the App Store said", item["answer"].text.map { .foreign($0) } ?? .none),
            ("decision", .plain((item["decision"].text ?? "none yet").words)),
            ("decided", item["decided_at"].isNothing ? .none : .time(item["decided_at"].instant)),
        ])
        if !item["sent"].isNothing { page.exact("What was sent", item["sent"].pretty) }
    }
}
