/// Reads how endpoints are doing and what is sent to them, for people. However much there is, each method looks at a limited
/// number of rows.
package protocol DeliveryInspectionStorage: Sendable {
    /// How each endpoint is doing, by the number of the endpoint.
    ///
    /// - Parameters:
    ///   - since: Deliveries that ended from then on are counted.
    ///   - limit: How far each number is counted.
    func webhookActivity(since: Milliseconds, limit: Int) async throws -> [Int64: WebhookActivity]

    /// The deliveries of an endpoint that a filter holds for, newest first.
    ///
    /// - Parameter looking: How many deliveries of each state are looked at; the page says where to go on.
    func deliveries(
        of endpoint: Int64, matching filter: DeliveryFilter, before id: Int64, limit: Int, looking: Int
    ) async throws -> DeliveryList
}

/// How an endpoint is doing.
package struct WebhookActivity: Sendable, Hashable {
    /// How far each number is counted, since counting takes time.
    package static let limit = 10_000

    /// Deliveries that ended since an instant, by how they ended.
    package var delivered = 0
    package var failed = 0
    package var discarded = 0
    /// Deliveries that have not ended.
    package var pending = 0
    /// Since when the oldest of those waits.
    package var oldest: Milliseconds?
    /// Events that no deliveries were made of yet, whether or not the endpoint takes them.
    package var eventsBehind: Int64 = 0

    package init() {}
}

/// Which deliveries are asked for. What is nil does not matter.
package struct DeliveryFilter: Sendable, Hashable {
    package var state: WebhookDelivery.State?
    package var eventType: EventType?
    /// Whom the event names.
    package var customer: Customer?

    package init(state: WebhookDelivery.State? = nil, eventType: EventType? = nil, customer: Customer? = nil) {
        (self.state, self.eventType, self.customer) = (state, eventType, customer)
    }

    /// A customer, in some scopes.
    package struct Customer: Sendable, Hashable {
        package var name: String
        package var scopes: [Int64]

        package init(name: String, scopes: [Int64]) { (self.name, self.scopes) = (name, scopes) }
    }

    /// The states that are asked for.
    package var states: [WebhookDelivery.State] { state.map { [$0] } ?? WebhookDelivery.State.allCases }

    /// Whether something beside the state is asked for.
    package var isNarrow: Bool { eventType != nil || customer != nil }
}

/// Some deliveries.
package struct DeliveryList: Sendable, Hashable {
    package var items: [WebhookDelivery]
    /// The delivery before which it goes on; nil when there are no more.
    package var next: Int64?

    /// A page of what was found among the deliveries that were looked at.
    ///
    /// - Parameters:
    ///   - found: What holds, of all states; what lies before the end of a state may be among it.
    ///   - ends: For each state that was not looked through: the last delivery that was looked at.
    package init(found: [WebhookDelivery], ends: [Int64], limit: Int) {
        // Where the first state ends, older ones of the others have to wait: their place among its own is not known.
        let end = ends.max()
        let known = found.filter { $0.id >= end ?? .min }.sorted { $0.id > $1.id }
        items = Array(known.prefix(limit))
        next = known.count > limit ? items.last?.id : end
    }
}
