/// The page of one delivery with its attempts and its exact body.
enum DeliveryPage {
    private static let shownApart: Set<String> = [
        "object", "id", "message_id", "event_id", "event_type", "state", "attempts", "attempt_list", "body", "request",
        "next_attempt_at", "last_status", "last_error",
    ]

    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        let (name, id) = (pageRequest.segment("name"), pageRequest.segment("id"))
        var page = pageRequest.page("Delivery \(id)", up: ("Endpoint \(name)", pageRequest.list("webhooks", name)))
        page.topics = [ChangeTopic.deliveries(of: name)]
        let target = pageRequest.target(["webhooks", name, "deliveries", id], isScoped: false)
        guard let json = try await pageRequest.read(target, &page, "The delivery") else { return page }
        let endpoint = try await pageRequest.get(pageRequest.target(["webhooks", name], isScoped: false)).json
        let (last, message) = (WebhooksPage.lastAnswer(json), json.string("message_id"))
        let facts: [(String, ConsolePage.Cell)] = [
            ("State", NotificationsPage.tag(json.string("state"))), ("Type", .foreign(json.string("event_type"))),
            ("Event", json["event_id"].text.map { pageRequest.linkCell("events", $0) } ?? .none),
            // Nearly all deliveries have the event's identifier.
            ("Message", message == json["event_id"].text ? .none : .foreign(message)),
            ("Attempts", .plain(json["attempts"].text ?? "0")),
            ("Last answer", last.isEmpty ? .none : .foreign(last)),
            ("Next attempt", WebhooksPage.nextAttempt(json, to: endpoint, now: pageRequest.now)),
        ]
        page.facts(facts + MemberFormatter.facts(of: json, without: shownApart))
        page.title("Attempts")
        let attempts = json["attempt_list"].items
        page.table(
            "Oldest first", ["When", "Status", "Duration", "Error", "Answer"],
            attempts.map { attempt in
                [
                    .time(attempt["at"].instant), .plain(attempt["status"].text ?? "no answer"),
                    .number("\(attempt["duration_ms"].text ?? "0") ms"),
                    .foreign(WebhooksPage.error(attempt["error"], status: attempt["status"]) ?? ""),
                    .foreign(attempt.string("answer"), limit: 512),
                ]
            }, empty: "None was made yet.")
        request(json, &page)
        if let event = json["event_id"].text {
            page.action("replay-event", pageRequest, [("name", name), ("event_id", event)], title: "Send it again")
        }
        return page
    }

    /// Adds the headers, the body, and a command that verifies them.
    private static func request(_ json: APIValue, _ page: inout ConsolePage) {
        let wasSent = json["request"]["was_sent"].flag == true
        page.title(wasSent ? "What was sent" : "What is sent")
        guard let body = json["body"].text else {
            return page.paragraph("There is no body to send any more.", "empty")
        }
        let headers = json["request"]["headers"].items.map { ($0.string("name"), $0.string("value")) }
        page.table(
            wasSent ? "Headers of the last attempt" : "Headers of an attempt now", ["Header", "Value"],
            headers.map { [.code($0.0), .code($0.1, limit: 4000)] }, empty: "There are none.")
        page.exact("The exact body", body)
        guard let snippet = VerificationSnippet(headers) else { return }
        page.exact("Verify it yourself", snippet.text)
        page.paragraph(
            "Signatures are made with the secrets that the endpoint has now: a retired secret signs nothing."
        )
    }
}
