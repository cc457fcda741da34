internal import Basics
internal import ConfigurationReading
internal import Hummingbird
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

    static func customer(_ id: String) -> String { customers + CustomerName.normal(id).percentEncoded }

    static func deliveries(of endpoint: String) -> String { deliveriesOfOne + endpoint.percentEncoded }

    /// The scopes of which a key needs one to follow a topic; none for what is no topic. Who answers the App Store's questions
    /// need not see the notifications, and both are in the inbox.
    static func scopes(of topic: String) -> [APIScope] {
        switch topic {
        case inbox: [.operationsRead, .supportRead]
        case overview, recoveries: [.operationsRead]
        case deliveries: [.webhooksWrite]
        case _ where topic.hasPrefix(deliveriesOfOne): [.webhooksWrite]
        case _ where topic.hasPrefix(customers): [.customersRead]
        default: []
        }
    }

    /// Refuses a request for a stream with a topic that there is not, or whose scope the key lacks.
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
