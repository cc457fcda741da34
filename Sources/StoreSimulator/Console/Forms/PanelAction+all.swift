internal import AppStoreModels
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import WebConsole

extension PanelAction {
    /// All actions, by their name in the path of a form.
    static let all: [String: PanelAction] = [
        "do": PanelAction(
            call: command,
            done: { fields, answer in
                let names = answer["notifications"]?.items.compactMap { item -> String? in
                    item["notificationType"]?.text.map { $0 + (item["subtype"]?.text.map { "." + $0 } ?? "") }
                }
                let result = answer["result"]?.text.map { " (\($0))" } ?? ""
                guard let names, !names.isEmpty else { return "Done\(result). It causes no notification." }
                return "Done\(result): \(names.joined(separator: ", "))."
            },
            nextPage: { fields, _ in
                ["purchase", "createCustomer"].contains(fields["command"])
                    ? fields["customer"].map { .customer($0) } : nil
            }),
        "trigger": PanelAction(
            call: trigger,
            done: { fields, answer in
                let whom = answer["customer"]?.text.map { " for \($0)" } ?? ""
                return
                    "\(fields["type"] ?? "") was sent\(whom), with \((answer["notifications"]?.items.count ?? 1) - 1) before it."
            },
            nextPage: { _, _ in .notifications }),
        "resend": PanelAction(
            call: operation(
                .post, "/{environment}/notifications/{notificationUUID}/resend", "notificationUUID",
                "The notification", from: "uuid"),
            done: { _, answer in
                // `isDelivered` may come from an earlier attempt, so check the last attempt.
                answer["attempts"]?.items.last?["sendAttemptResult"]?.text == SendAttemptResult.success.rawValue
                    ? "Sent again and delivered." : "Sent again, but not delivered."
            }),
        "advance": PanelAction(
            call: { fields in
                var body: [String: JSONValue] = [:]
                if let by = fields["by"] { body["by"] = .string(by) }
                if let to = fields["to"] {
                    // As the command that the page shows. The control API refuses another text.
                    let instant = InstantText.milliseconds(to, acceptsDays: true)
                    body["to"] = instant.map { JSONValue.integer($0) } ?? .string(to)
                }
                return ControlCall(.post, "/clock/advance", query: ["wait": "false"], body: .object(body))
            }, done: { _, _ in "The clock advances." }, preservedFields: ["by"]),
        "stop-advance": PanelAction(
            call: operation(.delete, "/clock/advances/{id}", "id", "The number"),
            done: { _, _ in "The clock stops after the event in progress." }),
        "fault": PanelAction(
            call: fault, done: { fields, _ in "On: \(fields["target"] ?? "") \(fields["effect"] ?? "")." }),
        "fault-off": PanelAction(
            call: operation(.delete, "/faults/{number}", "number", "The number"), done: { _, _ in "The fault is off." }),
        "faults-off": PanelAction(
            call: { _ in ControlCall(.delete, "/faults") }, done: { _, _ in "All faults are off." }),
        "settings": PanelAction(call: settings, done: { _, _ in "The settings are saved." }),
        "catalogue": PanelAction(
            call: { fields in
                let text = try fields.required("json", "The catalogue")
                guard let json = try? JSONValue(json: text.utf8) else {
                    throw ControlFailure(400, "invalid_catalogue", "the catalogue is not JSON", param: "json")
                }
                return ControlCall(.put, "/{environment}/catalogue", body: json)
            }, done: { _, _ in "The catalogue is saved." }),
        "snapshot": PanelAction(
            call: { fields in
                ControlCall(
                    .post, "/snapshots", body: .object(["name": .string(try fields.required("name", "The name"))]))
            }, done: { fields, _ in "Saved as \(fields["name"] ?? "")." }),
        "restore": PanelAction(
            call: operation(.post, "/snapshots/{name}/restore", "name", "The name"),
            done: { fields, _ in "Restored the snapshot \(fields["name"] ?? "")." },
            confirmation: { fields in
                ConfirmationPrompt(
                    heading: "Restore a snapshot",
                    consequences: [
                        "Customers, purchases, notifications, faults and the time become those of \(fields["name"] ?? "").",
                        "The current state is lost unless you save it first.",
                        "Identifiers repeat from there on: a server that received later data needs an empty ledger.",
                    ], button: "Restore", typedWord: nil)
            }),
        "reset": PanelAction(
            call: { fields in
                ControlCall(.post, "/reset", body: .object(["everything": .bool(fields.contains("everything"))]))
            }, done: { _, _ in "Both stores are empty." },
            confirmation: { fields in
                let rest = fields.contains("everything")
                return ConfirmationPrompt(
                    heading: "Reset the simulator",
                    consequences: [
                        "All customers, purchases and notifications of production and sandbox are deleted.",
                        rest
                            ? "Settings, catalogue and URLs are reset, too."
                            : "Settings, catalogue and URLs are kept.",
                        "Identifiers repeat: a server that received the earlier data needs an empty ledger.",
                    ], button: "Reset", typedWord: "reset")
            }),
        "scenario": PanelAction(
            call: { fields in
                var text = fields.exact("yaml") ?? ""
                if let name = fields["name"] {
                    guard let shipped = ShippedScenarios.text(name) else {
                        throw ControlFailure(404, "unknown_scenario", "there is no scenario \(name)", param: "name")
                    }
                    text = shipped
                }
                return ControlCall(.post, "/scenarios", body: .object(["yaml": .string(text)]))
            },
            done: { _, answer in
                "\(answer["name"]?.text ?? "The scenario"): \(answer["passed"] == .bool(true) ? "as expected" : "not as expected")."
            }),
    ]

