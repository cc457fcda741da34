internal import AppStoreModels
internal import Basics
internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    private static let steps = [
        ("1 hour", "Hour"), ("1 day", "Day"), ("7 days", "Week"), ("1 month", "Month"), ("1 year", "Year"),
    ]
    private static let advance = "counterfoil simulator clock advance "

    /// Returns the clock bar of every page.
    ///
    /// Its input fields are outside the part that live updates replace.
    func clock(_ request: PanelRequest) -> PageValue {
        let reading = core.clockReading
        let latest = core.latestAdvance
        let running = latest?.state == .advancing ? latest : nil
        let by = request.query["by"].flatMap { by in Self.steps.first { $0.0 == by }?.0 } ?? Self.steps[0].0
        let wrong = request.formFailure.flatMap { $0.form == "advance" ? $0.fields["to"] : nil }
        let to = wrong ?? request.query["to"].map { String($0.prefix(40)) } ?? ""
        var values: [String: PageValue] = [
            "now": .time(reading.now), "mode": .text(reading.mode), "next": .nothing,
            "clockURL": .link(PageLink("forms", "advance")),
            "clockTicket": .exact(state.tickets.issue(for: "advance")),
            "clockPage": .exact(request.page.path),
            "clockEnvironment": .text(request.environmentName), "running": .nothing, "idle": .nothing,
            "steps": .list(
                Self.steps.map { value, title in
                    ["by": .exact(value), "title": .text(title), "isChosen": .flag(value == by)]
                }),
            "byCommand": .exact(Self.advance + "{by}"),
            "byFilled": .text(PanelForm.fill(Self.advance + "{by}", ["by": by])), "to": .exact(to),
            "toCommand": .exact(Self.advance + "--to {to}"),
            "toFilled": .foreign(PanelForm.fill(Self.advance + "--to {to}", ["to": to])),
        ]
        if let next = reading.next {
            values["next"] = [
                "when": .time(next, now: reading.now), "what": .foreign(reading.nextEvent ?? "", limit: 120),
            ]
        }
        if let running {
            values["running"] = value(of: running)
        } else if let next = reading.next, let milliseconds = max(next, reading.now).millisecondsSince1970 {
            let instant = InstantText.text(milliseconds)
            values["idle"] = [
                "nextInstant": .exact(instant), "nextCommand": .text(Self.advance + "--to \(instant)"),
            ]
        }
        return .object(values)
    }

    private func value(of running: Advance) -> PageValue {
        let whole = running.target.timeIntervalSince(running.from)
        let part = whole > 0 ? running.now.timeIntervalSince(running.from) / whole : 1
        let estimate = part > 0.01 ? Int(Double(running.notifications) / part) : nil
        return [
            "target": .time(running.target), "percent": .text(String(Int(part * 100))),
            "count": .number(running.notifications), "estimate": .optional(estimate.map { $0.grouped }),
            "id": .text(String(running.id)), "stopURL": .link(PageLink("forms", "stop-advance")),
            "stopTicket": .exact(state.tickets.issue(for: "stop-advance")),
            "stopCommand": .text("curl -X DELETE \(simulator.information.controlURL)/clock/advances/\(running.id)"),
        ]
    }
}
