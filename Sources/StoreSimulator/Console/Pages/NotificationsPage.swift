internal import AppStoreModels
internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    private static let pageSize = 50

    /// The notifications, the newest first.
    func notifications(_ request: PanelRequest) throws -> PanelContent {
        let customer = request.query["customer"]
        let start = max(0, request.query["page"].flatMap { Int($0) } ?? 0)
        let (lines, hasMore, now, url) = core.read(request.environment) { store, now in
            // One customer's may be anywhere among millions; they are counted, not copied.
            let numbers = store.notifications.indices.reversed().lazy.filter {
                customer == nil || store.notifications[$0].customer == customer
            }
            let page = numbers.dropFirst(start).prefix(Self.pageSize + 1).map {
                NotificationSummaryLine(store.notifications[$0], number: $0)
            }
            return (Array(page.prefix(Self.pageSize)), page.count > Self.pageSize, now, store.settings.notificationURL)
        }
        let filter = customer.map { [("customer", $0)] } ?? []
        let rows = lines.map { line -> PageValue in
            [
                "url": .link(request.link(.notification(line.notificationUUID))), "key": .text(line.notificationUUID),
                "name": .text(Self.name(of: line)), "signed": .time(line.signedDate, now: now),
                "customer": line.customer.map {
                    ["customerURL": .link(request.link(.customer($0))), "name": .foreign($0, limit: 60)]
                } ?? .nothing,
                "product": .foreign(line.productId), "tag": Self.tag(of: line),
                "attempts": .number(line.attempts.count),
            ]
        }
        let previous =
            start > 0 ? request.link(.notifications, filter + [("page", String(max(0, start - Self.pageSize)))]) : nil
        let isFirst = start == 0
        let isFiltered = customer != nil || !isFirst
        let next = hasMore ? request.link(.notifications, filter + [("page", String(start + Self.pageSize))]) : nil
        return PanelContent(
            "notifications", "Notifications",
            [
                "rows": .list(rows), "hasRows": .flag(!rows.isEmpty),
                "isEmpty": .flag(rows.isEmpty && !isFiltered), "isNoneOf": .flag(rows.isEmpty && isFiltered),
                // What comes in moves the other pages on: their rows are not new.
                "isFirst": .flag(isFirst),
                "goesTo": .foreign(url, limit: 200), "goesNowhere": .flag(url == nil),
                "settingsURL": .link(request.link(.settings)), "filterURL": .link(PageLink("notifications")),
                "filterEnvironment": .text(request.environmentName), "filterCustomer": .exact(customer ?? ""),
                "nextURL": .optional(next), "previousURL": .optional(previous),
                "hasPages": .flag(next != nil || previous != nil),
            ],
            api: "GET {base}/\(request.environmentName)/notifications"
                + (customer.map { "?customer=\(PageLink.escaped($0))" } ?? ""),
            command: "counterfoil simulator listen" + request.environmentOption)
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

    /// One notification: its attempts, and what it says.
    func notification(_ uuid: String, _ request: PanelRequest) throws -> PanelContent {
        let call = ControlRequest(
            path: ["environment": request.environmentName, "notificationUUID": uuid], query: [:], body: Data())
        let (environment, number) = try core.notification(call)
        let line = try core.notificationLine(number, in: environment)
        let (due, now) = core.read(environment) { store, now in
            (store.notifications.indices.contains(number) ? store.notifications[number].due : nil, now)
        }
        let body = String(decoding: try core.body(number, in: environment), as: UTF8.self)
        let attempts = zip(line.attempts, line.attempts.dropFirst().map(\.attemptDate) + [due ?? .distantPast])
            .enumerated().map {
                index, pair -> PageValue in
                let (attempt, next) = pair
                let isGood = attempt.sendAttemptResult == "SUCCESS"
                return [
                    "number": .number(index + 1), "at": .time(attempt.attemptDate, now: now),
                    "result": .text(attempt.sendAttemptResult), "look": .text(isGood ? "good" : "bad"),
                    "status": .optional(attempt.status.map { String($0) }),
                    "answer": .foreign(attempt.answer, limit: 200, showsWhole: true),
                    "pause": .text(
                        next > attempt.attemptDate
                            ? "the next after \(Date.words(next.timeIntervalSince(attempt.attemptDate)))" : ""),
                ]
            }
        let resend = PanelForm(
            "resend", "Send once more", about: "Beside Apple's own attempts, now.", action: "resend",
            [.hidden("uuid", uuid)],
            button: "Resend",
            command: "counterfoil simulator notifications resend {uuid}" + request.environmentOption)
        return PanelContent(
            "notification", Self.name(of: line),
            [
                "uuid": .text(uuid), "signed": .time(line.signedDate, now: now), "tag": Self.tag(of: line),
                "customer": line.customer.map {
                    ["customerURL": .link(request.link(.customer($0))), "name": .foreign($0, limit: 60)]
                } ?? .nothing,
                "attempts": .list(attempts), "hasAttempts": .flag(!attempts.isEmpty),
                "noAttempts": .flag(attempts.isEmpty),
                "due": .time(due, now: now), "resend": resend.value(request, state), "exactText": .exact(body),
                "parts": .list(Self.parts(of: body)),
            ],
            api: "GET {base}/\(request.environmentName)/notifications/\(uuid)",
            command: "counterfoil simulator listen" + request.environmentOption)
    }

    /// The payload and what is signed within it.
    private static func parts(of body: String) -> [PageValue] {
        guard let json = try? JSONDecoder().decode(JSONValue.self, from: Data(body.utf8)) else { return [] }
        guard let text = json["signedPayload"]?.text, let payload = SignedText.payload(of: text) else { return [] }
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
