import AppStoreModels
import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator refresh`.
struct SimulatorRefresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Let the app ask for a new receipt, as its customer.",
        discussion: """
            In the sandbox a customer who has bought nothing gets the first receipt by it.

            EXAMPLES
              counterfoil simulator refresh anna --environment sandbox
              counterfoil simulator refresh anna --device phone
            """)

    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Option(help: ArgumentHelp("One of the customer's devices.", valueName: "name")) var device: String?
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = try await options.client().send(
            "POST", [environment.environment.rawValue, "commands"],
            body: StoreCommand.refreshReceipt(customer: customer, device: device))
        try OutcomeReport.print(data, options)
    }
}

/// `counterfoil simulator volume-purchase`.
struct SimulatorVolumePurchase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume-purchase",
        abstract: "Let an organisation assign the app to a customer, or take it back.",
        discussion: """
            The customer's receipts are those of a volume purchase from then on: they hold until the end, if there is one, \
            and no longer once the app is taken back.

            EXAMPLES
              counterfoil simulator volume-purchase anna --until 2027-01-01T00:00:00Z
              counterfoil simulator volume-purchase anna --revoke
            """)

    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Option(help: ArgumentHelp("When receipts cease to hold, in ISO 8601. Default: never.", valueName: "instant"))
    var until: String?
    @Flag(help: "Take the app back.") var revoke = false
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard until == nil || !revoke else { throw ValidationError("--until and --revoke exclude each other.") }
        _ = try end()
    }

    private func end() throws -> Date? {
        guard let until else { return nil }
        do { return try Date(until, strategy: .iso8601) } catch {
            throw ValidationError("--until takes an instant such as 2027-01-01T00:00:00Z.")
        }
    }

    func run() async throws {
        let command: StoreCommand =
            revoke
            ? .revokeVolumePurchase(customer: customer)
            : .assignVolumePurchase(customer: customer, expirationDate: try end())
        let data = try await options.client().send(
            "POST", [environment.environment.rawValue, "commands"], body: command)
        try OutcomeReport.print(data, options)
    }
}
