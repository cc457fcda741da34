internal import Ledger

/// The page of an event with its deliveries to each endpoint. Search links to the customer instead if the event has
/// one.
enum EventPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let id = pageRequest.segment("id")
        var page = pageRequest.page("Event", foreign: id, up: ("Customers", pageRequest.list("customers")))
        let target = pageRequest.target(["events", id, "deliveries"], isScoped: false)
        guard let json = try await pageRequest.read(target, &page, "The event") else { return page }
        let items = json["items"].items
        // Most event identifiers contain the UUID of the notification that caused the event.
        let uuid = String(id.dropFirst(LedgerEvent.prefix.count))
        let answer = try await pageRequest.get(pageRequest.target(["notifications", uuid], isScoped: false))
        let owners = try await customers(of: id, pageRequest)
        page.facts(facts(items, answer.isSuccess ? answer.json : .nothing) + owners)
        if answer.isSuccess {
            page.links([("The notification about it", pageRequest.link("notifications", uuid))])
        }
        deliveries(items, pageRequest, &page)
        return page
    }

    /// Returns the type and the time of an event, from its deliveries and its notification.
    private static func facts(_ deliveries: [APIValue], _ notification: APIValue) -> [(String, ConsolePage.Cell)] {
        let type = deliveries.first?["event_type"].text
        let names = [notification["type"].text, notification["subtype"].text].compactMap(\.self)
        // The first delivery was created with the event.
        let created = notification.isNothing ? deliveries.last?["created_at"] : nil
        return [
            ("Type", type.map { .plain($0) } ?? .none),
            ("Notification", names.isEmpty ? .none : .plain(names.joined(separator: " "))),
            ("Signed", .instant(notification["signed_date"])), ("Created", .instant(created ?? .nothing)),
        ]
    }

    /// Returns the customers of an event, if the key may search for it.
    private static func customers(
        of id: String, _ pageRequest: PageRequest
    ) async throws -> [(String, ConsolePage.Cell)] {
        guard pageRequest.may(.supportRead) else { return [] }
        let found = try await pageRequest.get(pageRequest.target(["search"], [("q", id)], isScoped: false)).json
        return found["items"].items.filter { $0["kind"].text == "event" }.flatMap { item in
            item.strings("customers").map { ("Customer", pageRequest.selecting(item).linkCell("customers", $0)) }
        }
    }

    static func deliveries(_ items: [APIValue], _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        page.table(
            "Deliveries of its event", ["Endpoint", "State", "Attempts", "Last answer", "Last attempt"],
            items.map { item in
                let (endpoint, state) = (item.string("endpoint"), item.string("state"))
                let last = item["attempt_list"].items.last
                return [
                    .link(endpoint, pageRequest.link("webhooks", endpoint, "deliveries", item.string("id"))),
                    NotificationsPage.tag(state), .number(item["attempts"].text ?? "0"),
                    .foreign(
                        [WebhooksPage.lastAnswer(item), last?.string("answer") ?? ""].filter { !$0.isEmpty }
                            .joined(separator: " "), limit: 200),
                    last.map { .time($0["at"].instant) } ?? .none,
                ]
            }, empty: "No endpoint takes events of this kind, or the deliveries are older than thirty days.")
    }
}
