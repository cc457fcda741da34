internal import WebConsole

extension SimulatorPanel {
    /// Returns the page with the snapshots and the reset form.
    func snapshots(_ request: PanelRequest) throws -> PanelContent {
        let names = try simulator.snapshots()
        let rows = names.prefix(500).enumerated().map { index, name -> PageValue in
            let form = PanelForm(
                "restore-\(index)", "", action: "restore", [.hidden("name", name)], button: "Restore",
                command: "counterfoil simulator restore {name}")
            return ["name": .foreign(name), "restore": form.value(request, state)]
        }
        let save = PanelForm(
            "save", "Save a snapshot", about: "Customers, purchases, notifications, the clock and the faults.",
            action: "snapshot",
            [.init("name", "Name", hint: "Letters, digits, - and _", isRequired: true)], button: "Save",
            command: "counterfoil simulator snapshot {name}")
        let reset = PanelForm(
            "reset", "Reset", about: "Deletes all customers and purchases of both environments, after a confirmation.",
            action: "reset",
            [.init("everything", "", .box("--everything"), hint: "Settings, catalogue and URLs, too")],
            button: "Reset", isDangerous: true, command: "counterfoil simulator reset [{everything}]")
        return PanelContent(
            template: "snapshots", heading: "Snapshots",
            values: [
                "rows": .list(Array(rows)), "hasRows": .flag(!rows.isEmpty),
                "forms": .list([save, reset].map { $0.value(request, state) }),
            ], api: "GET {base}/snapshots", command: "counterfoil simulator status")
    }

    /// Returns the page with the scenarios and the report of the latest run.
    func scenarios(_ request: PanelRequest) -> PanelContent {
        let rows = Self.scenarioNames.map { name, title -> PageValue in
            let form = PanelForm(
                "run-\(name)", "", action: "scenario", [.hidden("name", name)], button: "Run",
                command: "counterfoil simulator scenario run {name}")
            return ["name": .text(name), "title": .text(title), "run": form.value(request, state)]
        }
        let own = PanelForm(
            "own", "A scenario of your own", action: "scenario",
            [.init("yaml", "In YAML", .area, isRequired: true)], button: "Run",
            command: "counterfoil simulator scenario run FILE"
        )
        let report = request.query["report"].flatMap { state.report($0) }
        return PanelContent(
            template: "scenarios", heading: "Scenarios",
            values: [
                "needsFrozen": .flag(core.clockReading.mode != "frozen"), "rows": .list(rows),
                "form": own.value(request, state), "report": report.map { Self.value(of: $0) } ?? .nothing,
            ], api: "POST {base}/scenarios", command: "counterfoil simulator scenario list")
    }

    private static let scenarioNames = ShippedScenarios.names.map { name in
        (name, (try? ShippedScenarios.scenario(name))?.name ?? "")
    }

    private static func value(of report: ScenarioReport) -> PageValue {
        [
            "reportName": .foreign(report.name), "word": .text(report.passed ? "as expected" : "not as expected"),
            "look": .text(report.passed ? "good" : "bad"),
            "steps": .list(
                report.steps.map { step in
                    [
                        "title": .foreign(step.title, limit: 300), "outcome": .text(step.outcome.rawValue),
                        "look": .text(step.outcome == .passed ? "good" : step.outcome == .failed ? "bad" : "plain"),
                        "notifications": .text(step.notifications.joined(separator: ", ")),
                        "mismatches": .list(step.mismatches.map { .foreign($0, limit: 500, showsWhole: true) }),
                    ]
                }),
        ]
    }
}
