/// Reads the activity and the deliveries of endpoints, for people. Each method reads a limited number of rows.
package protocol DeliveryInspectionStorage: Sendable {
    /// Returns the activity of each endpoint, by row identifier.
    ///
    /// - Parameters:
    ///   - since: Counts deliveries that ended from this instant on.
    ///   - limit: Each number is counted up to this limit.
    func webhookActivity(since: Milliseconds, limit: Int) async throws -> [Int64: WebhookActivity]

    /// Returns the deliveries of an endpoint that match a filter, the newest first.
    ///
    /// - Parameter scanLimit: The maximum number of deliveries that are read for each state; the page contains the
    ///   cursor to continue.
    func deliveries(
        of endpoint: Int64, matching filter: DeliveryFilter, before id: Int64, limit: Int, scanLimit: Int
    ) async throws -> DeliveryList
}

/// The activity of an endpoint.
package struct WebhookActivity: Sendable, Hashable {
    /// Each number is counted up to this limit, since counting takes time.
    package static let limit = 10_000

    /// The deliveries that ended since an instant, by result.
    package var delivered = 0
    package var failed = 0
    package var discarded = 0
    /// The deliveries that have not ended.
    package var pending = 0
    /// The creation of the oldest pending delivery.
    package var oldest: Milliseconds?
    /// The events that are not fanned out yet, whether or not the endpoint subscribes to them.
    package var eventsBehind: Int64 = 0

    package init() {}
}

/// A filter for deliveries. Nil properties match everything.
package struct DeliveryFilter: Sendable, Hashable {
    package var state: WebhookDelivery.State?
    package var eventType: EventType?
    /// The customer in the event.
    package var customer: Customer?
    /// The scopes of the event; nil for all. A test event has the scope 0.
    package var scopes: [Int64]?

    package init(
        state: WebhookDelivery.State? = nil, eventType: EventType? = nil, customer: Customer? = nil,
        scopes: [Int64]? = nil
    ) {
        (self.state, self.eventType, self.customer, self.scopes) = (state, eventType, customer, scopes)
    }

    /// A customer in some scopes.
    package struct Customer: Sendable, Hashable {
        package var name: String
        package var scopes: [Int64]

        package init(name: String, scopes: [Int64]) { (self.name, self.scopes) = (name, scopes) }
    }

    /// The states that match.
    package var states: [WebhookDelivery.State] { state.map { [$0] } ?? WebhookDelivery.State.allCases }

    /// Whether the filter has a condition besides the state.
    package var hasEventConditions: Bool { eventType != nil || customer != nil || scopes != nil }
}

/// A page of deliveries. Each state is searched on its own.
package typealias DeliveryList = SearchPage<WebhookDelivery>
