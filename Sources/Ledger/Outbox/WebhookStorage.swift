internal import Foundation

/// Keeps endpoints and what is on its way to them.
///
/// Of the deliveries of one customer, or of one purchase, to one endpoint only the first is due, by when it happened; the next
/// one becomes due when it has ended.
///
/// No method here holds up who writes for long, however much there is. What takes more than a moment is done in pieces, each
/// a transaction.
package protocol WebhookStorage: Sendable {
    /// Makes the endpoints of the configuration where they are not there yet. They begin at the present: what happened
    /// before is not for them, even if it becomes known later.
    func registerWebhooks(_ names: [String], at now: Milliseconds) async throws

    /// All endpoints, by name.
    func webhookEndpoints() async throws -> [WebhookEndpoint]

    /// Makes an endpoint that is not of the configuration; nil when the name is taken.
    func addWebhook(_ definition: WebhookDefinition, at now: Milliseconds) async throws -> WebhookEndpoint?

    /// Changes what an endpoint is sent where.
    func changeWebhook(_ id: Int64, to definition: WebhookDefinition) async throws

    /// Switches an endpoint on or off. What waits is due at once when it is switched on, or is given up. The first piece of
    /// that is done by ``runWebhookJob(limit:at:)``; what is given up is not sent from now on.
    func switchWebhook(
        _ id: Int64, _ disabled: WebhookEndpoint.Disabled?, discardingBacklog: Bool, at now: Milliseconds
    ) async throws

    /// Removes an endpoint. Its deliveries follow by ``runWebhookJob(limit:at:)``.
    func removeWebhook(_ id: Int64) async throws

    /// Does a piece of what is left to do about endpoints, in one transaction; false when nothing is.
    ///
    /// - Parameter limit: How many deliveries a piece has.
    func runWebhookJob(limit: Int, at now: Milliseconds) async throws -> Bool

    /// Whether events can be told in their order yet; nil when there are none to tell.
    func status(for targets: [FanOutTarget]) async throws -> FanOutStatus?

    /// Makes deliveries of the events after the cursor of each endpoint, and moves its cursor, in pieces: one transaction for
    /// each. Before that some go, with their attempts, of the deliveries that ended more than ``WebhookDelivery/keeping`` ago.
    ///
    /// - Parameters:
    ///   - gate: What has to wait.
    ///   - limit: How many events an endpoint gets at most, and about how many deliveries.
    func fanOut(
        to targets: [FanOutTarget], within gate: FanOutLimit, limit: Int, at now: Milliseconds
    ) async throws -> FanOutProgress

    /// Makes due what goes next of what was made while there was more, in pieces: one for each endpoint.
    ///
    /// - Returns: Whether there may be more.
    func letGo(to endpoints: [Int64], limit: Int, at now: Milliseconds) async throws -> Bool

    /// The deliveries of an endpoint that are due, the longest due first, then what a clock that was ahead has put off (see
    /// ``LongestDelay``). Whether the endpoint is on does not matter, and who asks takes nothing: of two who send the same one,
    /// the first to end it is believed.
    func dueDeliveries(of endpoint: Int64, at now: Milliseconds, limit: Int) async throws -> [WebhookDelivery]

    /// When the next delivery to one of these endpoints becomes due, after now.
    func nextDelivery(to endpoints: [Int64], after now: Milliseconds) async throws -> Milliseconds?

    /// Notes what came of attempts.
    ///
    /// - Parameter patience: An endpoint that has failed for so long is switched off.
    /// - Returns: The endpoints that were switched off.
    func record(
        _ outcomes: [DeliveryOutcome], patience: Milliseconds, at now: Milliseconds
    ) async throws -> [Int64: DisableReason]

    /// An event, and the notification that tells of it.
    func event(_ number: Int64) async throws -> (event: LedgerEvent, notification: KeptNotification?)?

    /// The number of the event with this identifier.
    func eventNumber(_ id: String) async throws -> Int64?

    /// The deliveries of an endpoint, newest first.
    func deliveries(
        of endpoint: Int64, in state: WebhookDelivery.State?, before id: Int64?, limit: Int
    ) async throws -> [WebhookDelivery]

    /// Makes deliveries of events that were there before, in pieces. They go after ``letGo(to:limit:at:)``. What
    /// failed before and would go before them is due at once.
    func replay(_ range: ReplayRange, to target: FanOutTarget, at now: Milliseconds) async throws -> ReplayOutcome

    /// What ``replay(_:to:at:)`` would do. Nothing is done.
    func countReplay(_ range: ReplayRange, to target: FanOutTarget) async throws -> ReplayOutcome

    /// Makes an event that only this endpoint is told.
    func addWebhookTest(_ event: LedgerEvent, to endpoint: Int64) async throws -> WebhookDelivery?

    /// What is on its way.
    ///
    /// - Parameter gone: Endpoints that are left out, with what is on its way to them.
    func webhookBacklog(without gone: [Int64]) async throws -> WebhookBacklog
}

extension WebhookStorage {
    /// What is on its way to all endpoints.
    package func webhookBacklog() async throws -> WebhookBacklog { try await webhookBacklog(without: []) }
}

/// How far making deliveries has come.
package enum FanOutProgress: Int, Sendable, Comparable {
    /// Nothing is left.
    case done
    /// What is left has to wait for a moment.
    case held
    /// There may be more.
    case more

    package static func < (one: FanOutProgress, other: FanOutProgress) -> Bool { one.rawValue < other.rawValue }
}

/// An endpoint, and how many deliveries each kind of event makes there.
package struct FanOutTarget: Sendable {
    package var endpoint: Int64
    /// By the type of the event and the number of its scope.
    package var deliveries: @Sendable (EventType, Int64) -> Int

    package init(endpoint: Int64, deliveries: @escaping @Sendable (EventType, Int64) -> Int) {
        self.endpoint = endpoint
        self.deliveries = deliveries
    }
}

/// Which events are sent again.
package struct ReplayRange: Sendable, Hashable {
    /// Of events that the server learned of between these instants.
    package var from: Milliseconds
    package var to: Milliseconds
    /// Only those after this one.
    package var after: Int64
    /// Only those up to this one.
    package var through: Int64
    /// At most so many deliveries.
    package var limit: Int

    package init(from: Milliseconds, to: Milliseconds, after: Int64, through: Int64, limit: Int) {
        (self.from, self.to, self.after, self.through, self.limit) = (from, to, after, through, limit)
    }

    /// One event.
    package static func event(_ number: Int64) -> ReplayRange {
        ReplayRange(from: .min, to: .max, after: number - 1, through: number, limit: 16)
    }
}

/// What a replay did.
package struct ReplayOutcome: Sendable, Hashable {
    /// How many deliveries it made.
    package var deliveries: Int
    /// The event after which it goes on; nil when it is complete.
    package var last: Int64?

    package init(deliveries: Int, last: Int64? = nil) {
        self.deliveries = deliveries
        self.last = last
    }
}

/// What is on its way to endpoints.
package struct WebhookBacklog: Sendable, Hashable {
    /// Deliveries that have not ended; counted up to ``limit``.
    package var deliveries: Int
    /// Since when the oldest of them waits, or an event of which no delivery was made yet to an endpoint that is on.
    package var oldest: Milliseconds?
    /// Endpoints that are switched off.
    package var disabledEndpoints: Int

    package init(deliveries: Int, oldest: Milliseconds? = nil, disabledEndpoints: Int) {
        self.deliveries = deliveries
        self.oldest = oldest
        self.disabledEndpoints = disabledEndpoints
    }

    /// Where counting ends, since it takes time.
    package static let limit = 100_000
}
