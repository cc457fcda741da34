import AppStoreModels
import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil customers`: who has what.
struct CustomersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers", abstract: "Show what the simulator's customers have.",
        discussion: """
            EXAMPLES
              counterfoil customers
              counterfoil customers anna --environment sandbox --json
            """)

    @Argument(help: ArgumentHelp("Only this one.", valueName: "customer")) var name: String?
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let client = try options.client()
        let path = [environment.environment.rawValue, "customers"]
        if let name {
            let data = try await client.send("GET", path + [name])
            if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
            return Self.show([try ControlClient.decode(CustomerState.self, from: data)])
        }
        if options.json {
            for value in try await client.all(path, as: JSONValue.self) { Output.line(try JSONLine.text(value)) }
            return
        }
        let states = try await client.all(path, as: CustomerState.self)
        if states.isEmpty { Output.line("nobody has bought anything in \(path[0])") }
        Self.show(states)
    }

    private static func show(_ states: [CustomerState]) {
        let width = states.map(\.customer.count).max() ?? 0
        for state in states { Output.line("\(state.customer.printable.padded(to: width))  \(state.summary.printable)") }
    }
}

/// `counterfoil buy`: the most frequent thing that customers do.
struct BuyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy", abstract: "Let a customer of the simulator buy a product.",
        discussion: """
            The customer is made if need be. A product may be named by the end of its identifier.

            EXAMPLES
              counterfoil buy anna premium.monthly
              counterfoil buy anna coins.100 --quantity 3 --environment sandbox
              counterfoil buy ben premium.monthly --offer WELCOME --json
            """)

    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Argument(help: ArgumentHelp("The product's identifier, or the end of it.", valueName: "product")) var product:
        String
    @Option(help: ArgumentHelp("How many, of a consumable.", valueName: "n")) var quantity: Int?
    @Option(help: ArgumentHelp("The offer to redeem.", valueName: "id")) var offer: String?
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let client = try options.client()
        let product = try await client.product(product, in: environment.environment)
        let command = StoreCommand.purchase(customer: customer, product: product, quantity: quantity, offer: offer)
        let data = try await client.send("POST", [environment.environment.rawValue, "commands"], body: command)
        try OutcomeReport.print(data, options)
    }
}

/// `counterfoil do`: anything that can happen in the simulator.
struct DoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "do", abstract: "Let something happen in the simulator: a command of the store, as JSON.",
        discussion: """
            EXAMPLES
              counterfoil do '{"cancel":{"customer":"anna"}}'
              counterfoil do '{"failBilling":{"customer":"anna"}}'
              counterfoil do '{"requestRefund":{"customer":"anna","reason":"LEGAL","inApp":true}}'
              counterfoil do '{"increasePrice":{"product":"com.example.premium.monthly","price":11990,"consent":true}}'

            COMMANDS
              \(StoreCommand.names.joined(separator: " "))
            Their members are those of the schema StoreCommand in the simulator's openapi.yaml.
            """)

    @Argument(help: ArgumentHelp("The command, or - to read it from standard input.", valueName: "json")) var json:
        String
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = json == "-" ? try Input.read("-", maximumBytes: 1 << 20) : Data(json.utf8)
        guard let command = try? JSONDecoder().decode(JSONValue.self, from: data), case .object = command else {
            throw ValidationError("A command is a JSON object such as {\"cancel\":{\"customer\":\"anna\"}}.")
        }
        let answer = try await options.client().send(
            "POST", [environment.environment.rawValue, "commands"], body: command)
        try OutcomeReport.print(answer, options)
    }
}

/// What a command did, for people.
enum OutcomeReport {
    static func print(_ data: Data, _ options: SimulatorOptions) throws {
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        let outcome = try ControlClient.decode(StoreOutcome.self, from: data)
        var words = [Style.current().good("done"), outcome.environment.rawValue]
        if let customer = outcome.customer { words.append("customer \(customer.printable)") }
        if let transaction = outcome.transactionId { words.append("transaction \(transaction)") }
        if let original = outcome.originalTransactionId, original != outcome.transactionId {
            words.append("original \(original)")
        }
        if let token = outcome.token { words.append("token \(token)") }
        Output.line(words.joined(separator: "  "))
        for notification in outcome.notifications {
            Output.line("  \(notification.name)  \(notification.notificationUUID)")
        }
    }
}

extension StoreOutcome.Announcement {
    /// `SUBSCRIBED.INITIAL_BUY`.
    var name: String { notificationType.rawValue + (subtype.map { "." + $0.rawValue } ?? "") }
}

/// One line of JSON.
enum JSONLine {
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .millisecondsSince1970
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
