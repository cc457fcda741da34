/// The properties of an event that decide its deliveries.
package protocol DeliverableEvent: FeedEvent {
    /// The name of the first lane: see ``DeliveryLane``.
    var lane: String { get }
    /// When the server learned of it.
    var createdAt: Milliseconds { get }
}

/// The deliveries that one endpoint gets for a batch of events, in the order in which they are created. Pure functions on
/// values decide them.
///
/// A late event cannot be put before deliveries that were sent. A receiver that trusts the last message would keep the
/// older state. So all newer events about the purchase are sent again after the late one, with new identifiers.
package struct DeliveryPlan<Event: DeliverableEvent> {
    private let target: FanOutTarget
    /// Earlier events are not for this endpoint.
    private let begin: Milliseconds
    package private(set) var deliveries: [Delivery] = []
    /// The number of deliveries that are not repetitions.
    package private(set) var made = 0
    /// The last event of the batch that was sorted; nil if there is none.
    package private(set) var last: Int64?
    /// The events with deliveries.
    private var events: Set<Int64> = []

    private init(_ target: FanOutTarget, from begin: Milliseconds) { (self.target, self.begin) = (target, begin) }

    /// A delivery that has to be created.
    package struct Delivery {
        package let event: Event
        package let variant: Int
        /// The name of the first lane.
        package let lane: String
        /// Whether the event is sent again after a late one.
        package let isRepeat: Bool

        /// Creates the delivery of an event or, after a late one, of its repetition. That follows the late event in the
        /// same lane, since the purchase may have another owner by now.
        package init(_ event: Event, variant: Int, after late: Event? = nil) {
            (self.event, self.variant) = (event, variant)
            (lane, isRepeat) = (late?.lane ?? event.lane, late != nil)
        }
    }
}

extension DeliveryPlan {
    /// Sorts the events after the cursor of an endpoint, which moves to ``last``.
    ///
    /// - Parameters:
    ///   - candidates: The next events in the order of their row identifiers, at most `limit`.
    ///   - begin: The instant from which on events are for the endpoint.
    ///   - limit: The approximate maximum number of deliveries.
    ///   - holds: Whether an event must wait, and all later ones with it.
    ///   - newer: Returns the newer events about the purchase of a late one.
    ///   - isWaiting: Whether an event has a stored delivery that was never due, so that it follows the older events
    ///     without a repetition.
    package static func fanOut(
        _ candidates: [Event], to target: FanOutTarget, from begin: Milliseconds, limit: Int,
        holds: (Event) throws -> Bool, newer: (Event) throws -> [Event], isWaiting: (Event) throws -> Bool
    ) rethrows -> (plan: Self, progress: FanOutProgress) {
        var plan = Self(target, from: begin)
        for candidate in candidates {
            if try holds(candidate) { return (plan, .held) }
            plan.last = candidate.number
            if candidate.happenedAt >= begin, plan.add(candidate), candidate.isLate {
                // Later events of the ledger follow without a repetition.
                let published = try newer(candidate).filter { $0.number < candidate.number }
                try plan.repeatEvents(published, after: candidate, isWaiting: isWaiting)
            }
            if plan.deliveries.count >= limit { return (plan, .more) }
        }
        return (plan, candidates.count == limit ? .more : .done)
    }

    /// Sends events again. They are followed by newer events about the same purchases that were published and are not
    /// part of the range, so that the receiver ends with the present state.
    ///
    /// - Parameters:
    ///   - candidates: Events of the range that the target accepts, in the order of their row identifiers.
    ///   - maximum: How many deliveries end the replay. Repetitions do not count.
    ///   - cursor: The last event that was published to the endpoint.
    package static func replay(
        _ candidates: [Event], of range: ReplayRange, making maximum: Int, to target: FanOutTarget,
        from begin: Milliseconds, through cursor: Int64, newer: (Event) throws -> [Event],
        isWaiting: (Event) throws -> Bool
    ) rethrows -> Self {
        var plan = Self(target, from: begin)
        for candidate in candidates {
            plan.add(candidate)
            plan.last = candidate.number
            let published = try newer(candidate).filter { $0.number <= cursor && !range.contains($0) }
            try plan.repeatEvents(published, after: candidate, isWaiting: isWaiting)
            if plan.made >= maximum { break }
        }
        return plan
    }

    /// Returns a replay without repetitions, to count its deliveries.
    package static func count(
        _ candidates: [Event], of range: ReplayRange, making maximum: Int, to target: FanOutTarget
    ) -> Self {
        replay(
            candidates, of: range, making: maximum, to: target, from: .min, through: .max, newer: { _ in [] },
            isWaiting: { _ in false })
    }

    /// Adds the deliveries of an event, or of its repetition after a late one; returns whether there are any.
    @discardableResult
    private mutating func add(_ event: Event, after late: Event? = nil) -> Bool {
        let variants = max(0, target.deliveries(event.type, event.scope))
        for variant in 0..<variants { deliveries.append(Delivery(event, variant: variant, after: late)) }
        if variants > 0 { events.insert(event.number) }
        if late == nil { made += variants }
        return variants > 0
    }

    private mutating func repeatEvents(
        _ published: [Event], after late: Event, isWaiting: (Event) throws -> Bool
    ) rethrows {
        for event in published where event.happenedAt >= begin {
            guard !events.contains(event.number), try !isWaiting(event) else { continue }
            add(event, after: late)
        }
    }
}

extension ReplayRange {
    /// Whether a range has an event.
    package func contains(_ event: some DeliverableEvent) -> Bool {
        event.number > after && event.number <= through && from <= event.createdAt
            && (event.createdAt < to || to == .max)
    }

    /// Whether an event is sent again to a target.
    package func contains(_ event: some DeliverableEvent, for target: FanOutTarget) -> Bool {
        contains(event) && target.deliveries(event.type, event.scope) > 0
    }
}
