internal import Basics
internal import Foundation
internal import Hummingbird
internal import WebConsole

/// The page of received notifications.
enum NotificationsPage {
    private static let states = ["pending", "processed", "failed"]

    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Notifications")
        page.topics = pageRequest.parameter("page") == nil ? [ChangeTopic.inbox] : []
        page.addNoteOfDoneAction(pageRequest)
        // The form keeps the typed text; the API gets milliseconds.
        let typed = pageRequest.parameters("type", "subtype", "state", "original_transaction_id", "from", "to")
        let query = typed.map { name, value in
            (name, ["from", "to"].contains(name) ? PageRequest.apiInstant(value) : value)
        }
        let target = pageRequest.target(["notifications"], query + pageRequest.parameters("page"))
        if pageRequest.mayOpenNotifications {
            page.links([("Refused requests", pageRequest.link("notifications", "refused"))])
        }
        page.holdFollowingBlocks()
        if let json = try await pageRequest.read(target, &page, "Notifications") {
            let items = json["items"].items
            let next = pageRequest.nextPage(of: json, "notifications", query: typed)
            table(
                items, pageRequest, &page,
                empty: emptySentence(
                    isFiltered: !typed.isEmpty, isFirst: pageRequest.parameter("page") == nil, isLast: next == nil))
            page.links([], next: next)
            // Offer to reprocess by the error codes on this page, for the selected app and environment.
            let codes = Set(items.filter { $0["state"].text == "failed" }.compactMap { $0["failure"].text })
            for code in codes.sorted() {
                page.action("reprocess-failed", pageRequest, [("code", code)], title: "All that failed with \(code)")
            }
        }
        guard pageRequest.mayOpenNotifications else { return page }
        let values = Dictionary(typed) { $1 }
        page.filter(
            "Filter notifications", of: PageLink("console", "notifications"),
            [
                .init("type", "Type", value: values["type"], hint: "Such as DID_RENEW"),
                .init("subtype", "Subtype", value: values["subtype"]),
                .init("state", "State", .choice([("", "any")] + states.map { ($0, $0) }), value: values["state"]),
                .init("original_transaction_id", "Original transaction", value: values["original_transaction_id"]),
                .init("from", "Received from", value: values["from"], hint: "Such as 2026-05-03"),
                .init("to", "Received before", value: values["to"]),
            ], pageRequest)
        return page
    }

    /// Returns the sentence for a page of the list without notifications. Earlier pages may have some.
    private static func emptySentence(isFiltered: Bool, isFirst: Bool, isLast: Bool) -> String {
        guard isLast else { return "None among the searched notifications. The next page goes on." }
        guard isFirst else { return "The list ends before this page." }
        return isFiltered
            ? "No notification matches the filter."
            : "No notification was received yet. The URL for App Store Connect is /apple/notifications."
    }

    static func table(_ items: [APIValue], _ pageRequest: PageRequest, _ page: inout ConsolePage, empty: String) {
        page.table(
            "Newest first", ["Notification", "Product", "Customer", "State", "Received", "Signed", "Origin"],
            items.map { item in
                let name = [item["type"].text, item["subtype"].text].compactMap(\.self).joined(separator: " · ")
                let state = item.string("state")
                let isOther = item["is_other_text"].flag ?? false
                return [
                    .link(
                        isOther ? name + " · another text" : name,
                        pageRequest.item("notifications", item.string("uuid"))),
                    item["product_id"].text.map { .foreign($0) } ?? .none, customer(of: item, pageRequest),
                    tag(state), .time(item["received_at"].instant),
                    .time(item.first("signed_date", "signed_at").instant),
                    .plain(item.string("origin").words),
                ]
            }, empty: empty)
    }

    /// Returns a link to the customer's page, if the key may open it.
    private static func customer(of item: APIValue, _ pageRequest: PageRequest) -> ConsolePage.Cell {
        guard let customer = item["customer"].text else { return .none }
        return pageRequest.may(.customersRead)
            ? pageRequest.selecting(item).linkCell("customers", customer) : .foreign(customer)
    }

    /// Returns the tag of a state.
    static func tag(_ state: String) -> ConsolePage.Cell {
        .tag(state, tone(state))
    }

    private static func tone(_ state: String) -> ConsolePage.Tone {
        switch state {
        case "processed", "delivered", "running", "done": .good
        case "failed", "discarded", "expired", "revoked": .bad
        default: .warn
        }
    }
}

