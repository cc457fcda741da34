import AppStoreModels
import ArgumentParser
import StoreSimulator

/// The arguments for a customer and one of the purchases.
struct SubscriberOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Argument(
        help: ArgumentHelp(
            "A transaction ID or the product ID of the subscription (with refund, of any purchase), or the end of the product ID. Default: with fail-billing and fix-billing all, otherwise the latest.",
            valueName: "purchase"))
    var subscription: String?
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    /// Sends the command and prints the outcome.
    func perform(_ command: (_ customer: String, _ subscription: String?) -> StoreCommand) async throws {
        let client = try await options.client()
        var selector = subscription
        // A number is a transaction ID; anything else is a product.
        if let subscription, Int64(subscription) == nil {
            selector = try await client.product(subscription, in: environment.name)
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
