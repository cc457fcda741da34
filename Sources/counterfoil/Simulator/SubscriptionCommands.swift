import AppStoreModels
import ArgumentParser
import StoreSimulator

/// The arguments for a customer and a subscription.
struct SubscriberOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Argument(
        help: ArgumentHelp(
            "The subscription: one of its transaction IDs, its product ID, or the end of that. Default: the latest, or all where the command applies to all.",
            valueName: "subscription"))
    var subscription: String?
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    /// Sends the command and prints the outcome.
    func perform(_ command: (_ customer: String, _ subscription: String?) -> StoreCommand) async throws {
        let client = try await options.client()
        var selector = subscription
        // A number is a transaction ID; anything else is a product.
        if let subscription, Int64(subscription) == nil {
            selector = try await client.product(subscription, in: environment.environment)
        }
        try await client.perform(command(customer, selector), in: environment, options)
    }
}

/// `counterfoil simulator cancel`.
struct SimulatorCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Turn a subscription's renewal off, as its customer.",
        discussion: """
            EXAMPLES
              counterfoil simulator cancel anna
              counterfoil simulator cancel anna premium.monthly --environment sandbox
            """)

    @OptionGroup var subscriber: SubscriberOptions

    func run() async throws {
        try await subscriber.perform { .cancel(customer: $0, subscription: $1) }
    }
}

/// `counterfoil simulator resume`.
struct SimulatorResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Turn a subscription's renewal on again, as its customer.",
        discussion: """
            EXAMPLES
              counterfoil simulator resume anna
            """)

    @OptionGroup var subscriber: SubscriberOptions

    func run() async throws {
        try await subscriber.perform { .resume(customer: $0, subscription: $1) }
    }
}

/// `counterfoil simulator refund`.
struct SimulatorRefund: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund", abstract: "Refund a purchase as Apple, or request a refund as the customer.",
        discussion: """
            Without an option Apple refunds the purchase, requested or not. The amount is --percentage, or else what the \
            developer's answer to the consumption request asked for.

            EXAMPLES
              counterfoil simulator refund anna
              counterfoil simulator refund anna coins.100 --percentage 50
              counterfoil simulator refund anna --request --reason LEGAL
              counterfoil simulator refund anna --decline
              counterfoil simulator refund anna --reverse
            """)

    @OptionGroup var subscriber: SubscriberOptions
    @Flag(help: "Request the refund, as the customer.") var request = false
    @Flag(help: "Decline the request.") var decline = false
    @Flag(help: "Reverse a refund.") var reverse = false
    @Option(help: ArgumentHelp("The customer's reason, such as LEGAL or FULFILLMENT_ISSUE.", valueName: "reason"))
    var reason: String?
    @Option(help: ArgumentHelp("The refunded share, in percent.", valueName: "n")) var percentage: Double?

    func validate() throws {
        guard [request, decline, reverse].count(where: { $0 }) < 2 else {
            throw ValidationError("--request, --decline and --reverse exclude each other.")
        }
        guard reason == nil || request else { throw ValidationError("--reason needs --request.") }
        guard let percentage else { return }
        guard !request, !decline, !reverse else {
            throw ValidationError("--percentage excludes --request, --decline and --reverse.")
        }
        guard percentage >= 0.001, percentage <= 100 else { throw ValidationError("--percentage takes 0.001 to 100.") }
    }

    func run() async throws {
        try await subscriber.perform { customer, transaction in
            if request {
                return .requestRefund(
                    customer: customer, transaction: transaction,
                    reason: reason.map { ConsumptionRequestReason(rawValue: $0.uppercased()) })
            }
            if decline { return .declineRefund(customer: customer, transaction: transaction) }
            if reverse { return .reverseRefund(customer: customer, transaction: transaction) }
            return .approveRefund(
                customer: customer, transaction: transaction,
                percentage: percentage.map { Int32(($0 * 1000).rounded()) })
        }
    }
}

/// `counterfoil simulator fail-billing`.
struct SimulatorFailBilling: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fail-billing",
        abstract: "Make a customer's charges fail from now on, or those of one subscription.",
        discussion: """
            EXAMPLES
              counterfoil simulator fail-billing anna
              counterfoil simulator fail-billing anna premium.monthly --recovers
            """)

    @OptionGroup var subscriber: SubscriberOptions
    @Flag(help: "Insufficient funds: one of the store's retries within 60 days succeeds.") var recovers = false

    func run() async throws {
        try await subscriber.perform {
            .failBilling(customer: $0, subscription: $1, recovers: recovers ? true : nil)
        }
    }
}

/// `counterfoil simulator fix-billing`.
struct SimulatorFixBilling: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fix-billing", abstract: "Make a customer's charges succeed again and collect overdue ones.",
        discussion: """
            EXAMPLES
              counterfoil simulator fix-billing anna
            """)

    @OptionGroup var subscriber: SubscriberOptions

    func run() async throws {
        try await subscriber.perform { .fixBilling(customer: $0, subscription: $1) }
    }
}

/// `counterfoil simulator receipt`.
struct SimulatorReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Print the receipt on a customer's device in base64.",
        discussion: """
            The receipt is bound to the device; --device-id prints the identifier for `counterfoil receipt --device-id`. In \
            the sandbox there is no receipt before the first purchase or `counterfoil simulator refresh`.

            To validate it, pass the folder `certificates` of the simulator's folder as --root. With --json it is a \
            request to verifyReceipt that still needs the app's shared secret as `password`, which \
            counterfoil simulator status --json prints.

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

    private struct Response: Decodable {
        let receiptData, identifierForVendor: String

        enum CodingKeys: String, CodingKey {
            case receiptData = "receipt-data"
            case identifierForVendor
        }
    }

    func run() async throws {
        let data = try await options.client().send(
            "GET", [environment.environment.rawValue, "customers", customer, "receipt"],
            query: device.map { [("device", $0)] } ?? [])
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        let response = try ControlClient.decode(Response.self, from: data)
        Output.line(deviceID ? response.identifierForVendor : response.receiptData)
    }
}
