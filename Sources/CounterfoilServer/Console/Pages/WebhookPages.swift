internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// The endpoints.
enum WebhooksPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = visit.page("Webhooks")
        page.topics = ["deliveries"]
        (page.api, page.command) = ("/v1/webhooks", "counterfoil api GET /v1/webhooks")
        let answer = try await visit.get("/v1/webhooks")
        guard visit.accept(answer, &page, "Webhooks") else { return page }
        page.table(
            "Endpoints", ["Endpoint", "State", "URL", "Failing since", "Made by"],
            answer.json["items"].items.map { item in
                let name = item["name"].text ?? ""
                return [
                    .link(name, visit.link("webhooks", name)), state(item), .code(item["url"].text ?? ""),
                    item["failing_since"].isNothing ? .plain("no") : .time(item["failing_since"].instant),
                    .plain(item["is_configured"].flag == true ? "configuration" : "API"),
                ]
            },
            empty: "There are none. Add one under webhooks: in the configuration, or with POST /v1/webhooks.")
        return page
    }

    static func state(_ item: APIValue) -> ConsolePage.Cell {
        if item["enabled"].flag == false { return .tag("off", .bad) }
        return item["failing_since"].isNothing ? .tag("on", .good) : .tag("failing", .warn)
    }
}

/// One endpoint with its deliveries.
enum WebhookPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let name = visit.segment("name")
        var page = visit.page("Endpoint", foreign: name)
        page.up = ("Webhooks", visit.link("webhooks"))
        page.topics = visit.parameter("page") == nil ? ["deliveries"] : []
        page.sayWhatWasDone(visit)
        let state = visit.parameter("state").map { [("state", $0)] } ?? []
        let target = visit.target(
            ["webhooks", name, "deliveries"], state + (visit.parameter("page").map { [("page", $0)] } ?? []),
            isScoped: false)
        (page.api, page.command) = (target, "counterfoil api GET '\(target)'")
        let endpoint = try await visit.get(visit.target(["webhooks", name], isScoped: false))
        guard visit.accept(endpoint, &page, "The endpoint") else { return page }
        facts(endpoint.json, &page)
        page.title("Deliveries")
        page.links(
            [("all", visit.link("webhooks", name))]
                + ["pending", "delivered", "failed", "discarded"].map {
                    ($0, visit.link("webhooks", name, query: [("state", $0)]))
                })
        let answer = try await visit.get(target)
        page.holdFromHere()
        if visit.accept(answer, &page, "Deliveries") {
            deliveries(answer.json, name, visit, &page)
            page.links(
                [],
                next: answer.json["next_page"].text.map { visit.link("webhooks", name, query: state + [("page", $0)]) })
        }
        forms(endpoint.json, name, visit, &page)
        return page
    }

    private static func facts(_ json: APIValue, _ page: inout ConsolePage) {
        page.facts([
            ("state", WebhooksPage.state(json)), ("url", .code(json["url"].text ?? "")),
            ("why", json["disabled_reason"].text.map { .plain($0.words) } ?? .none),
            (
                "events",
                json["events"].items.isEmpty
                    ? .plain("all")
                    : .foreign(json["events"].items.compactMap(\.text).joined(separator: ", "), limit: 500)
            ),
            ("payload", .plain(json["payload"].text ?? "")),
            (
                "secrets",
                .foreign(json["secrets"].items.compactMap { $0["fingerprint"].text }.joined(separator: ", "))
            ),
            ("made by", .plain(json["is_configured"].flag == true ? "configuration" : "API")),
        ])
    }

    private static func deliveries(_ json: APIValue, _ name: String, _ visit: Visit, _ page: inout ConsolePage) {
        page.table(
            "Deliveries, the last first", ["Delivery", "State", "Attempts", "Last answer", "Made", "Next attempt"],
            json["items"].items.map { item in
                let state = item["state"].text ?? ""
                let last = [item["last_status"].text, item["last_error"].text].compactMap(\.self)
                return [
                    .link(
                        "\(item["event_type"].text ?? "") \(item["id"].text ?? "")",
                        visit.link("webhooks", name, "deliveries", item["id"].text ?? "")),
                    .tag(state, NotificationsPage.tone(state)), .plain(item["attempts"].text ?? "0"),
                    .foreign(last.joined(separator: " ")), .time(item["created_at"].instant),
                    item["next_attempt_at"].isNothing ? .none : .time(item["next_attempt_at"].instant),
                ]
            }, empty: "There are none. Send a test.")
    }

    /// Secrets of the configuration are changed there.
    private static func secrets(_ json: APIValue, _ name: String, _ visit: Visit, _ page: inout ConsolePage) {
        guard json["is_configured"].flag != true else { return }
        page.action("webhook-secret", visit, [("name", name)], title: "Secrets")
        let known = json["secrets"].items.compactMap { $0["fingerprint"].text }
        guard known.count > 1, let first = known.first else { return }
        page.action(
            "webhook-secret-retire", visit, [("name", name)],
            [.init(name: "fingerprint", label: "Secret", value: first, options: known.map { ($0, $0) })])
    }

    private static func forms(_ json: APIValue, _ name: String, _ visit: Visit, _ page: inout ConsolePage) {
        let isOn = json["enabled"].flag == true
        if isOn { page.action("webhook-test", visit, [("name", name)], title: "Test") }
        page.action(isOn ? "webhook-off" : "webhook-on", visit, [("name", name)], title: isOn ? "Off" : "On")
        secrets(json, name, visit, &page)
        page.action(
            "replay", visit, [("name", name)],
            [
                .init(name: "from", label: "From, such as 2026-05-03"), .init(name: "to", label: "to"),
                .init(name: "after", label: "After event number (to go on)"),
            ], title: "Send a time again")
        page.action("webhook-discard", visit, [("name", name)], title: "Discard what waits")
    }
}

/// One delivery with its attempts and its exact text.
enum DeliveryPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        let (name, id) = (visit.segment("name"), visit.segment("id"))
        var page = visit.page("Delivery \(id)")
        page.up = ("Endpoint \(name)", visit.link("webhooks", name))
        page.topics = ["deliveries"]
        let target = visit.target(["webhooks", name, "deliveries", id], isScoped: false)
        (page.api, page.command) = (target, "counterfoil api GET \(target)")
        let answer = try await visit.get(target)
        guard visit.accept(answer, &page, "The delivery") else { return page }
        let (json, state) = (answer.json, answer.json["state"].text ?? "")
        page.facts(
            [("state", .tag(state, NotificationsPage.tone(state)))]
                + json.members.compactMap { name, value in
                    ["object", "state", "attempt_list", "body"].contains(name)
                        ? nil : (name.words, PageFacts.cell(name, value))
                })
        page.title("Attempts")
        let attempts = json["attempt_list"].items
        page.table(
            "Attempts, the first first", ["When", "Status", "Duration", "Error", "Answer"],
            attempts.map { attempt in
                [
                    .time(attempt["at"].instant), .plain(attempt["status"].text ?? "no answer"),
                    .plain("\(attempt["duration_ms"].text ?? "0") ms"), .foreign(attempt["error"].text ?? ""),
                    .foreign(attempt["answer"].text ?? "", limit: 512),
                ]
            }, empty: "None was made yet.")
        page.title("What is sent")
        if let body = json["body"].text {
            page.exact("The exact body", body)
        } else {
            page.paragraph("There is nothing to say any more.", "empty")
        }
        if let event = json["event_id"].text {
            page.action("replay-event", visit, [("name", name), ("event_id", event)], title: "Again")
        }
        return page
    }
}
