internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    /// The bar with the clock, on every page.
    func clock(_ request: PanelRequest) -> PageValue {
        let reading = core.clockReading
        let latest = core.latestAdvance
        let running = latest?.state == .advancing ? latest : nil
        var values: [String: PageValue] = [
            "now": .time(reading.now), "mode": .text(reading.mode), "next": .time(reading.next, now: reading.now),
            "clockURL": .link(PageLink("forms", "advance")), "stopURL": .link(PageLink("forms", "stop-advance")),
            "clockTicket": .exact(state.tickets.issue(for: "advance")),
            "stopTicket": .exact(state.tickets.issue(for: "stop-advance")),
            "clockPage": .exact(request.page.path),
            "clockEnvironment": .text(request.environmentName), "running": .nothing, "idle": .nothing,
        ]
        if let running {
            let whole = running.target.timeIntervalSince(running.from)
            let part = whole > 0 ? running.now.timeIntervalSince(running.from) / whole : 1
            let estimate = part > 0.01 ? Int(Double(running.notifications) / part) : nil
            values["running"] = [
                "target": .time(running.target), "percent": .text(String(Int(part * 100))),
                "count": .number(running.notifications),
                "estimate": .optional(estimate.map { $0.grouped }), "id": .text(String(running.id)),
            ]
        } else {
            let to = request.query["to"].map { String($0.prefix(40)) }
            let wrong = request.mistake.flatMap { $0.form == "advance" ? $0.fields["to"] : nil }
            values["idle"] = [
                "steps": .list(
                    [
                        ("1 hour", "Hour"), ("1 day", "Day"), ("7 days", "Week"), ("1 month", "Month"),
                        ("1 year", "Year"),
                    ]
                    .map { by, title in ["by": .exact(by), "title": .text(title)] }),
                "nextInstant": reading.next.map {
                    .exact(max($0, reading.now).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
                } ?? .nothing,
                "to": .exact(wrong ?? to ?? ""),
            ]
        }
        return .object(values)
    }
}
