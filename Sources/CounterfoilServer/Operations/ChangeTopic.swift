internal import Basics
internal import ConfigurationReading
internal import Hummingbird
internal import WebConsole

/// The topics of the change stream.
enum ChangeTopic {
    /// The overview page.
    static let overview = "overview"
    /// Notifications and consumption requests.
    static let inbox = "inbox"
    /// All webhook endpoints.
    static let deliveries = "deliveries"
    /// Recoveries and completeness.
    static let recoveries = "recoveries"

    /// The prefix of the topic of one customer.
    static let customerPrefix = "customer:"
    /// The prefix of the topic of one webhook endpoint.
    static let endpointPrefix = "deliveries:"

    /// The topics as they are listed in error messages.
    static let all = [overview, inbox, deliveries, recoveries, customerPrefix + "ID", endpointPrefix + "NAME"]

    static func customer(_ id: String) -> String { customerPrefix + CustomerName.canonical(id).percentEncoded }

    static func deliveries(of endpoint: String) -> String { endpointPrefix + endpoint.percentEncoded }

    /// Returns the scopes of which a key needs one to follow a topic; empty for an unknown topic. The inbox has both
    /// notifications and consumption requests, so a key for either may follow it.
    static func scopes(of topic: String) -> [APIScope] {
        switch topic {
        case inbox: [.operationsRead, .supportRead]
        case overview, recoveries: [.operationsRead]
        case deliveries: [.webhooksWrite]
        case _ where topic.hasPrefix(endpointPrefix): [.webhooksWrite]
        case _ where topic.hasPrefix(customerPrefix): [.customersRead]
        default: []
        }
    }

    /// Throws if a requested topic is unknown or the key lacks its scope.
    static func requireScopes(for request: Request, in context: ServerContext) throws(APIFailure) {
        guard let topics = EventHub.topics(request.parameter("topics")) else {
            throw APIFailure("invalid_topics", "topics takes 1 to 8 names separated by commas.", parameter: "topics")
        }
        for topic in topics.sorted() {
            let scopes = scopes(of: topic)
            guard let scope = scopes.first else {
                throw APIFailure(
                    "invalid_topics", .unknown("Unknown topic \(quoted(topic))", topic, among: all),
                    parameter: "topics")
            }
            let held = context.principal?.scopes ?? []
            if held.isDisjoint(with: scopes) { try context.require(scope) }
        }
    }
}
