import ArgumentParser
import Basics
import ConfigurationReading
import Foundation
import StoreSimulator

/// `counterfoil simulator scenario`: runs and shows life cycles with their expected results.
struct ScenarioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario", abstract: "Run, list and show life cycles with their expected results.",
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
        commandName: "run", abstract: "Run a scenario in a simulator with a frozen clock.",
        discussion: """
            The scenario creates its own customers; settings and catalogue are restored at the end. The built-in scenarios \
            buy products of the example catalogue: in a simulator with other products, run a copy of one that names these.

            EXAMPLES
              counterfoil simulator scenario run grace-period-recovered
              counterfoil simulator scenario run mine.yaml --alone --json
              counterfoil simulator scenario run mine.yaml --alone \\
                --catalogue Products.storekit

            Exit status: 0 everything as expected, 1 an expectation failed or refused, 2 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("A file, or the name of a built-in scenario.", valueName: "scenario"),
        completion: .shellCommand(Self.suggestions), transform: HomeFolder.path)
    var name: String

    /// Prints the built-in scenarios and the YAML files of the folder, in bash, zsh and fish. A list of names would
    /// suggest no files.
    private static let suggestions =
        "printf '%s\\n' \(ShippedScenarios.names.joined(separator: " ")); command ls | command grep '[.]ya*ml$'"

    @Flag(help: "Run it in a temporary simulator of its own.") var alone = false
    @Option(
        help: ArgumentHelp("With --alone, the products: Xcode's .storekit file, or YAML.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var catalogue: String?
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard !alone || options.simulator == nil else {
            throw ValidationError("--alone and --simulator exclude each other.")
        }
        guard catalogue == nil || alone else { throw ValidationError("--catalogue needs --alone.") }
    }

    func run() async throws {
        let text = try Self.text(name)
        let scenario: Scenario
        do { scenario = try Scenario(yaml: text) } catch {
            throw Refusal(code: error.code, message: "\(name): \(error.message)".printableLine)
        }
        let report = alone ? try await runAlone(scenario) : try await run(text)
        if options.json { Output.line(try JSONLine.text(report)) } else { show(report) }
        guard report.passed else {
            throw Refusal(
                code: "scenario_failed",
                message: "\(report.name.printable) did not go as expected" + Self.advice(about: report, name))
        }
    }

    /// Returns the end of the error about a built-in scenario whose products the simulator does not have.
    private static func advice(about report: ScenarioReport, _ name: String) -> String {
        let mismatches = report.steps.flatMap(\.mismatches)
        guard ShippedScenarios.names.contains(name), mismatches.contains(where: { $0.contains("unknown_product") })
        else { return "" }
        return "; it buys products of the example catalogue. To use yours, change the products in a copy: "
            + "counterfoil simulator scenario show \(name) > mine.yaml"
    }

    private func run(_ text: String) async throws -> ScenarioReport {
        try await options.client().call("POST", ["scenarios"], body: ["yaml": text])
    }

    private func runAlone(_ scenario: Scenario) async throws -> ScenarioReport {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date())
        if let catalogue { configuration.catalogue = try Catalogue.named(catalogue) }
        do {
            return try await TemporaryFolder.use { folder in
                configuration.directory = folder
                let simulator = try await Simulator.start(configuration)
                return try await withCleanup({ await simulator.stop() }) { try await simulator.run(scenario) }
            }
        } catch {
            let known = error as? SimulatorError
            throw Refusal(code: known?.code.rawValue ?? "scenario_failed", message: known?.message ?? "\(error)")
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

    /// Returns the text of a file, or of the built-in scenario with this name.
    static func text(_ name: String) throws -> String {
        if name != "-", !FileManager.default.fileExists(atPath: name) {
            if let text = ShippedScenarios.text(name) { return text }
            throw ValidationError("\(name.printable) is neither a file nor a scenario\(advice(for: name))")
        }
        let data = Input.withoutByteOrderMark(try Input.read(name, maximumBytes: 1 << 20))
        return String(decoding: data, as: UTF8.self)
    }

    /// Returns the end of an error about an unknown scenario: the nearest name, or how to list them.
    fileprivate static func advice(for name: String) -> String {
        let suggestion = SpellingSuggestion.suggestion(for: name, among: ShippedScenarios.names)
        return suggestion.isEmpty ? "; counterfoil simulator scenario list lists them." : suggestion
    }
}

/// `counterfoil simulator scenario list`.
struct ScenarioList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the built-in scenarios.",
        discussion: """
            EXAMPLES
              counterfoil simulator scenario list
              counterfoil simulator scenario list --json
            """)

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
        commandName: "show", abstract: "Print a built-in scenario as YAML, to start from.",
        discussion: """
            EXAMPLES
              counterfoil simulator scenario show grace-period-recovered > mine.yaml
            """)

    @Argument(
        help: ArgumentHelp("The scenario's name.", valueName: "name"), completion: .list(ShippedScenarios.names))
    var name: String

    func run() throws {
        guard let text = ShippedScenarios.text(name) else {
            throw ValidationError("\(name.printable) is not a scenario\(ScenarioRun.advice(for: name))")
        }
        Output.line(text.trimmingCharacters(in: .newlines))
    }
}
