/// Stores webhook endpoints and their deliveries.
///
/// Of the deliveries of one customer, or of one purchase, to one endpoint only the first (by the time of the event) is
/// due. The next one becomes due when the first has ended.
///
/// No method blocks other writers for long, however much data there is. Long operations work in batches of one
/// transaction each. The cursor of an endpoint relies on the order of events that ``EventFeedStorage`` requires. Row
/// identifiers of endpoints are never used again: an attempt may end after its endpoint was removed.
package protocol WebhookStorage: Sendable {
    /// Creates the endpoints of the configuration that do not exist. They receive events that occur from now on, but no
    /// earlier ones, even if those become known later. An endpoint of the API with such a name becomes one of the
    /// configuration: it loses its definition, and keeps everything else, including its deliveries.
    func registerWebhooks(_ names: [String], at now: Milliseconds) async throws

    /// Returns all endpoints, sorted by name.
    func webhookEndpoints() async throws -> [WebhookEndpoint]

    /// Creates an endpoint by the API; nil if the name is taken. Repeating the call, with the same definition and
    /// instant, returns the endpoint.
    ///
    /// - Parameter replacesConfigured: Whether an endpoint of the configuration with this name is removed in the same
    ///   transaction, as by ``removeWebhook(_:)``.
    func addWebhook(
        _ definition: WebhookDefinition, replacesConfigured: Bool, at now: Milliseconds
    ) async throws -> WebhookEndpoint?

    /// Changes the definition of an endpoint.
    func changeWebhook(_ id: Int64, to definition: WebhookDefinition) async throws

    /// Enables or disables an endpoint, and forgets its failures. Enabling makes its pending deliveries due at once;
    /// `discardingBacklog` discards them instead, and skips the events before `now`. ``runWebhookJob(limit:at:)`` does
    /// this in batches; discarded deliveries are not sent from now on.
    ///
    /// - Parameter definition: The new definition, which is stored in the same transaction as by
    ///   ``changeWebhook(_:to:)``; nil for no change.
    func switchWebhook(
        _ id: Int64, _ disabled: WebhookEndpoint.Disabled?, discardingBacklog: Bool,
        changingTo definition: WebhookDefinition?, at now: Milliseconds
    ) async throws

    /// Makes the pending deliveries of an endpoint due at once, as enabling it does, and changes nothing else.
    /// ``runWebhookJob(limit:at:)`` does this in batches.
    func resumeDeliveries(to endpoint: Int64, at now: Milliseconds) async throws

    /// Removes an endpoint. ``runWebhookJob(limit:at:)`` deletes its deliveries.
    func removeWebhook(_ id: Int64) async throws

    /// Runs one batch of the pending jobs on endpoints, in one transaction; returns false if there are none.
    ///
    /// - Parameter limit: The number of deliveries in a batch.
    func runWebhookJob(limit: Int, at now: Milliseconds) async throws -> Bool

    /// Returns the status that decides whether events can be published in order yet; nil if there are no events to
    /// publish.
    func status(for endpoints: [Int64]) async throws -> FanOutStatus?

    /// Creates the deliveries of the events after the cursor of each endpoint, and moves the cursor, in batches of one
    /// transaction each.
    ///
    /// - Parameters:
    ///   - target: Returns the target of an endpoint as it is stored in this transaction; nil if its events wait. A
    ///     definition from before the transaction could skip events that the endpoint receives by now.
    ///   - gate: The events that must wait.
    ///   - limit: The maximum number of events for each endpoint, and the approximate number of deliveries.
    func fanOut(
        to endpoints: [Int64], by target: @escaping @Sendable (WebhookEndpoint) -> FanOutTarget?,
        within gate: FanOutLimit, limit: Int, at now: Milliseconds
    ) async throws -> FanOutProgress

    /// Makes the first of the held deliveries due, in batches of one endpoint each. Deliveries are held while
    /// ``fanOut(to:by:within:limit:at:)`` has more events to sort.
    ///
    /// - Returns: Whether there may be more.
    func releaseDeliveries(to endpoints: [Int64], limit: Int, at now: Milliseconds) async throws -> Bool

    /// Returns the due deliveries of an endpoint, the longest due first, then those that a clock that was ahead has
    /// scheduled (see ``LongestDelay``). Also for a disabled endpoint. The call takes no lease: if two callers send the
    /// same delivery, the first result counts.
    func dueDeliveries(of endpoint: Int64, at now: Milliseconds, limit: Int) async throws -> [WebhookDelivery]

    /// Returns when the next delivery to one of these endpoints becomes due, after now.
    func nextDelivery(to endpoints: [Int64], after now: Milliseconds) async throws -> Milliseconds?

    /// Records the results of attempts. Repeating the call counts the attempts only once if the results have the number
    /// of previous attempts: see ``DeliveryOutcome/isRecorded(in:)``. The first final result of a delivery stays.
    ///
    /// - Parameter disableAfter: An endpoint that has failed for this long is disabled.
    /// - Returns: The endpoints that were disabled.
    func record(
        _ outcomes: [DeliveryOutcome], disableAfter: Milliseconds, at now: Milliseconds
    ) async throws -> [Int64: DisableReason]

    /// Returns an event and its notification; nil for a number in a gap.
    func event(_ number: Int64) async throws -> (event: LedgerEvent, notification: StoredNotification?)?

    /// Returns the row identifier of the event with this identifier.
    func eventNumber(_ id: String) async throws -> Int64?

    /// Returns a delivery to an endpoint.
    func delivery(_ id: Int64, of endpoint: Int64) async throws -> WebhookDelivery?

    /// Creates deliveries of old events again, in batches. ``releaseDeliveries(to:limit:at:)`` makes them due. Earlier
    /// failed deliveries to the same customers and about the same purchases become due at once. Repeating the call sends the
    /// events once more.
    func replay(_ range: ReplayRange, to target: FanOutTarget, at now: Milliseconds) async throws -> ReplayOutcome

    /// Returns what ``replay(_:to:at:)`` would do, without doing it. Reads in batches too.
    func countReplay(_ range: ReplayRange, to target: FanOutTarget) async throws -> ReplayOutcome

    /// Creates an event for this endpoint alone, and its delivery; nil if the endpoint does not exist. Repeating the
    /// call creates another delivery of the same event.
    func addWebhookTest(_ event: LedgerEvent, to endpoint: Int64) async throws -> WebhookDelivery?

    /// Returns the numbers of pending deliveries and disabled endpoints.
    ///
    /// - Parameter gone: Endpoints to omit, with their deliveries.
    func webhookBacklog(without gone: [Int64]) async throws -> WebhookBacklog
}

