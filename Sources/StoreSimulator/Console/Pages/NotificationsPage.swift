internal import AppStoreModels
internal import Basics
internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    private static let pageSize = 50

    /// Returns the page with the notifications, newest first.
    func notifications(_ request: PanelRequest) throws -> PanelContent {
        let customer = request.query["customer"]
        let start = max(0, request.query["page"].flatMap { Int($0) } ?? 0)
        let (lines, hasMore, now, url) = core.read(request.environment) { store, now in
            // The notifications of one customer are spread among millions. The lazy filter visits them without copying.
            let numbers = store.notifications.indices.reversed().lazy.filter {
                customer == nil || store.notifications[$0].customer == customer
            }
            let page = numbers.dropFirst(start).prefix(Self.pageSize + 1).map {
                NotificationSummaryLine(store.notifications[$0], number: $0)
            }
            return (Array(page.prefix(Self.pageSize)), page.count > Self.pageSize, now, store.settings.notificationURL)
        }
        let filter = customer.map { [("customer", $0)] } ?? []
        let isFirst = start == 0
        // The list is unfiltered and starts at the newest notification.
        let isWholeList = customer == nil && isFirst
        let previous =
            isFirst ? nil : request.link(.notifications, filter + [("page", String(max(0, start - Self.pageSize)))])
        let next = hasMore ? request.link(.notifications, filter + [("page", String(start + Self.pageSize))]) : nil
        return PanelContent(
            template: "notifications", heading: "Notifications",
            values: [
                "rows": .list(lines.map { Self.row(of: $0, request, now: now) }), "hasRows": .flag(!lines.isEmpty),
                "isEmpty": .flag(lines.isEmpty && isWholeList), "isEmptyPart": .flag(lines.isEmpty && !isWholeList),
                // Only the first page is updated live: on later pages, a new notification only shifts old rows.
                "isFirst": .flag(isFirst),
                "goesTo": .foreign(url, limit: 200), "settingsURL": .link(request.link(.settings)),
                "filterURL": .link(PageLink("notifications")),
                "filterEnvironment": .text(request.environmentName), "filterCustomer": .exact(customer ?? ""),
                "nextURL": .optional(next), "previousURL": .optional(previous),
                "hasPages": .flag(next != nil || previous != nil),
            ],
            api: "GET {base}/\(request.environmentName)/notifications"
                + (customer.map { "?customer=\($0.percentEncoded)" } ?? ""),
            command: "counterfoil simulator listen" + request.environmentOption)
    }

    private static func row(of line: NotificationSummaryLine, _ request: PanelRequest, now: Date) -> PageValue {
        [
            "url": .link(request.link(.notification(line.notificationUUID))), "key": .text(line.notificationUUID),
            "name": .foreign(name(of: line), breaksNames: true), "signed": .time(line.signedDate, now: now),
            "customer": customer(of: line, request), "product": .foreign(line.productId, breaksNames: true),
            "tag": tag(of: line),
            "attempts": .number(line.attempts.count),
        ]
    }

    /// Returns the name of the customer and the link to the customer's page.
    private static func customer(of line: NotificationSummaryLine, _ request: PanelRequest) -> PageValue {
        guard let name = line.customer else { return .nothing }
        return ["customerURL": .link(request.link(.customer(name))), "name": .foreign(name, limit: 60)]
    }

    private static func name(of line: NotificationSummaryLine) -> String {
        (line.version == 1 ? "V1." : "") + line.notificationType + (line.subtype.map { "." + $0 } ?? "")
    }

    private static func tag(of line: NotificationSummaryLine) -> PageValue {
        if line.isDelivered { return ["word": "delivered", "look": "good"] }
        if line.isPending {
            return ["word": .text(line.attempts.isEmpty ? "waiting" : "will be retried"), "look": "warn"]
        }
        return line.attempts.isEmpty ? ["word": "not sent", "look": "plain"] : ["word": "failed", "look": "bad"]
    }

    /// Returns the page of a notification: its attempts and contents.
    func notification(_ uuid: String, _ request: PanelRequest) throws -> PanelContent {
        let call = ControlRequest(
            path: ["environment": request.environmentName, "notificationUUID": uuid], query: [:], body: Data())
        let (environment, number) = try core.notification(call)
        let line = try core.notificationLine(number, in: environment)
        let (due, now) = core.read(environment) { store, now in
            (store.notifications.indices.contains(number) ? store.notifications[number].due : nil, now)
        }
        let body = String(decoding: try core.body(number, in: environment), as: UTF8.self)
        let resend = PanelForm(
            "resend", "Send again", about: "Now, in addition to the scheduled attempts.", action: "resend",
            [.hidden("uuid", uuid)],
            button: "Resend",
            command: "counterfoil simulator notifications resend {uuid}" + request.environmentOption)
        return PanelContent(
            template: "notification", heading: Self.name(of: line),
            values: [
                "uuid": .text(uuid), "signed": .time(line.signedDate, now: now), "tag": Self.tag(of: line),
                "customer": Self.customer(of: line, request),
                "attempts": .list(Self.attempts(of: line, due: due, now: now)),
                "hasAttempts": .flag(!line.attempts.isEmpty), "due": .time(due, now: now),
                "resend": resend.value(request, state), "exactText": .exact(body),
                "parts": .list(Self.parts(of: body)),
            ],
            api: "GET {base}/\(request.environmentName)/notifications/\(uuid)",
            command: "counterfoil simulator listen" + request.environmentOption)
    }

    /// Returns the attempts, each with the time until the next one. `due` is the time of the next scheduled attempt.
    private static func attempts(of line: NotificationSummaryLine, due: Date?, now: Date) -> [PageValue] {
        let following = line.attempts.dropFirst().map(\.attemptDate) + [due ?? .distantPast]
        return zip(line.attempts, following).enumerated().map { index, pair -> PageValue in
            let (attempt, next) = pair
            let pause = next.timeIntervalSince(attempt.attemptDate)
            return [
                "number": .number(index + 1), "at": .time(attempt.attemptDate, now: now),
                "result": .text(attempt.sendAttemptResult),
                "look": .text(attempt.sendAttemptResult == SendAttemptResult.success.rawValue ? "good" : "bad"),
                "status": .optional(attempt.status.map { String($0) }),
                "answer": .foreign(attempt.answer, limit: 200, showsWhole: true),
                "pause": .text(pause > 0 ? "next attempt after \(pause.lengthInWords)" : ""),
            ]
        }
    }

    /// Returns the payload and the signed payloads in it.
    private static func parts(of body: String) -> [PageValue] {
        guard let json = try? JSONValue(json: body.utf8), let text = json["signedPayload"]?.text,
            let payload = SignedText.payload(of: text)
        else { return [] }
        var parts: [PageValue] = [["partTitle": "The notification", "rows": SignedText.rows(text)]]
        let inner = payload["data"] ?? payload["appData"]
        for (name, title) in [
            ("signedTransactionInfo", "The transaction"), ("signedRenewalInfo", "The renewal"),
            ("signedAppTransactionInfo", "The app transaction"),
        ] {
            guard let text = inner?[name]?.text else { continue }
            parts.append(["partTitle": .text(title), "rows": SignedText.rows(text)])
        }
        return parts
    }
}
