import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator clock`: what time it is in the simulator, and what time it shall be.
struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Show the simulator's clock, or put it forward.",
        discussion: """
            Everything that happens until the new time has happened, and was announced, when `advance` ends.

            EXAMPLES
              counterfoil simulator clock
              counterfoil simulator clock advance 31d
              counterfoil simulator clock advance 1 month
              counterfoil simulator clock advance --to 2027-01-01T00:00:00Z
            """,
        subcommands: [ClockShow.self, ClockAdvance.self], defaultSubcommand: ClockShow.self)
}

/// `counterfoil simulator clock show`.
struct ClockShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what time it is, and when something happens next.")

    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = try await options.client().send("GET", ["clock"])
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        Output.line(try ControlClient.decode(ClockLine.self, from: data).text)
    }
}

/// `counterfoil simulator clock advance`.
struct ClockAdvance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance", abstract: "Put the clock forward by a length of time, or to an instant.")

    @Argument(help: ArgumentHelp("How far: 31d, 2h 30m, 1 month, P1Y.", valueName: "length"))
    var length: [String] = []

    @Option(help: ArgumentHelp("The instant to go to, such as 2027-01-01T00:00:00Z.", valueName: "instant"))
    var to: String?

    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard length.isEmpty != (to == nil) else {
            throw ValidationError("Say how far: a length such as 31d, or --to and an instant.")
        }
        if !length.isEmpty, TypedDuration(length.joined(separator: " ")) == nil {
            throw ValidationError("\(length.joined(separator: " ")) is not a length such as 31d, 2h 30m or P1M.")
        }
    }

    func run() async throws {
        let body = to.map { ["to": $0] } ?? ["by": length.joined(separator: " ")]
        let data = try await options.client().send("POST", ["clock", "advance"], body: body)
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        let report = try ControlClient.decode(AdvanceReport.self, from: data)
        var line = "\(report.from.readable) → \(report.to.readable): "
        line += report.notifications == 1 ? "1 notification" : "\(report.notifications) notifications"
        if report.delivered > 0 { line += ", \(report.delivered) delivered" }
        if report.failedAttempts > 0 { line += ", \(report.failedAttempts) attempts failed" }
        Output.line(line)
    }
}

/// The clock as the control API shows it.
struct ClockLine: Decodable {
    let now: Date
    let mode: String
    let next: Date?

    var text: String { "\(now.readable), \(mode)" + (next.map { "; next at \($0.readable)" } ?? "") }
}