/// The progress of the fan-out.
package enum FanOutProgress: Int, Sendable, Comparable {
    /// No events are left.
    case done
    /// The remaining events have to wait (``FanOutLimit``).
    case held
    /// There may be more.
    case more

    package static func < (one: FanOutProgress, other: FanOutProgress) -> Bool { one.rawValue < other.rawValue }
}

/// An endpoint, and the number of deliveries that it gets for each event.
package struct FanOutTarget: Sendable {
    package var endpoint: Int64
    /// By the type of the event and the row identifier of its scope.
    package var deliveries: @Sendable (EventType, Int64) -> Int

    package init(endpoint: Int64, deliveries: @escaping @Sendable (EventType, Int64) -> Int) {
        self.endpoint = endpoint
        self.deliveries = deliveries
    }
}

/// The events that a replay sends again.
package struct ReplayRange: Sendable, Hashable {
    /// Only events that were created (learned by the server) between these instants.
    package var from: Milliseconds
    package var to: Milliseconds
    /// Only events after this one.
    package var after: Int64
    /// Only events up to this one.
    package var through: Int64
    /// The maximum number of deliveries.
    package var limit: Int

    /// How much later an event may be created than events with higher row identifiers: transactions overlap, and the
    /// clocks of servers differ. An engine may look for the first event of a range by row identifier, so a replay may
    /// miss events from while a clock was further ahead than this.
    package static let clockTolerance: Milliseconds = 600_000

    package init(from: Milliseconds, to: Milliseconds, after: Int64, through: Int64, limit: Int) {
        (self.from, self.to, self.after, self.through, self.limit) = (from, to, after, through, limit)
    }

    /// Returns the range of one event.
    package static func event(_ number: Int64) -> ReplayRange {
        ReplayRange(from: .min, to: .max, after: max(number, 1) - 1, through: number, limit: 16)
    }
}

/// The result of a replay.
package struct ReplayOutcome: Sendable, Hashable {
    /// The number of created deliveries.
    package var deliveries: Int
    /// The cursor to continue after; nil if the replay is complete.
    package var last: Int64?

    package init(deliveries: Int, last: Int64? = nil) {
        self.deliveries = deliveries
        self.last = last
    }
}

/// The backlog of webhook deliveries.
package struct WebhookBacklog: Sendable, Hashable {
    /// The deliveries that have not ended, counted up to ``limit``.
    package var deliveries: Int
    /// Since when the oldest delivery waits, or the oldest event that is not fanned out to an enabled endpoint.
    package var oldest: Milliseconds?
    /// The number of disabled endpoints.
    package var disabledEndpoints: Int

    package init(deliveries: Int, oldest: Milliseconds? = nil, disabledEndpoints: Int) {
        self.deliveries = deliveries
        self.oldest = oldest
        self.disabledEndpoints = disabledEndpoints
    }

    /// Deliveries are counted up to this limit, since counting takes time.
    package static let limit = 100_000
}
