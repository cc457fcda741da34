internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import WebConsole

extension ConsoleAction {
    static let all: [ConsoleAction] = ofPages + aboutPurchases

    private static let ofPages: [ConsoleAction] = [
        .init(
            name: "reprocess", title: "Process the notification again", scope: .operationsWrite, fields: ["id"],
            consequences: {
                ["The notification \($0.text("id")) is processed again.", "The results of earlier processing stay."]
            },
            request: { ConsoleRequest(.post, "notifications", $0.text("id"), "reprocess") },
            back: { ["notifications", $0.text("id")] }),
        .init(
            name: "send-attempts", title: "Ask the App Store about its attempts", scope: .operationsWrite,
            fields: ["id"],
            consequences: {
                [
                    "The App Store is asked how it tried to deliver \($0.text("id")).",
                    "The response is shown and not stored.",
                ]
            },
            request: { ConsoleRequest(.post, "notifications", $0.text("id"), "attempts") },
            back: { ["notifications", $0.text("id")] }, resultPage: Self.sendAttempts),
        .init(
            name: "reprocess-failed", title: "Process all of them again", scope: .operationsWrite, fields: ["code"],
            consequences: {
                [
                    "All notifications that failed with \($0.text("code")) are processed again.",
                    "The results of earlier processing stay.",
                ]
            },
            request: {
                ConsoleRequest(.post, "notifications", "reprocess", isScoped: true, body: ["code": $0.text("code")])
            },
            back: { _ in ["notifications"] }, dryRun: Self.countFailed),
        .init(
            name: "webhook-secret", title: "Add a secret", scope: .webhooksWrite, fields: ["name"],
            consequences: { _ in
                [
                    "Webhooks are signed with the new secret in addition to the existing ones, so that the receiver can switch.",
                    "It is shown once, on the next page.",
                ]
            },
            request: { ConsoleRequest(.patch, "webhooks", $0.text("name"), body: ["add_secret": true]) },
            back: { ["webhooks", $0.text("name")] }, resultPage: Self.newSecret),
        .init(
            name: "webhook-secret-retire", title: "Retire the secret", scope: .webhooksWrite,
            fields: ["name", "fingerprint"],
            consequences: {
                [
                    "Webhooks are no longer signed with the secret \($0.text("fingerprint")).",
                    "A receiver that knows only this secret refuses all webhooks from now on.",
                ]
            },
            request: {
                ConsoleRequest(
                    .patch, "webhooks", $0.text("name"), body: ["retire_secret": $0.text("fingerprint")])
            }, back: { ["webhooks", $0.text("name")] }),
        .init(
            name: "webhook-test", title: "Send a test", scope: .webhooksWrite, fields: ["name"],
            consequences: { ["The endpoint \($0.text("name")) is sent one event of the type test."] },
            request: { ConsoleRequest(.post, "webhooks", $0.text("name"), "test") },
            back: { ["webhooks", $0.text("name")] }),
        .init(
            name: "webhook-on", title: "Switch the endpoint on", scope: .webhooksWrite, fields: ["name"],
            consequences: { ["The deliveries that wait for \($0.text("name")) are sent at once, in order."] },
            request: { ConsoleRequest(.patch, "webhooks", $0.text("name"), body: ["enabled": true]) },
            back: { ["webhooks", $0.text("name")] }, dryRun: Self.countBacklog),
        .init(
            name: "webhook-off", title: "Switch the endpoint off", scope: .webhooksWrite, fields: ["name"],
            consequences: { ["Nothing is sent to \($0.text("name")) until it is switched on; new events wait."] },
            request: { ConsoleRequest(.patch, "webhooks", $0.text("name"), body: ["enabled": false]) },
            back: { ["webhooks", $0.text("name")] }),
        .init(
            name: "webhook-discard", title: "Discard waiting deliveries", scope: .webhooksWrite, fields: ["name"],
            consequences: {
                [
                    "All deliveries that wait for \($0.text("name")) are discarded, and the events so far that have "
                        + "none yet are skipped. Only a resend of their period sends them."
                ]
            },
            request: { ConsoleRequest(.patch, "webhooks", $0.text("name"), body: ["discard_backlog": true]) },
            back: { ["webhooks", $0.text("name")] }, typedWord: { $0.text("name") }, dryRun: Self.countBacklog),
        .init(
            name: "replay-event", title: "Send the event again", scope: .webhooksWrite, fields: ["name", "event_id"],
            consequences: { ["One event, \($0.text("event_id")), is sent again to \($0.text("name"))."] },
            request: {
                ConsoleRequest(
                    .post, "webhooks", $0.text("name"), "replay", body: ["event_id": $0.text("event_id")])
            }, back: { ["webhooks", $0.text("name")] },
            dryRun: { _, pageRequest in try await Self.whetherOff(pageRequest) }),
        .init(
            name: "replay", title: "Resend a period", scope: .webhooksWrite, fields: ["name", "from", "to", "after"],
            consequences: { fields in
                [
                    "Every event that \(fields.text("name")) takes and that became known from "
                        + "\(fields.shownInstant("from") ?? "?") to \(fields.shownInstant("to") ?? "?") is sent again.",
                    "Newer events about the same purchases are sent after them, unless they are sent anyway.",
                ]
            },
            request: { fields in
                var body: [String: Any] = [
                    "from": try fields.requiredInstant("from"), "to": try fields.requiredInstant("to"),
                ]
                if let after = try fields.number("after") { body["after"] = after }
                return ConsoleRequest(.post, "webhooks", fields.text("name"), "replay", body: body)
            },
            back: { ["webhooks", $0.text("name")] },
            // Include events of the current millisecond.
            defaults: { ["to": InstantText.text($0.milliseconds + 1)] },
            dryRun: Self.countReplay,
            inputs: spanOfReplay),
        .init(
            name: "recover", title: "Read a period of the history again", scope: .operationsWrite,
            fields: ["from", "to"],
            consequences: {
                [
                    "The App Store is asked for all notifications from \($0.shownInstant("from") ?? "?") "
                        + "to \($0.shownInstant("to") ?? "now").",
                    "Known notifications stay as they are; new ones are processed.",
                ]
            },
            request: { fields in
                var body: [String: Any] = ["from": try fields.requiredInstant("from")]
                if let to = try fields.instant("to") { body["to"] = to }
                return ConsoleRequest(.post, "recoveries", isScoped: true, body: body)
            }, back: { _ in ["completeness"] }, dryRun: Self.countRecovery, inputs: span),
        .init(
            name: "refresh", title: "Ask the App Store about the customer", scope: .supportWrite, fields: ["id"],
            customer: "id",
            consequences: { ["The App Store is asked for everything that \($0.text("id")) bought."] },
            request: { ConsoleRequest(.post, "customers", $0.text("id"), "refresh", isScoped: true) },
            back: { ["customers", $0.text("id")] }),
        .init(
            name: "extend", title: "Extend the subscription", scope: .supportWrite,
            fields: ["id", "customer", "days", "reason"], customer: "customer",
            consequences: {
                [
                    "The subscription \($0.text("id")) renews \($0["days"] ?? "?") "
                        + "\((Int($0.text("days")) ?? 0).noun("day")) later.",
                    "The App Store allows 1 to 90 days, twice a year for each customer.",
                ]
            },
            request: { fields in
                ConsoleRequest(
                    .post, "subscriptions", fields.text("id"), "extend", isScoped: true,
                    body: [
                        "days": try fields.number("days") ?? 0, "reason": fields["reason"] ?? "customer_satisfaction",
                    ])
            }, back: { $0["customer"].map { ["customers", $0] } ?? ["customers"] },
            inputs: [.init("days", "Days (1 to 90)", .number, value: "7", isRequired: true)]),
        .init(
            name: "grant", title: "Give an entitlement", scope: .grantsWrite,
            fields: ["id", "entitlement", "until", "reason"], customer: "id",
            consequences: {
                [
                    "\($0.text("id")) has \($0["entitlement"] ?? "?") until "
                        + "\($0.shownInstant("until") ?? "it is revoked"), without a purchase."
                ]
            },
            request: { fields in
                var body: [String: Any] = ["entitlement": fields.text("entitlement"), "reason": fields.text("reason")]
                if let until = try fields.instant("until") { body["until"] = until }
                return ConsoleRequest(.post, "customers", fields.text("id"), "grants", isScoped: true, body: body)
            }, back: { ["customers", $0.text("id")] }, namesActor: true,
            inputs: [
                .init("until", "Until, such as 2026-12-31 (empty: no end)"),
                .init("reason", "Reason, stored in the ledger", isRequired: true),
            ]),
        .init(
            name: "revoke", title: "Revoke the grant", scope: .grantsWrite, fields: ["id", "grant", "reason"],
            customer: "id",
            consequences: { ["\($0.text("id")) loses the entitlement of the grant \($0.text("grant")) at once."] },
            request: { fields in
                ConsoleRequest(
                    .post, "customers", fields.text("id"), "grants", fields.text("grant"), "revoke", isScoped: true,
                    body: ["reason": fields.text("reason")])
            }, back: { ["customers", $0.text("id")] }, namesActor: true,
            inputs: [.init("reason", "Reason", isRequired: true)]),
        .init(
            name: "order", title: "Ask the App Store for the order", scope: .supportRead, fields: ["id"],
            consequences: {
                [
                    "The App Store is asked which transactions the order \($0.text("id")) has.",
                    "The response is stored.",
                ]
            },
            request: { ConsoleRequest(.get, "orders", $0.text("id"), isScoped: true) },
            back: { ["orders", $0.text("id")] }, resultPage: OrderPage.answer),
        .init(
            name: "end-session", title: "End the session", scope: .operationsWrite, fields: ["session"],
            consequences: { ["The user of the session \($0.text("session")) must sign in again."] },
            request: { ConsoleRequest(.delete, "operations", "sessions", $0.text("session")) },
            back: { _ in ["operations"] }),
    ]

