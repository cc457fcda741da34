internal import Basics
internal import Foundation
internal import Ledger
internal import WebConsole

/// The page of webhook endpoints.
enum WebhooksPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Webhooks")
        page.topics = [ChangeTopic.deliveries]
        guard let json = try await pageRequest.read("/v1/webhooks", &page, "Webhooks") else { return page }
        // The page shows counts of each endpoint. A stream can follow at most eight topics.
        let names = json["items"].items.compactMap { $0["name"].text }
        page.topics += names.prefix(7).map { ChangeTopic.deliveries(of: $0) }
        page.holdFollowingBlocks()
        page.table(
            "Endpoints, with the deliveries of the last 24 hours",
            [
                "Endpoint", "State", "Delivered", "Failed", "Waiting", "Oldest waiting", "URL", "Failing since",
                "Made by",
            ],
            json["items"].items.map { item in
                let (name, activity) = (item.string("name"), item["activity"])
                return [
                    pageRequest.linkCell("webhooks", name), state(item), count(activity, "delivered"),
                    count(activity, "failed"), waiting(item),
                    .instant(activity["oldest_pending_at"], or: .plain("none")),
                    .code(item.string("url")),
                    .instant(item["failing_since"], or: .plain("no")),
                    .plain(item["is_configured"].flag == true ? "configuration" : "API"),
                ]
            },
            empty: "There are none. Add one under webhooks: in the configuration, or with POST /v1/webhooks.")
        return page
    }

    /// Returns a number of deliveries, with "or more" if counting stopped at the limit.
    static func count(_ activity: APIValue, _ name: String) -> ConsolePage.Cell {
        let number = activity[name].number ?? 0
        let isAll = activity["counted_up_to"].number.map { number < $0 } ?? true
        return .number(isAll ? number.grouped : "\(number.grouped) or more")
    }

    /// Returns the number of waiting deliveries. No deliveries are made of the events of an endpoint that is off.
    private static func waiting(_ item: APIValue) -> ConsolePage.Cell {
        let events = item["activity"]["events_behind"].number ?? 0
        guard item["enabled"].flag == false, events > 0,
            case .number(let deliveries) = count(item["activity"], "pending")
        else { return count(item["activity"], "pending") }
        return .number("\(deliveries) and \(events.grouped) new \(events.noun("event"))")
    }

    /// Returns why an endpoint is off; nil if it is on.
    static func reason(_ item: APIValue) -> String? {
        item["disabled_reason"].text.map { text in
            switch DisableReason(rawValue: text) {
            case .gone?: "it answered 410 Gone"
            case .failing?: "all attempts of five days failed"
            case .requested?: "by request"
            case nil: text.words
            }
        }
    }

    /// Returns the error of an attempt; nil if it only repeats the status.
    static func error(_ error: APIValue, status: APIValue) -> String? {
        error.text == status.text.map { "status_\($0)" } ? nil : error.text
    }

    /// Returns the status and the error of a delivery's last attempt; empty if there was none.
    static func lastAnswer(_ item: APIValue) -> String {
        let status = item["last_status"]
        return [status.text, error(item["last_error"], status: status)].compactMap(\.self).joined(separator: " ")
    }

    /// Returns when the next attempt of a delivery is made, or what it waits for.
    static func nextAttempt(_ item: APIValue, to endpoint: APIValue, now: Date) -> ConsolePage.Cell {
        guard item["state"].text == "pending" else { return .none }
        if endpoint["enabled"].flag == false { return .plain("when the endpoint is switched on") }
        guard let due = item["next_attempt_at"].instant else { return .plain("after an earlier delivery") }
        return due <= now && !endpoint["paused_until"].isNothing ? .plain("after the pause") : .time(due)
    }

    static func state(_ item: APIValue) -> ConsolePage.Cell {
        if item["enabled"].flag == false { return .tag("off", .bad) }
        return item["failing_since"].isNothing ? .tag("on", .good) : .tag("failing", .warn)
    }
}