/// The page of one notification with its decoded parts and its exact text.
enum NotificationPage {
    private static let shownApart: Set<String> = [
        "customer", "decoded", "problems", "signed_data", "object", "state", "subtype", "type", "verifications",
        "other_texts", "uuid",
    ]

    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let id = pageRequest.segment("id")
        var page = pageRequest.page(
            "Notification", foreign: id, up: ("Notifications", pageRequest.list("notifications")))
        let target = pageRequest.target(["notifications", id], [("include", "signed_data")], isScoped: false)
        page.addNoteOfDoneAction(pageRequest)
        guard let json = try await pageRequest.read(target, &page, "The notification") else { return page }
        let state = json.string("state")
        // A processed notification does not change any more.
        if state != "processed" { page.topics = [ChangeTopic.inbox] }
        let own = pageRequest.selecting(json)
        let customer: ConsolePage.Cell = json["customer"].text.map { own.linkCell("customers", $0) } ?? .none
        let first = [
            ("Type", MemberFormatter.cell("type", json["type"])),
            ("Subtype", MemberFormatter.cell("subtype", json["subtype"])),
            ("State", NotificationsPage.tag(state)), ("Customer", customer),
        ]
        page.facts(first + MemberFormatter.facts(of: json, without: shownApart))
        page.title("Contents")
        parts(json, own, &page)
        page.title("Signed text")
        page.exact("The exact text", json.string("signed_data"))
        VerificationDetails.show(
            json["verifications"].members.map { ("Verification of the \($0.0.words)", $0.1) }, &page)
        for other in json["other_texts"].items {
            page.title("Other texts with this identifier")
            page.facts(
                ["signed_date", "received_at", "origin", "failure"].map {
                    (MemberFormatter.label($0), MemberFormatter.cell($0, other[$0]))
                }
                    + [("State", NotificationsPage.tag(other.string("state")))])
            page.exact("The exact text of this one", other.string("signed_data"))
        }
        page.action("reprocess", pageRequest, [("id", id)], title: "Process it again")
        page.action("send-attempts", pageRequest, [("id", id)], title: "How the App Store delivered it")
        return page
    }

    /// Adds the decoded parts and the verification problems of a notification.
    static func parts(_ json: APIValue, _ pageRequest: PageRequest, _ page: inout ConsolePage) {
        for problem in json["problems"].items {
            page.paragraph("Not verified: \(problem.string("part")): \(problem.string("message"))", "note")
        }
        for (name, part) in json["decoded"].members {
            page.subtitle(MemberFormatter.label(name))
            page.facts(MemberFormatter.all(of: part))
            if let transaction = part["originalTransactionId"].text {
                page.links([
                    ("Transaction \(transaction) and its owners", pageRequest.link("transactions", transaction))
                ])
            }
        }
    }
}

/// The page of refused requests. Their bodies are untrusted and can be large: only the beginning of each is shown, and
/// the whole body of the one that the user opens.
enum RefusedPage {
    /// The number of characters of a body that is not open.
    private static let beginning = 400

    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Refused", up: ("Notifications", pageRequest.link("notifications")))
        let target = pageRequest.target(["refused"], pageRequest.parameters("page"), isScoped: false)
        guard let json = try await pageRequest.read(target, &page, "The list of refused requests") else { return page }
        let items = json["items"].items
        var seen: [String: Int] = [:]
        let links = items.map { item in
            // Several requests can arrive in one millisecond.
            let instant = item.string("received_at")
            defer { seen[instant, default: 0] += 1 }
            return link("\(instant).\(seen[instant, default: 0])", pageRequest)
        }
        page.table(
            "Newest first", ["When", "Reason", "Message", "Sender"],
            zip(items, links).map { item, link in
                [
                    .time(item["received_at"].instant), .link(item.string("code"), link.whole),
                    .foreign(item.string("message"), limit: 300), .foreign(item.string("sender")),
                ]
            }, empty: "Nothing was refused.")
        for (item, link) in zip(items, links) { body(of: item, link, &page) }
        page.links([], next: pageRequest.nextPage(of: json, "notifications", "refused"))
        return page
    }

    /// Returns the link to the page with the whole body of a request, and whether this is that page.
    private static func link(_ name: String, _ pageRequest: PageRequest) -> (whole: PageLink, isOpen: Bool) {
        let query = pageRequest.parameters("page", "back") + [("open", name)]
        return (pageRequest.link("notifications", "refused", query: query), pageRequest.parameter("open") == name)
    }

    private static func body(
        of item: APIValue, _ link: (whole: PageLink, isOpen: Bool), _ page: inout ConsolePage
    ) {
        let (text, isOpen) = (item.string("body"), link.isOpen)
        let title =
            "What \(item["sender"].text ?? "somebody") sent at \(item["received_at"].instant?.consoleText ?? ""): "
            + item.string("code")
        page.exact(title, text, isOpen: isOpen, isProven: false, limit: isOpen ? .max : beginning)
        guard !isOpen, text.unicodeScalars.count > beginning else { return }
        page.links([("All \(text.unicodeScalars.count.grouped) characters of it", link.whole)])
    }
}

extension PageRequest {
    /// Returns a path parameter.
    func segment(_ name: String) -> String {
        PageLink.name(ofSegment: context.parameters.get(name) ?? "")
    }
}