    /// The fields of a period.
    private static let span: [FormField] = [
        .init("from", "From, such as 2026-05-03", isRequired: true), .init("to", "To (empty: now)"),
    ]

    private static let spanOfReplay: [FormField] =
        span + [.init("after", "After event number (to go on)")]

    /// Counts the notifications that are reprocessed.
    private static func countFailed(_ request: ConsoleRequest, _ pageRequest: PageRequest) async throws -> [String] {
        let json = try await pageRequest.dryRun(request)
        let number = json["notifications"].number ?? 0
        let rest = json["has_more"].flag == true ? ", the maximum at once; repeat this for the rest" : ""
        return ["That is \(number.grouped) \(number.noun("notification"))\(rest)."]
    }

    /// Returns the page with a new secret, which is shown only once.
    private static func newSecret(_ answer: APIValue, _ pageRequest: PageRequest) -> ConsolePage {
        let name = pageRequest.fields.text("name")
        var page = pageRequest.page(
            "The new secret of", foreign: name, up: ("Endpoint", pageRequest.link("webhooks", name)))
        page.paragraph(
            "Copy it now: it is not shown again. When the receiver knows it, retire the one before.")
        page.exact("The secret", answer.string("secret"), isOpen: true)
        page.links([("Back to the endpoint", pageRequest.link("webhooks", name))])
        return page
    }

    /// Counts the deliveries of a replay, and says where the remaining events begin.
    private static func countReplay(_ request: ConsoleRequest, _ pageRequest: PageRequest) async throws -> [String] {
        let json = try await pageRequest.dryRun(request)
        let number = json["deliveries"].number ?? 0
        let count = "\(number.grouped) \(number.noun("delivery", "deliveries"))"
        let note = try await whetherOff(pageRequest)
        guard let after = json["after"].number else { return ["That makes \(count) now, which is all."] + note }
        return [
            "That makes \(count) now, the maximum at once; the rest begins after event "
                + "number \(after): send again from there."
        ] + note
    }
}
