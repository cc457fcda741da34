internal import AppStoreModels
internal import Ledger
internal import WebConsole

extension CustomerPage {
    /// Adds the timeline, newest first. The entry in the query parameter `open` is expanded with all its details.
    static func timeline(
        _ id: String, _ instant: [(String, String)], _ pageRequest: PageRequest, _ page: inout ConsolePage
    ) async throws {
        let open = pageRequest.may(.supportRead) ? pageRequest.parameter("open").map { [("expand", $0)] } ?? [] : []
        let answer = try await pageRequest.get(
            pageRequest.target(["customers", id, "timeline"], instant + pageRequest.parameters("page") + open))
        // The link of an entry stays on the same page of the timeline and keeps the way back to the list of customers.
        let place = pageRequest.parameters("page", "back", "list")
        page.holdFollowingBlocks()
        page.title("Timeline")
        guard pageRequest.accept(answer, &page, "The timeline", isPart: true) else { return }
        var entries: [ConsolePage.Entry] = []
        let items = answer.json["items"].items
        let hasSeveralProducts = Set(items.compactMap { $0["product_id"].text }).count > 1
        for item in items {
            let uuid = item["uuid"].text
            let isOpen = uuid != nil && uuid == pageRequest.parameter("open")
            var entry = ConsolePage.Entry(item["sentence"].text ?? item.string("type"))
            entry.facts = facts(of: item, namesProduct: hasSeveralProducts)
            if let then = item.first("occurred_at", "signed_date").number {
                let then = PageLink(
                    samePageWith: pageRequest.selection.query + [("at", String(then))] + pageRequest.listQuery)
                entry.links.append(("as known then", then))
            }
            if let uuid {
                entry.anchor = "entry-\(uuid)"
                entry.link = PageLink(
                    samePageWith: pageRequest.selection.query + instant + place + (isOpen ? [] : [("open", uuid)]),
                    fragment: entry.anchor)
            }
            if isOpen, let uuid { entry.inside = try await details(of: uuid, item["notification"], pageRequest) }
            entries.append(entry)
        }
        let selection = pageRequest.selection
        let environment = selection.appEnvironment.map { " in \(selection.name(of: $0))" } ?? ""
        page.entries(
            entries,
            empty:
                "Nothing is known of this customer\(environment). The identifier is exact: upper and lower case count.")
        if entries.isEmpty, pageRequest.parameter("page") == nil, pageRequest.may(.supportRead) {
            page.links([
                (
                    "Search all apps and environments for this identifier",
                    pageRequest.link("customers", query: [("q", id)])
                )
            ])
        }
        let query = instant + pageRequest.listQuery
        page.links([], next: pageRequest.nextPage(of: answer.json, "customers", id, query: query))
    }

    /// - Parameter namesProduct: Whether to name the product if the sentence does not, as the one about a renewal.
    private static func facts(of item: APIValue, namesProduct: Bool) -> [(String, ConsolePage.Cell)] {
        let (state, origin, product) = (item.string("state"), item.string("origin"), item.string("product_id"))
        let isNamed = !namesProduct || product.isEmpty || item.string("sentence").contains(product)
        let then = item.first("occurred_at", "signed_date").instant
        let received = item["received_at"].instant
        // Most notifications arrive in the second in which they are signed.
        let isAtOnce = received != nil && received?.consoleText == then?.consoleText
        // Claims, grants and the first download have no notification, so nothing was signed at that instant.
        let name = item["uuid"].isNothing ? "at" : isAtOnce ? "signed and received" : "signed"
        return [
            (name, .time(then)),
            // The fact before it already shows a relative time.
            ("received", received == nil || isAtOnce ? .none : .time(received, isRelative: false)),
            ("product", isNamed ? .none : .foreign(product)),
            // Nearly all entries of a timeline are delivered and processed.
            ("origin", origin.isEmpty || origin == "delivered" ? .none : .plain(origin.words)),
            ("state", state.isEmpty || state == "processed" ? .none : NotificationsPage.tag(state)),
        ]
    }

    /// Returns the details of an entry: the decoded notification, its verification, and the webhook deliveries.
    private static func details(
        of uuid: String, _ notification: APIValue, _ pageRequest: PageRequest
    ) async throws -> ConsolePage {
        var inside = pageRequest.page(uuid)
        if notification.isNothing {
            inside.paragraph("To see its content, the key needs the scope support:read.", "empty")
        } else {
            NotificationPage.parts(notification, pageRequest, &inside)
            VerificationDetails.show(
                notification["verifications"].members.map { ("Verification of the \($0.0.words)", $0.1) }, &inside)
        }
        guard pageRequest.may(.webhooksWrite) else { return inside }
        inside.subtitle("Webhooks")
        let response = try await pageRequest.get(
            pageRequest.target(["events", "\(LedgerEvent.prefix)\(uuid)", "deliveries"], isScoped: false))
        guard response.status != 404 else {
            inside.paragraph("It has caused no event yet.", "empty")
            return inside
        }
        guard pageRequest.accept(response, &inside, "Deliveries", isPart: true) else { return inside }
        let deliveries = response.json["items"].items
        EventPage.deliveries(deliveries, pageRequest, &inside)
        for endpoint in Set(deliveries.compactMap { $0["endpoint"].text }).sorted() {
            inside.action(
                "replay-event", pageRequest, [("name", endpoint), ("event_id", "\(LedgerEvent.prefix)\(uuid)")],
                button: "Send the event again to \(endpoint)…", isInPlace: true)
        }
        return inside
    }
}
