import AppStoreModels
import Foundation
import StoreSimulator

extension ControlClient {
    /// Performs a command of the store and prints the outcome.
    func perform(
        _ command: some Encodable & Sendable, in environment: EnvironmentOption, _ options: SimulatorOptions
    ) async throws {
        let data = try await send("POST", [environment.name.rawValue, "commands"], body: command)
        try OutcomeReport.print(data, options)
    }
}

/// The output of commands that change the store.
enum OutcomeReport {
    static func print(_ data: Data, _ options: SimulatorOptions) throws {
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        let outcome = try ControlClient.decode(StoreOutcome.self, from: data)
        var result = Style.current().good("done")
        if let other = outcome.result, other != .success { result = Style.current().strong(other.rawValue) }
        var words = [result, outcome.environment.rawValue]
        if let customer = outcome.customer { words.append("customer \(customer.printable)") }
        if let account = outcome.appAccountToken { words.append("account \(account)") }
        if let transaction = outcome.transactionID { words.append("transaction \(transaction)") }
        if let original = outcome.originalTransactionID, original != outcome.transactionID {
            words.append("original \(original)")
        }
        if let order = outcome.orderID { words.append("order \(order)") }
        if let token = outcome.token { words.append("token \(token)") }
        Output.line(words.joined(separator: "  "))
        for notification in outcome.notifications {
            Output.line("  \(notification.name)  \(notification.notificationUUID)")
        }
    }
}

extension StoreOutcome.Notification {
    /// The type and subtype, such as `SUBSCRIBED.INITIAL_BUY`, with the prefix `V1.` for version 1.
    var name: String { (version == 1 ? "V1." : "") + NotificationKind.name(notificationType, subtype) }
}
