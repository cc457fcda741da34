import AppStoreModels
import ArgumentParser
import Foundation
import StoreSimulator

/// Whom a command is about, and which of their subscriptions.
struct SubscriberOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Argument(
        help: ArgumentHelp(
            "The subscription: a transaction of it, or its product, or the end of that. Left out: the latest, or all where they are meant.",
            valueName: "subscription"))
    var subscription: String?
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    /// Sends the command and prints what it did.
    func perform(_ command: (_ subscription: String?) -> StoreCommand) async throws {
        let client = try await options.client()
        var selector = subscription
        // Transactions are numbers; products are not.
        if let subscription, Int64(subscription) == nil {
            selector = try await client.product(subscription, in: environment.environment)
        }
        let data = try await client.send(
            "POST", [environment.environment.rawValue, "commands"], body: command(selector))
        try OutcomeReport.print(data, options)
    }
}

/// `counterfoil simulator cancel`.
struct SimulatorCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Turn the renewal of a subscription off, as its customer.",
        discussion: """
            EXAMPLES
              counterfoil simulator cancel anna
              counterfoil simulator cancel anna premium.monthly --environment sandbox
            """)

    @OptionGroup var subscriber: SubscriberOptions

    func run() async throws {
        let customer = subscriber.customer
        try await subscriber.perform { .cancel(customer: customer, subscription: $0) }
    }
}

/// `counterfoil simulator resume`.
struct SimulatorResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Turn the renewal of a subscription on again, as its customer.",
        discussion: """
            EXAMPLES
              counterfoil simulator resume anna
            """)

    @OptionGroup var subscriber: SubscriberOptions

    func run() async throws {
        let customer = subscriber.customer
        try await subscriber.perform { .resume(customer: customer, subscription: $0) }
    }
}

/// `counterfoil simulator refund`.
struct SimulatorRefund: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund", abstract: "Refund a purchase as Apple does, or ask for it as the customer does.",
        discussion: """
            Without an option Apple refunds, asked or not. The developer's answer to the consumption request, if there was \
            one, says how much, unless --percentage does.

            EXAMPLES
              counterfoil simulator refund anna
              counterfoil simulator refund anna coins.100 --percentage 50
              counterfoil simulator refund anna --request --reason LEGAL
              counterfoil simulator refund anna --decline
              counterfoil simulator refund anna --reverse
            """)

    @OptionGroup var subscriber: SubscriberOptions
    @Flag(help: "Ask for the refund, as the customer.") var request = false
    @Flag(help: "Decline what was asked for.") var decline = false
    @Flag(help: "Take a refund back.") var reverse = false
    @Option(help: ArgumentHelp("Why the customer asks, such as LEGAL or FULFILLMENT_ISSUE.", valueName: "reason"))
    var reason: String?
    @Option(help: ArgumentHelp("How much is refunded, in percent.", valueName: "n")) var percentage: Double?

    func validate() throws {
        guard [request, decline, reverse].count(where: { $0 }) < 2 else {
            throw ValidationError("--request, --decline and --reverse exclude each other.")
        }
        guard reason == nil || request else { throw ValidationError("--reason is for --request.") }
        guard let percentage else { return }
        guard !request, !decline, !reverse else { throw ValidationError("--percentage is for a refund that is given.") }
        guard percentage >= 0.001, percentage <= 100 else { throw ValidationError("--percentage is up to 100.") }
    }

    func run() async throws {
        let customer = subscriber.customer
        try await subscriber.perform { transaction in
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
        commandName: "fail-billing", abstract: "Let a customer's charges fail from now on, all or a subscription's.",
        discussion: """
            EXAMPLES
              counterfoil simulator fail-billing anna
              counterfoil simulator fail-billing anna premium.monthly --recovers
            """)

    @OptionGroup var subscriber: SubscriberOptions
    @Flag(help: "For want of money: one of the store's attempts over 60 days succeeds.") var recovers = false

    func run() async throws {
        let customer = subscriber.customer
        try await subscriber.perform {
            .failBilling(customer: customer, subscription: $0, recovers: recovers ? true : nil)
        }
    }
}

/// `counterfoil simulator fix-billing`.
struct SimulatorFixBilling: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fix-billing", abstract: "Let a customer's charges work again, and charge what is owed.",
        discussion: """
            EXAMPLES
              counterfoil simulator fix-billing anna
            """)

    @OptionGroup var subscriber: SubscriberOptions

    func run() async throws {
        let customer = subscriber.customer
        try await subscriber.perform { .fixBilling(customer: customer, subscription: $0) }
    }
}

/// `counterfoil simulator receipt`.
struct SimulatorReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Print the receipt on a customer's device, in base64.",
        discussion: """
            It is bound to the device: --device-id prints the identifier that `counterfoil receipt --device-id` takes. \
            In the sandbox there is no receipt before the first purchase, or before `counterfoil simulator refresh`.

            EXAMPLES
              counterfoil simulator receipt anna
              counterfoil simulator receipt anna --device phone --device-id
              counterfoil simulator receipt anna --json > verify-receipt-request.json
            """)

    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Option(help: ArgumentHelp("One of the customer's devices.", valueName: "name")) var device: String?
    @Flag(help: "Print only the identifier for vendor of the device.") var deviceID = false
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    private struct Answer: Decodable {
        let receiptData: String
        let identifierForVendor: String

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
        let answer = try ControlClient.decode(Answer.self, from: data)
        Output.line(deviceID ? answer.identifierForVendor : answer.receiptData)
    }
}
