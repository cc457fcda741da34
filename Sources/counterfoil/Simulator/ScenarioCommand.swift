import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator scenario`: whole life cycles, and what has to come of them.
struct ScenarioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario", abstract: "Run, list and show life cycles with what has to come of them.",
        discussion: """
            EXAMPLES
              counterfoil simulator scenario list
              counterfoil simulator scenario show grace-period-recovered > mine.yaml
              counterfoil simulator scenario run mine.yaml
              counterfoil simulator scenario run upgrade --alone
            """,
        subcommands: [ScenarioRun.self, ScenarioList.self, ScenarioShow.self])
}

/// `counterfoil simulator scenario run`.
struct ScenarioRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a scenario in the simulator, whose clock has to be frozen.",
        discussion: """
            The scenario has customers of its own; settings and catalogue are put back at its end.

            Exit status: 0 everything as expected, 1 not so or refused, 2 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("A file, or the name of a scenario that comes with it.", valueName: "file|name"),
        completion: .list(ShippedScenarios.names))
    var name: String

    @Flag(help: "Run it in a simulator of its own that lives as long as the run.") var alone = false
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let text = try Self.text(name)
        let report = alone ? try await runAlone(text) : try await run(text)
        if options.json { Output.line(try JSONLine.text(report)) } else { show(report) }
        if !report.passed { throw Refusal(message: options.json ? nil : "\(report.name.printable)") }
    }

    private func run(_ text: String) async throws -> ScenarioReport {
        try await options.client().call("POST", ["scenarios"], body: ["yaml": text])
    }

    private func runAlone(_ text: String) async throws -> ScenarioReport {
        let scenario: Scenario
        do { scenario = try Scenario(yaml: text) } catch { throw Refusal(message: "invalid_scenario: \(error)") }
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date())
        let simulator = try await Simulator.start(configuration)
        do {
            let report = try await simulator.run(scenario)
            await simulator.stop()
            return report
        } catch {
            await simulator.stop()
            throw Refusal(message: "\(error)")
        }
    }

    private func show(_ report: ScenarioReport) {
        let style = Style.current()
        Output.line(style.strong(report.name.printable))
        for step in report.steps {
            let mark =
                switch step.outcome {
                case .passed: style.good("✓")
                case .failed: style.bad("✗")
                case .skipped: style.faint("-")
                }
            Output.line("  \(mark) \(step.title.printable)")
            for name in step.notifications { Output.line("      \(style.faint(name))") }
            for mismatch in step.mismatches { Output.line("      \(style.bad(mismatch.printable))") }
        }
    }

    /// The text of a file, or of the scenario that has this name.
    static func text(_ name: String) throws -> String {
        if name != "-", !FileManager.default.fileExists(atPath: name) {
            if let text = ShippedScenarios.text(name) { return text }
            throw ValidationError(
                "There is neither a file nor a scenario \(name); counterfoil simulator scenario list lists them.")
        }
        return String(decoding: try Input.read(name, maximumBytes: 1 << 20), as: UTF8.self)
    }
}

/// `counterfoil simulator scenario list`.
struct ScenarioList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the scenarios that come with the command.")

    @Flag(help: "Print one JSON object a line instead of text.") var json = false

    func run() throws {
        let names = ShippedScenarios.names
        let width = names.map(\.count).max() ?? 0
        for name in names {
            let title = try ShippedScenarios.scenario(name)?.name ?? ""
            Output.line(
                json ? try JSONLine.text(["name": name, "title": title]) : "\(name.padded(to: width))  \(title)")
        }
    }
}

/// `counterfoil simulator scenario show`.
struct ScenarioShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a scenario that comes with the command, to start from.")

    @Argument(
        help: ArgumentHelp("The scenario's name.", valueName: "name"), completion: .list(ShippedScenarios.names))
    var name: String

    func run() throws {
        guard let text = ShippedScenarios.text(name) else {
            throw ValidationError("There is no scenario \(name); counterfoil simulator scenario list lists them.")
        }
        Output.line(text.trimmingCharacters(in: .newlines))
    }
}
