internal import AppStoreModels
internal import AppStoreServer
internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    private struct Preset {
        let id: String
        let title: String
        let about: String
        let target: String
        let effect: String
        var number = ""
        var probability = ""
        var seconds = ""
    }

    private static let presets = [
        Preset(
            id: "lost", title: "10 % lost", about: "One of ten notifications never arrives.", target: "notification:*",
            effect: "drop", probability: "0.1"),
        Preset(
            id: "down", title: "Apple is down", about: "Every request to the App Store is answered with 503.",
            target: "route:*", effect: "status", number: "503"),
        Preset(
            id: "limit", title: "429 for a minute",
            about: "For a minute of the store's clock all requests are answered with 429; Retry-After says a minute.",
            target: "route:*", effect: "rateLimit", number: "60", seconds: "60"),
        Preset(
            id: "twice", title: "Everything twice", about: "Each notification is sent twice.", target: "notification:*",
            effect: "duplicate"),
        Preset(
            id: "order", title: "Out of order", about: "Three of ten notifications arrive after later ones.",
            target: "notification:*", effect: "reorder", probability: "0.3"),
        Preset(
            id: "away", title: "Your server is away",
            about: "No notification arrives; Apple retries for days.",
            target: "notification:*", effect: "unreachable"),
        Preset(
            id: "slow", title: "Apple is slow", about: "Every answer takes three seconds.", target: "route:*",
            effect: "delay", number: "3"),
        Preset(
            id: "forged", title: "Forged", about: "One of ten notifications has a wrong signature.",
            target: "notification:*", effect: "invalidSignature", probability: "0.1"),
    ]

    /// Returns the page with the active faults, the presets and the form for other faults.
    func faults(_ request: PanelRequest) -> PanelContent {
        let rows = core.faults.prefix(200).map { line -> PageValue in
            let off = PanelForm(
                "off-\(line.number)", "", action: "fault-off", [.hidden("number", String(line.number))],
                button: "Off", command: "counterfoil simulator fault remove {number}")
            return [
                "number": .text(String(line.number)), "target": .foreign(line.fault.target),
                "effect": .foreign(Self.text(of: line.fault)), "struck": .number(line.struck),
                "off": off.value(request, state),
            ]
        }
        let allOff = PanelForm(
            "all-off", "", action: "faults-off", [], button: "All off", command: "counterfoil simulator fault remove")
        let presets = Self.presets.map { preset in
            PanelForm(
                preset.id, preset.title, about: preset.about, action: "fault",
                [
                    .hidden("target", preset.target), .hidden("effect", preset.effect),
                    .hidden("number", preset.number),
                    .hidden("probability", preset.probability), .hidden("seconds", preset.seconds),
                ], button: "On", command: Self.command + "[--for {seconds}]"
            ).value(request, state)
        }
        return PanelContent(
            template: "faults", heading: "Faults",
            values: [
                "rows": .list(Array(rows)), "hasRows": .flag(!rows.isEmpty), "isEmpty": .flag(rows.isEmpty),
                "allOff": allOff.value(request, state), "presets": .list(presets),
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

    private static func text(of fault: Fault) -> String {
        var text = "an effect"
        if case .object(let members)? = try? JSONValue(encoding: fault.effect), let (name, value) = members.first {
            text = name
            if case .object(let numbers) = value, let number = numbers.values.first {
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
