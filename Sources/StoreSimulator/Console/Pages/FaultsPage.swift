internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    private static let presets = [
        preset(
            "lost", "10 % lost", about: "One of ten notifications never arrives.",
            "notification:*", "drop", probability: "0.1"),
        preset(
            "down", "Apple is down", about: "Every request to the App Store is answered with 503.",
            "route:*", "status", number: "503"),
        preset(
            "limit", "429 for a minute",
            about: "For a minute of the store's clock all requests are answered with 429; Retry-After says a minute.",
            "route:*", "rateLimit", number: "60", seconds: "60"),
        preset("twice", "Everything twice", about: "Each notification is sent twice.", "notification:*", "duplicate"),
        preset(
            "order", "Out of order", about: "Three of ten notifications arrive after later ones.",
            "notification:*", "reorder", probability: "0.3"),
        preset(
            "away", "Your server is away", about: "No notification arrives; Apple retries for days.",
            "notification:*", "unreachable"),
        preset("slow", "Apple is slow", about: "Every answer takes three seconds.", "route:*", "delay", number: "3"),
        preset(
            "forged", "Forged", about: "One of ten notifications has a wrong signature.",
            "notification:*", "invalidSignature", probability: "0.1"),
    ]

    private static func preset(
        _ id: String, _ title: String, about: String, _ target: String, _ effect: String, number: String = "",
        probability: String = "", seconds: String = ""
    ) -> PanelForm {
        PanelForm(
            id, title, about: about, action: "fault",
            [
                .hidden("target", target), .hidden("effect", effect), .hidden("number", number),
                .hidden("probability", probability), .hidden("seconds", seconds),
            ], button: "On", command: command + "[--for {seconds}]")
    }

    /// Returns the page with the active faults, the presets and the form for other faults.
    func faults(_ request: PanelRequest) -> PanelContent {
        let rows = core.faults.prefix(200).map { line -> PageValue in
            let off = PanelForm(
                "off-\(line.number)", "", action: "fault-off", [.hidden("number", String(line.number))],
                button: "Off", command: "counterfoil simulator fault remove {number}")
            return [
                "number": .text(String(line.number)), "target": .foreign(line.fault.target),
                "effect": .foreign(Self.text(of: line.fault)), "timesApplied": .number(line.timesApplied),
                "off": off.value(request, state),
            ]
        }
        let allOff = PanelForm(
            "all-off", "", action: "faults-off", [], button: "All off", command: "counterfoil simulator fault remove")
        return PanelContent(
            template: "faults", heading: "Faults",
            values: [
                "rows": .list(Array(rows)), "hasRows": .flag(!rows.isEmpty),
                "allOff": allOff.value(request, state), "presets": .list(Self.presets.map { $0.value(request, state) }),
                "form": Self.anyFault.value(request, state),
            ], api: "GET {base}/faults", command: "counterfoil simulator fault list")
    }

    /// The form for any fault.
    private static var anyFault: PanelForm {
        let targets =
            ["notification:*", "route:*", "route:verifyReceipt"]
            + NotificationKind.all.map { "notification:" + $0.name }
            + AppStoreEndpoint.all.map { "route:\($0.name)" }
        return PanelForm(
            "custom", "Another fault", action: "fault",
            [
                .init("target", "Target", .choice(targets.map { ($0, $0) }), value: "notification:*"),
                .init("effect", "Effect", .choice(Fault.Effect.names.map { ($0, $0) }), value: "drop"),
                .init(
                    "number", "Number", .number,
                    hint: "For delay, rateLimit and clockSkew: seconds; for status and error: the code"),
                .init("probability", "Probability", .number, hint: "0 to 1; empty for always"),
                .init("count", "Maximum count", .number, hint: "Empty for no limit"),
                .init("seconds", "Duration in seconds", .number, hint: "By the simulator's clock; empty for no limit"),
            ], button: "On",
            command: Self.command + "[--count {count}] [--for {seconds}]")
    }

    private static let command =
        "counterfoil simulator fault add {target} {effect}[={number}] [--probability {probability}] "

    /// Returns the seconds of an effect that has some.
    private static func length(of effect: Fault.Effect) -> Double? {
        switch effect {
        case .delay(let seconds), .rateLimit(let seconds), .clockSkew(let seconds): seconds
        default: nil
        }
    }

    private static func text(of fault: Fault) -> String {
        var text = "an effect"
        if case .object(let members)? = try? JSONValue(encoding: fault.effect), let (name, value) = members.first {
            text = name
            if let seconds = length(of: fault.effect) {
                text += " " + seconds.exactLengthInWords
            } else if case .object(let numbers) = value, let number = numbers.values.first {
                text += " " + SignedText.text(number)
            }
        }
        if let probability = fault.probability { text += ", \(Int((probability * 100).rounded())) %" }
        if let count = fault.count { text += ", at most \(count) times" }
        if let until = fault.until { text += ", until \(until.consoleText)" }
        if let environment = fault.environment { text += ", \(environment.rawValue) only" }
        return text
    }
}
