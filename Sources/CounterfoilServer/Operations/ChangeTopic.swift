internal import Ledger
internal import LedgerServices
internal import WebConsole

/// What can be followed: the names of topics.
enum ChangeTopic {
    /// What needs attention.
    static let overview = "overview"
    /// Notifications, and the App Store's questions.
    static let inbox = "inbox"
    /// The endpoints.
    static let deliveries = "deliveries"
    /// Readings of the history.
    static let recoveries = "recoveries"

    static let customers = "customer:"
    static let deliveriesOfOne = "deliveries:"

    /// The topics, for messages.
    static let all = [overview, inbox, deliveries, recoveries, customers + "ID", deliveriesOfOne + "NAME"]

    static func customer(_ id: String) -> String { customers + PageLink.escaped(CustomerName.normal(id)) }

    static func deliveries(of endpoint: String) -> String { deliveriesOfOne + PageLink.escaped(endpoint) }

    /// The scope that a key needs to follow a topic; nil for what is no topic.
    static func scope(of topic: String) -> APIScope? {
        switch topic {
        case overview, inbox, recoveries: .operationsRead
        case deliveries: .webhooksWrite
        case _ where topic.hasPrefix(deliveriesOfOne): .webhooksWrite
        case _ where topic.hasPrefix(customers): .customersRead
        default: nil
        }
    }
}
