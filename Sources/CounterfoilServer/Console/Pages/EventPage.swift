internal import Ledger

/// The page of an event with its deliveries to each endpoint. Search links to the customer instead if the event has
/// one.
enum EventPage {
    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let id = pageRequest.segment("id")
        var page = pageRequest.page("Event", foreign: id)
        page.up = ("Customers", pageRequest.list("customers"))
        let target = pageRequest.target(["events", id, "deliveries"], isScoped: false)
        guard let json = try await pageRequest.read(target, &page, "The event") else { return page }
        // Most event identifiers contain the UUID of the notification that caused the event.
        let uuid = String(id.dropFirst(LedgerEvent.prefix.count))
        if try await pageRequest.get(pageRequest.target(["notifications", uuid], isScoped: false)).isSuccess {
            page.links([("The notification about it", pageRequest.link("notifications", uuid))])
        }
        deliveries(json["items"].items, pageRequest, &page)
        return page
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