/// The page of one endpoint with its deliveries.
enum WebhookPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let name = pageRequest.segment("name")
        var page = pageRequest.page("Endpoint", foreign: name, up: ("Webhooks", pageRequest.link("webhooks")))
        page.topics = pageRequest.parameter("page") == nil ? [ChangeTopic.deliveries(of: name)] : []
        page.addNoteOfDoneAction(pageRequest)
        let filter = DeliveryFilterForm(pageRequest)
        let target = pageRequest.target(
            ["webhooks", name, "deliveries"], filter.query + pageRequest.parameters("page"), isScoped: false)
        page.api = target
        let endpoint = pageRequest.target(["webhooks", name], isScoped: false)
        guard let json = try await pageRequest.read(endpoint, &page, "The endpoint") else { return page }
        facts(json, &page)
        page.links(pageRequest.auditLinks(about: name))
        page.title("Deliveries")
        let states = [""] + DeliveryFilterForm.states
        page.links(
            states.map { state in
                (state.isEmpty ? "all" : state, pageRequest.link("webhooks", name, query: filter.fields(state: state)))
            }, current: states.firstIndex(of: filter.state ?? ""))
        let answer = try await pageRequest.get(target)
        page.holdFollowingBlocks()
        if pageRequest.accept(answer, &page, "Deliveries", isPart: true) {
            let next = pageRequest.nextPage(of: answer.json, "webhooks", name, query: filter.fields())
            if filter.needsScan, next != nil {
                page.paragraph(
                    "Searched the last \(DeliveryQuery.scanLimit.grouped) deliveries of each state; "
                        + "the next page goes on.", "note")
            }
            deliveries(answer.json, to: json, name, pageRequest, &page, isFiltered: filter.needsScan)
            page.links([], next: next)
        }
        filter.show(name, pageRequest, &page)
        forms(json, name, pageRequest, &page)
        return page
    }

    private static func facts(_ json: APIValue, _ page: inout ConsolePage) {
        page.facts([
            ("State", WebhooksPage.state(json)), ("URL", .code(json.string("url"))),
            ("Why", WebhooksPage.reason(json).map { .plain($0) } ?? .none),
            (
                "Events",
                json["events"].items.isEmpty
                    ? .plain("all")
                    : .foreign(json.strings("events").joined(separator: ", "), limit: 500)
            ),
            ("Payload", .plain(json.string("payload"))),
            (
                "Secrets",
                .foreign(json["secrets"].items.compactMap { $0["fingerprint"].text }.joined(separator: ", "))
            ),
            ("Made by", .plain(json["is_configured"].flag == true ? "configuration" : "API")),
        ])
        let activity = json["activity"]
        page.title("The last 24 hours")
        page.facts([
            ("Delivered", WebhooksPage.count(activity, "delivered")),
            ("Failed", WebhooksPage.count(activity, "failed")),
            ("Discarded", WebhooksPage.count(activity, "discarded")),
            ("Waiting", WebhooksPage.count(activity, "pending")),
            ("Oldest waiting", .instant(activity["oldest_pending_at"], or: .plain("none"))),
            ("Events not looked at yet", .plain((activity["events_behind"].number ?? 0).grouped)),
            ("Failing since", .instant(json["failing_since"], or: .plain("no"))),
            ("Paused until", .instant(json["paused_until"])),
        ])
        guard !json["paused_until"].isNothing else { return }
        page.paragraph(
            "Ten deliveries in a row failed. One at a time is sent now, after pauses that grow up to a minute, until one "
                + "arrives. A test, a replay and a change of the endpoint end the pause.", "note")
    }

    private static func deliveries(
        _ json: APIValue, to endpoint: APIValue, _ name: String, _ pageRequest: PageRequest,
        _ page: inout ConsolePage, isFiltered: Bool
    ) {
        page.table(
            "Newest first", ["Delivery", "State", "Attempts", "Last answer", "Created", "Next attempt"],
            json["items"].items.map { item in
                [
                    .link(
                        "\(item.string("event_type")) \(item.string("id"))",
                        pageRequest.item("webhooks", name, "deliveries", item.string("id"))),
                    NotificationsPage.tag(item.string("state")), .number(item["attempts"].text ?? "0"),
                    .foreign(WebhooksPage.lastAnswer(item)), .time(item["created_at"].instant),
                    WebhooksPage.nextAttempt(item, to: endpoint, now: pageRequest.now),
                ]
            }, empty: isFiltered ? "None among the searched deliveries." : "There are none. Send a test.")
    }

    /// Adds the forms for secrets. The secrets of a configured endpoint can be changed only in the configuration.
    private static func secrets(_ json: APIValue, _ name: String, _ pageRequest: PageRequest, _ page: inout ConsolePage)
    {
        guard json["is_configured"].flag != true else { return }
        page.action("webhook-secret", pageRequest, [("name", name)], title: "Secrets")
        let known = json["secrets"].items.compactMap { $0["fingerprint"].text }
        guard known.count > 1 else { return }
        page.action(
            "webhook-secret-retire", pageRequest, [("name", name)],
            [.init("fingerprint", "Secret", .choice(known.map { ($0, $0) }))])
    }

    private static func forms(_ json: APIValue, _ name: String, _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        let isOn = json["enabled"].flag == true
        if isOn { page.action("webhook-test", pageRequest, [("name", name)], title: "Test") }
        page.action(
            isOn ? "webhook-off" : "webhook-on", pageRequest, [("name", name)],
            title: isOn ? "Switch off" : "Switch on")
        secrets(json, name, pageRequest, &page)
        page.action("replay", pageRequest, [("name", name)], title: "Resend a period")
        page.action("webhook-discard", pageRequest, [("name", name)], title: "Discard waiting deliveries")
    }
}

/// The filter of an endpoint's deliveries, as parameters of the page and of the API.
private struct DeliveryFilterForm {
    static let states = ["pending", "delivered", "failed", "discarded"]
    let state: String?
    /// An event type or an event identifier.
    private let event: String?
    private let customer: String?

    init(_ pageRequest: PageRequest) {
        (state, event) = (pageRequest.parameter("state"), pageRequest.parameter("event"))
        customer = pageRequest.parameter("customer")
    }

    private var isOneEvent: Bool { event?.hasPrefix(LedgerEvent.prefix) == true }

    /// Whether the API must scan deliveries, because no index supports the filter.
    var needsScan: Bool { customer != nil || (event != nil && !isOneEvent) }

    /// The parameters of the API.
    var query: [(String, String)] {
        let members = [("state", state), (isOneEvent ? "event_id" : "event_type", event), ("customer", customer)]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Returns the parameters of the page, optionally with another state; an empty state means any.
    func fields(state other: String? = nil) -> [(String, String)] {
        let members = [("state", other ?? state), ("event", event), ("customer", customer)]
        return members.compactMap { name, value in value.map { (name, $0) } }.filter { !$0.1.isEmpty }
    }

    func show(_ name: String, _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        page.filter(
            "Filter deliveries", of: PageLink("console", "webhooks", name),
            [
                .init("state", "State", .choice([("", "any")] + Self.states.map { ($0, $0) }), value: state),
                .init("event", "Event", value: event, hint: "Such as subscription.renewed, or evt_…"),
                .init("customer", "Customer", value: customer),
            ], pageRequest)
    }
}
