import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator receipt`.
struct SimulatorReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Print the receipt on a customer's device in base64.",
        discussion: """
            The receipt is bound to the device; --device-id prints the identifier for `counterfoil receipt --device-id`. In \
            the sandbox there is no receipt before the first purchase or `counterfoil simulator refresh`.

            To validate it, use `counterfoil receipt FILE --simulator`. With --json it is a request to verifyReceipt that \
            still needs the app's shared secret as `password`, which counterfoil simulator status --json prints.

            EXAMPLES
              counterfoil simulator receipt anna
              counterfoil simulator receipt anna --device phone --device-id
              counterfoil simulator receipt anna --json > verify-receipt-request.json
            """)

    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Option(help: ArgumentHelp("One of the customer's devices.", valueName: "name")) var device: String?
    @Flag(help: "Print only the device's identifier for vendor.") var deviceID = false
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = try await options.client().send(
            "GET", [environment.name.rawValue, "customers", customer, "receipt"],
            query: device.map { [("device", $0)] } ?? [])
        let response = try ControlClient.decode(DeviceReceipt.self, from: data)
        switch (deviceID, options.json) {
        case (true, true): Output.line(try JSONLine.text(["identifierForVendor": response.identifierForVendor]))
        case (true, false): Output.line(response.identifierForVendor.uuidString)
        case (false, true): Output.line(String(decoding: data, as: UTF8.self))
        case (false, false): Output.line(response.receiptData)
        }
    }
}

/// `counterfoil simulator refresh`.
struct SimulatorRefresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Request a new receipt, as the app does for its customer.",
        discussion: """
            In the sandbox this is how a customer without purchases gets a first receipt.

            EXAMPLES
              counterfoil simulator refresh anna --environment sandbox
              counterfoil simulator refresh anna --device phone
            """)

    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Option(help: ArgumentHelp("One of the customer's devices.", valueName: "name")) var device: String?
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let command = StoreCommand.refreshReceipt(customer: customer, device: device)
        try await options.client().perform(command, in: environment, options)
    }
}

/// `counterfoil simulator volume-purchase`.
struct SimulatorVolumePurchase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume-purchase",
        abstract: "Assign the app to a customer as an organisation, or revoke it.",
        discussion: """
            The customer's receipts become those of a volume purchase: valid until --until, if given, and invalid once the \
            app is revoked.

            EXAMPLES
              counterfoil simulator volume-purchase anna --until 2027-01-01T00:00:00Z
              counterfoil simulator volume-purchase anna --revoke
            """)

    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Option(help: ArgumentHelp("When the receipts expire, such as 2027-01-01. Default: never.", valueName: "instant"))
    var until: InstantArgument?
    @Flag(help: "Revoke the app.") var revoke = false
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard until == nil || !revoke else { throw ValidationError("--until and --revoke exclude each other.") }
    }

    func run() async throws {
        let command: StoreCommand =
            revoke
            ? .revokeVolumePurchase(customer: customer)
            : .assignVolumePurchase(customer: customer, expirationDate: until?.date)
        try await options.client().perform(command, in: environment, options)
    }
}
