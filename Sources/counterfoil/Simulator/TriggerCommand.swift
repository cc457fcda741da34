import AppStoreModels
import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator trigger`: causes a notification of any type, with the events that lead to it.
struct TriggerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger", abstract: "Cause a notification of one type, with the events that lead to it.",
        discussion: """
            Creates a customer, unless one is named, and simulates the events that lead to the notification, so that the \
            API's responses match it afterwards. An override replaces the field of the signed payload at a path.

            EXAMPLES
              counterfoil simulator trigger SUBSCRIBED.INITIAL_BUY
              counterfoil simulator trigger EXPIRED.VOLUNTARY --environment sandbox --json
              counterfoil simulator trigger DID_RENEW.BILLING_RECOVERY \\
                --product premium.yearly
              counterfoil simulator trigger REFUND --customer anna \\
                --override transaction.price=1990
              counterfoil simulator trigger --list

            JSON; members without a value are left out:
              {"customer":…,"environment":…,"notificationUUID":…,
              "originalTransactionId":…,"transactionId":…}
            """)

    @Argument(
        help: ArgumentHelp("The type, followed by a dot and the subtype if it has one.", valueName: "type"),
        completion: .list(NotificationKind.all.map(\.name)))
    var event: String?

    @Option(help: ArgumentHelp("The product ID, or the end of it.", valueName: "id")) var product: String?
    @Option(help: ArgumentHelp("The customer. Default: a new one.", valueName: "name")) var customer: String?
    @Option(
        name: .customLong("override"),
        help: ArgumentHelp("Replace a field. May be repeated.", valueName: "path=value"))
    var overrides: [String] = []
    @Flag(help: "List all types.") var list = false
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        let others = [event, product, customer].compactMap(\.self) + overrides
        guard list ? others.isEmpty : event != nil else {
            throw ValidationError("Name a notification type, or only --list, which lists them.")
        }
        _ = try values()
    }

    func run() async throws {
        guard !list, let event else {
            for name in NotificationKind.all.map(\.name) {
                Output.line(options.json ? try JSONLine.text(["name": name]) : name)
            }
            return
        }
        let client = try await options.client()
        let name = event.uppercased()
        var body = TriggerRequest.members(named: name)
        if let product { body["product"] = .string(try await client.product(product, in: environment.name)) }
        if let customer { body["customer"] = .string(customer) }
        let values = try values()
        if !values.isEmpty { body["overrides"] = .object(values) }
        let data = try await client.send("POST", [environment.name.rawValue, "trigger"], body: body)
        if options.json { return Output.line(try JSONLine.text(Triggered(data, name))) }
        try OutcomeReport.print(data, options)
    }

    /// Returns the overrides by path.
    private func values() throws -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for text in overrides {
            guard let (path, value) = TriggerRequest.parseOverride(text) else {
                throw ValidationError("--override takes path=value, not \(text).")
            }
            values[path] = value
        }
        return values
    }
}

/// The object that `--json` prints.
private struct Triggered: Encodable {
    let customer, transactionId, originalTransactionId, notificationUUID: String?
    let environment: AppStoreEnvironment

    /// Reads the outcome. Of several notifications, the requested one is the last with its name.
    init(_ data: Data, _ name: String) throws {
        let outcome = try ControlClient.decode(StoreOutcome.self, from: data)
        customer = outcome.customer
        transactionId = outcome.transactionID
        originalTransactionId = outcome.originalTransactionID
        notificationUUID =
            (outcome.notifications.last { $0.name == name } ?? outcome.notifications.last)?.notificationUUID
        environment = outcome.environment
    }
}
