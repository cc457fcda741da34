internal import ConfigurationReading
internal import Hummingbird
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

    /// Refuses a request for a stream with a topic that there is not, or whose scope the key lacks.
    ///
    /// - Parameter require: Refuses a key that lacks a scope.
    static func requireScopes(
        for request: Request, _ require: (APIScope) throws(APIFailure) -> Void
    ) throws(APIFailure) {
        guard let topics = EventHub.topics(request.parameter("topics")) else {
            throw APIFailure(
                .badRequest, "invalid_topics", "topics takes 1 to 8 names separated by commas.", parameter: "topics")
        }
        for topic in topics.sorted() {
            guard let scope = scope(of: topic) else {
                throw APIFailure(
                    .badRequest, "invalid_topics",
                    .unknown("Unknown topic \(quoted(topic))", topic, among: all), parameter: "topics")
            }
            try require(scope)
        }
    }
}
