import ArgumentParser
import Basics
import Foundation
import StoreSimulator

/// `counterfoil simulator clock`: shows or advances the simulator's clock.
struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Show or advance the simulator's clock.",
        discussion: """
            `advance` returns after all events up to the new time have happened and their notifications were sent.

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
        commandName: "show", abstract: "Show the time and when the next event is due.",
        discussion: """
            EXAMPLES
              counterfoil simulator clock show
              counterfoil simulator clock show --json
            """)

    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = try await options.client().send("GET", ["clock"])
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        Output.line(try ControlClient.decode(ClockReading.self, from: data).text)
    }
}

/// `counterfoil simulator clock advance`.
struct ClockAdvance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance", abstract: "Advance the clock by a duration, or to an instant.",
        discussion: """
            EXAMPLES
              counterfoil simulator clock advance 2h 30m
              counterfoil simulator clock advance --to 2027-01-01T00:00:00Z
            """)

    @Argument(help: ArgumentHelp("The duration: 31d, 2h 30m, 1 month, P1Y.", valueName: "duration"))
    var length: [String] = []

    @Option(help: ArgumentHelp("The new time, such as 2027-01-01 or 2027-01-01T09:30:00Z.", valueName: "instant"))
    var to: InstantArgument?

    @OptionGroup var options: SimulatorOptions

    private struct Body: Encodable {
        let to: Int64?
        let by: String?
    }

    func validate() throws {
        guard length.isEmpty != (to == nil) else {
            throw ValidationError("Name a duration such as 31d, or an instant with --to.")
        }
        if !length.isEmpty, TypedDuration(length.joined(separator: " ")) == nil {
            throw ValidationError("\(length.joined(separator: " ")) is not a duration such as 31d, 2h 30m or P1M.")
        }
    }

    func run() async throws {
        let body = Body(to: to?.milliseconds, by: length.isEmpty ? nil : length.joined(separator: " "))
        let data = try await options.client().send("POST", ["clock", "advance"], body: body)
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        let report = try ControlClient.decode(AdvanceReport.self, from: data)
        var line = "\(report.from.readable) → \(report.to.readable): "
        line += "\(report.notifications) \(report.notifications.noun("notification"))"
        if report.delivered > 0 { line += ", \(report.delivered) delivered" }
        if report.failedAttempts > 0 {
            line += ", \(report.failedAttempts) \(report.failedAttempts.noun("attempt")) failed"
        }
        Output.line(line)
    }
}

extension ClockReading {
    /// The time, how it passes, and the next event.
    var text: String {
        let event = nextEvent.map { ": \($0.printable)" } ?? ""
        return "\(now.readable), \(mode)" + (next.map { "; next at \($0.readable)\(event)" } ?? "")
    }
}
