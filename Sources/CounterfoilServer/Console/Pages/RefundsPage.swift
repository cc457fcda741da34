internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// The App Store's questions before refunds, by customer: what was answered, and why.
enum RefundsPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = ConsolePage("Refunds")
        let target = visit.target(["notifications"], [("type", "CONSUMPTION_REQUEST"), ("limit", "50")])
        (page.api, page.command) = (target, "counterfoil api GET '\(target)'")
        page.paragraph(
            "The App Store asks before it refunds, and waits for twelve hours. Answers follow the configuration.")
        if let customer = visit.parameter("customer") { try await requests(of: customer, visit, &page) }
        let answer = try await visit.get(target)
        page.title("Questions")
        if visit.accept(answer, &page, "Questions") {
            page.table(
                "The last first", ["Question", "Asked", "Answer by"],
                answer.json["items"].items.map { item in
                    let asked = item["received_at"].instant
                    let deadline = asked.map { $0 + 12 * 3600 }
                    let left = deadline.map { $0.timeIntervalSince(visit.console.core.now) } ?? 0
                    return [
                        .link(
                            "\(item["type"].text ?? "") \(item["uuid"].text?.prefix(8) ?? "")",
                            visit.link("notifications", item["uuid"].text ?? "")),
                        .time(asked), left > 0 ? .time(deadline) : .plain("over"),
                    ]
                }, empty: "The App Store asked nothing yet. In the simulator: counterfoil simulator do request-refund.")
        }
        page.formTitle("Of a customer")
        page.form(
            PageLink("console", "refunds"),
            visit.selection.query.map { .hidden($0.0, $0.1) }
                + [.init(name: "customer", label: "Customer", value: visit.parameter("customer") ?? "")],
            button: "Show", method: "get")
        return page
    }

    private static func requests(of customer: String, _ visit: Visit, _ page: inout ConsolePage) async throws {
        let answer = try await visit.get(visit.target(["customers", customer, "consumption"]))
        page.title("Of this customer")
        guard visit.accept(answer, &page, "Requests") else { return }
        page.table(
            "Requests", ["Transaction", "State", "Deadline", "Sent", "Decision"],
            answer.json["items"].items.map { item in
                let state = item["state"].text ?? ""
                return [
                    .link(
                        item["transaction_id"].text ?? "", visit.link("transactions", item["transaction_id"].text ?? "")
                    ),
                    .tag(state.words, state == "sent" ? .good : .warn), .time(item["answer_due_at"].instant),
                    .time(item["sent_at"].instant), .plain((item["decision"].text ?? "none yet").words),
                ]
            }, empty: "The App Store asked nothing about this customer.")
    }
}