    /// Returns the call of an operation with a parameter in its path, from the form field of that name or `field`.
    private static func operation(
        _ method: HTTPRequest.Method, _ path: String, _ parameter: String, _ label: String, from field: String? = nil
    ) -> @Sendable (FormFields) throws -> ControlCall {
        { fields in ControlCall(method, path, [parameter: try fields.required(field ?? parameter, label)]) }
    }

    /// The form fields that are not members of a command.
    private static let own: Set<String> = ["ticket", "page", "environment", "form", "command", "confirmed"]
    /// The members that are integers. `thousandths` are entered as decimal numbers (prices) or percent; commands
    /// contain them in thousandths.
    private static let numbers: Set<String> = ["quantity", "days"]
    private static let thousandths: Set<String> = ["price", "percentage"]
    private static let flags: Set<String> = ["recovers", "inApp", "consent", "sign", "preservesPrices", "introductory"]

    /// Returns the call for a store command whose members are the fields of a form.
    private static func command(_ fields: FormFields) throws -> ControlCall {
        let name = try fields.required("command", "The command")
        var members: [String: JSONValue] = [:]
        for field in fields.names where !own.contains(field) {
            guard let text = fields[field] else { continue }
            if numbers.contains(field) {
                members[field] = try fields.number(field, field).map { JSONValue($0) }
            } else if thousandths.contains(field) {
                members[field] = try fields.number(field, field).map { JSONValue($0 * 1000) }
            } else if flags.contains(field) {
                members[field] = .bool(text != "false")
            } else {
                members[field] = .string(text)
            }
        }
        return ControlCall(.post, "/{environment}/commands", body: .object([name: .object(members)]))
    }

    /// The form fields for overrides. The command line accepts more.
    static let triggerOverrides = ["override", "override2", "override3", "override4"]

    private static func trigger(_ fields: FormFields) throws -> ControlCall {
        var body = TriggerRequest.members(named: try fields.required("type", "The type"))
        for name in ["product", "customer"] { if let value = fields[name] { body[name] = .string(value) } }
        var overrides: [String: JSONValue] = [:]
        for name in triggerOverrides {
            guard let text = fields[name] else { continue }
            guard let (path, value) = TriggerRequest.parseOverride(text) else {
                throw ControlFailure(invalid: "an override is path=value, not \(text)", param: name)
            }
            overrides[path] = value
        }
        if !overrides.isEmpty { body["overrides"] = .object(overrides) }
        return ControlCall(.post, "/{environment}/trigger", body: .object(body))
    }

    private static func fault(_ fields: FormFields) throws -> ControlCall {
        let effect = try fields.required("effect", "The effect")
        var members: [String: JSONValue] = [:]
        if let member = Fault.Effect.numberMembers[effect] {
            guard let number = try fields.number("number", "The number") else {
                throw ControlFailure(invalid: "\(effect) needs a number: \(member)", param: "number")
            }
            members[member] = JSONValue(number)
        }
        var body: [String: JSONValue] = [
            "target": .string(try fields.required("target", "The target")),
            "effect": .object([effect: .object(members)]),
        ]
        if let probability = try fields.number("probability", "The probability") {
            body["probability"] = JSONValue(probability)
        }
        if let count = try fields.number("count", "The count") { body["count"] = JSONValue(count) }
        let query = fields["seconds"].map { ["seconds": $0] } ?? [:]
        return ControlCall(.post, "/faults", query: query, body: .object(body))
    }

    private static func settings(_ fields: FormFields) throws -> ControlCall {
        var body: [String: JSONValue] = [:]
        for (name, label, kind) in PanelSettings.fields where fields.names.contains("has-" + name) {
            switch kind {
            case .flag: body[name] = .bool(fields[name] == "true")
            case .number: body[name] = try number(fields, name, label)
            case .version: body[name] = .integer(fields[name] == "1" ? 1 : 2)
            case .numberOrNone: body[name] = fields[name] == "null" ? .null : try number(fields, name, label)
            case .text, .choice: body[name] = fields[name].map { .string($0) } ?? .null
            }
        }
        return ControlCall(.patch, "/{environment}/settings", body: .object(body))
    }

    private static func number(_ fields: FormFields, _ name: String, _ label: String) throws -> JSONValue {
        guard let number = try fields.number(name, label) else {
            throw ControlFailure(invalid: "\(label): a number is missing", param: name)
        }
        return JSONValue(number)
    }
}
