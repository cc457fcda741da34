import AppStoreServer
import ArgumentParser
import Foundation

/// The root of the command. Exit status: 0 done or valid, 1 refused or failed, 2 wrong usage.
@main
struct Counterfoil: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counterfoil",
        abstract: "Verify, read, sign, serve and simulate App Store purchases.",
        discussion: """
            Every command takes --help. With --json a command prints JSON, one object a line, with members in \
            snake_case. `simulator` prints the objects of the simulator's control API, and others of its own, in \
            camelCase. `api` and `sign` print JSON without --json too; `api` and `server get` print the JSON of the \
            response unchanged, with control characters escaped. A command with --json that fails prints \
            {"object":"error","code":…,"message":…} as its last line.

            Exit status: 0 done or valid, 1 refused or failed, 2 wrong usage.

            ENVIRONMENT
              COUNTERFOIL_SIMULATOR  the simulator's folder or URL, as --simulator
              COUNTERFOIL_URL        the running server, as --url
              COUNTERFOIL_KEY        an API key of the server, instead of --key
              NO_COLOR               not empty: no colours on a terminal
              XDG_STATE_HOME         where running simulators are registered
            docs/configuration.md lists the variables that the server reads.
            """,
        version: AppStoreServerClient.version,
        subcommands: [
            Demo.self, Tour.self, Verify.self, ReceiptCommand.self, Sign.self, API.self, SimulatorCommand.self,
            ServerCommand.self, LedgerCommand.self,
        ])

    static func main() async {
        Output.occupyClosedDescriptors()
        let arguments = CommandNames.current(Array(CommandLine.arguments.dropFirst()))
        // The command, once its arguments are parsed: usage errors that it throws later refer to its own usage.
        var parsed: (any ParsableCommand.Type)?
        do {
            var command = try parseAsRoot(arguments)
            parsed = type(of: command)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let refusal as Refusal {
            refuse(refusal)
        } catch let failure as Output.Failure {
            Output.end(after: failure)
        } catch {
            let status = exitCode(for: error)
            // ArgumentParser throws help and version as successes, and invalid arguments as validation failures.
            let message = fullMessage(for: error)
            guard status.isSuccess || status == .validationFailure else { refuse(Refusal(unexpected: error)) }
            // Checked for help too: ArgumentParser shows the help of the group instead of an unknown command's.
            if let misspelling = CommandNames.misspelling(in: arguments) {
                Output.error("Error: \(misspelling.message)\n  See '\(misspelling.group) --help' for more information.")
                printJSON(Refusal.object("usage", misspelling.message))
                Foundation.exit(2)
            }
            if status.isSuccess {
                Output.line(message)
                Foundation.exit(0)
            }
            let reason = self.message(for: error)
            let text = parsed.map { "Error: \(reason)\n\(CommandNames.usage(of: $0))" } ?? message
            if !text.isEmpty { Output.error(text) }
            printJSON(Refusal.object("usage", reason))
            Foundation.exit(2)
        }
    }

    private static func refuse(_ refusal: Refusal) -> Never {
        Output.error("\(Style.current(.standardError).bad("refused")) \(refusal.line)")
        printJSON(refusal.object)
        Foundation.exit(1)
    }

    /// Prints the JSON object of a failure if the arguments contain `--json`.
    private static func printJSON(_ object: String) {
        if CommandLine.arguments.contains("--json") { Output.line(object) }
    }
}
