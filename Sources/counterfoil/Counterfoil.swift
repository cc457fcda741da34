import AppStoreServer
import ArgumentParser
import Foundation

/// The root of the command. Exit status: 0 done or valid, 1 refused or failed, 2 wrong usage.
@main
struct Counterfoil: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counterfoil",
        abstract: "Prove, read, sign, call and simulate: App Store purchases from a shell.",
        discussion: """
            Exit status: 0 when valid or done, 1 when refused or failed, 2 for wrong usage. Every command takes --help.
            """,
        version: AppStoreServerClient.version,
        subcommands: [
            Demo.self, Tour.self, Verify.self, ReceiptCommand.self, Sign.self, API.self, SimulatorCommand.self,
            ServerCommand.self, LedgerCommand.self,
        ])

    static func main() async {
        let arguments = CommandWords.current(Array(CommandLine.arguments.dropFirst()))
        do {
            var command = try parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let refusal as Refusal {
            refusal.report()
            if let message = refusal.message { tellProgram(refusal.code, message) }
            Foundation.exit(1)
        } catch {
            let status = exitCode(for: error)
            // Help and version are answers; everything else that ends here is a matter of usage.
            let message = fullMessage(for: error)
            if status.isSuccess {
                Output.line(message)
                Foundation.exit(0)
            }
            if let misspelling = CommandWords.misspelling(in: arguments) {
                Output.error("Error: \(misspelling)\n  See 'counterfoil --help' for more information.")
                tellProgram("usage", misspelling)
                Foundation.exit(2)
            }
            if !message.isEmpty { Output.error(message) }
            tellProgram("usage", self.message(for: error))
            Foundation.exit(2)
        }
    }

    /// Says why nothing came of it to who asked for JSON, in the shape of the server's errors.
    private static func tellProgram(_ code: String, _ message: String) {
        struct Failure: Encodable {
            var object = "error"
            let code: String
            let message: String
        }
        guard CommandLine.arguments.contains("--json") else { return }
        Output.line(JSONText.encode(Failure(code: code, message: message)))
    }
}

/// A command's work came to a definite no. It has been, or will be, told; the exit status is 1.
struct Refusal: Error {
    /// A word for programs.
    var code = "refused"
    /// What to print on standard error; nil when the command has printed its answer already.
    let message: String?

    func report() {
        if let message { Output.error("\(Style.current(.standardError).bad("refused")) \(message)") }
    }
}
