internal import AppStoreModels
internal import Basics
internal import WebConsole

// Counts of what an action will affect, for its confirmation page, and pages with the results of actions.
extension ConsoleAction {
    /// Counts the deliveries that wait for an endpoint.
    static func countBacklog(_: ConsoleRequest, _ pageRequest: PageRequest) async throws -> [String] {
        let answer = try await pageRequest.get(
            pageRequest.target(["webhooks", pageRequest.fields.text("name")], isScoped: false)
        ).orFailure()
        let activity = answer.json["activity"]
        let (pending, limit) = (activity["pending"].number ?? 0, activity["counted_up_to"].number ?? .max)
        let count = "\(pending.grouped) \(pending.noun("delivery waits", "deliveries wait"))"
        let events = activity["events_behind"].number ?? 0
        let eventCount = "\(events.grouped) \(events.noun("event was", "events were"))"
        return ["\(count)\(pending < limit ? "" : ", or more"); \(eventCount) not looked at yet."]
    }

    /// Returns a sentence if the endpoint is off, so that nothing is sent to it yet.
    static func whetherOff(_ pageRequest: PageRequest) async throws -> [String] {
        let target = pageRequest.target(["webhooks", pageRequest.fields.text("name")], isScoped: false)
        let isOff = try await pageRequest.get(target).orFailure().json["enabled"].flag == false
        return isOff ? ["The endpoint is off. Deliveries wait until it is switched on."] : []
    }

    /// Counts the parts of the notification history that a recovery reads.
    static func countRecovery(_ request: ConsoleRequest, _ pageRequest: PageRequest) async throws -> [String] {
        let json = try await pageRequest.dryRun(request)
        let windows = json["windows"].number ?? 0
        let hours = ((json["to"].number ?? 0) - (json["from"].number ?? 0)) / 3_600_000
        let length = hours < 48 ? "\(hours) \(hours.noun("hour"))" : "\((hours / 24).grouped) days"
        let parts = "\(windows.grouped) \(windows.noun("part"))"
        return ["That is \(parts) of the history, about \(length), with 20 notifications for each request."]
    }

    /// Returns the page with the App Store's attempts to deliver a notification.
    static func sendAttempts(_ answer: APIValue, _ pageRequest: PageRequest) -> ConsolePage {
        let id = pageRequest.fields.text("id")
        var page = pageRequest.page(
            "The App Store's attempts to deliver", foreign: id,
            up: ("Notification", pageRequest.link("notifications", id)))
        page.table(
            "Attempts that the App Store reports now", ["When", "Result"],
            answer["items"].items.map { attempt in
                let result = attempt.string("result")
                let isSuccess = result == SendAttemptResult.success.rawValue
                return [.time(attempt["attempt_date"].instant), .tag(result, isSuccess ? .good : .bad)]
            }, empty: "The App Store made none yet.")
        page.links([("Back to the notification", pageRequest.link("notifications", id))])
        return page
    }
}
