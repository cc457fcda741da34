import AppStoreModels
import ArgumentParser
import Basics
import Foundation
import StoreSimulator

/// `counterfoil simulator customers`: lists customers and their purchases.
struct CustomersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers", abstract: "List the simulator's customers with their purchases.",
        discussion: """
            EXAMPLES
              counterfoil simulator customers
              counterfoil simulator customers anna --account-token
              counterfoil simulator customers anna --environment sandbox --json
            """)

    @Argument(help: ArgumentHelp("Only this customer.", valueName: "customer")) var name: String?
    @Flag(help: "Print only the account token, which identifies the customer to the server.") var accountToken = false
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard name != nil || !accountToken else {
            throw ValidationError("--account-token needs the name of a customer.")
        }
    }

    func run() async throws {
        let client = try await options.client()
        let path = [environment.name.rawValue, "customers"]
        if let name {
            let data = try await client.send("GET", path + [name])
            if options.json, !accountToken { return Output.line(String(decoding: data, as: UTF8.self)) }
            let state = try ControlClient.decode(CustomerState.self, from: data)
            return accountToken ? try showToken(of: state) : Self.show([state])
        }
        if options.json { return try await client.printItems(of: path) }
        let states = try await client.all(path, as: CustomerState.self)
        if states.isEmpty { Output.line("no customers in \(path[0])") }
        Self.show(states)
    }

    private func showToken(of state: CustomerState) throws {
        guard let token = state.appAccountToken else {
            throw Refusal(
                code: "no_account_token",
                message: "\(state.customer.printable) has no account token: the purchases were made without one")
        }
        Output.line(options.json ? try JSONLine.text(["appAccountToken": token]) : token)
    }

    private static func show(_ states: [CustomerState]) {
        let width = states.map(\.customer.count).max() ?? 0
        for state in states {
            let account = state.appAccountToken.map { "account \($0)" } ?? "no account"
            Output.line("\(state.customer.printable.padded(to: width))  \(state.summary.printable)  \(account)")
        }
    }
}

/// `counterfoil simulator do`: performs any command of the simulated store.
struct DoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "do", abstract: "Perform any command of the simulated store, given as JSON.",
        discussion: """
            EXAMPLES
              counterfoil simulator do '{"cancel":{"customer":"anna"}}'
              counterfoil simulator do '{"askToBuy":{"customer":"anna"}}'
              counterfoil simulator do \\
                '{"requestRefund":{"customer":"anna","reason":"LEGAL"}}'
              counterfoil simulator do \\
                '{"shareWithFamily":{"customer":"anna","member":"ben"}}'

            COMMANDS
            \(Self.names)

            The schema StoreCommand describes their members: it is in /openapi.yaml below the control URL, which \
            `counterfoil simulator status --json` prints as controlURL.
            """)

    /// The names of all commands in short lines. ArgumentParser would continue a long line without indentation.
    private static let names = StoreCommand.names.reduce(into: [String]()) { lines, name in
        if let last = lines.last, last.count + name.count < 78 {
            lines[lines.count - 1] = "\(last) \(name)"
        } else {
            lines.append("  \(name)")
        }
    }.joined(separator: "\n")

    @Argument(help: ArgumentHelp("The command, or - to read it from standard input.", valueName: "json")) var json:
        String
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = json == "-" ? try Input.read("-", maximumBytes: 1 << 20) : Data(json.utf8)
        guard let command = try? JSONDecoder().decode(JSONValue.self, from: data), case .object = command else {
            throw ValidationError("A command is a JSON object such as {\"cancel\":{\"customer\":\"anna\"}}.")
        }
        try await options.client().perform(command, in: environment, options)
    }
}
