/// An event in the feed.
package struct FeedItem: Sendable {
    /// The row identifier of the event.
    package var number: Int64
    package var event: LedgerEvent
    package var notification: StoredNotification?
    /// The late event that causes the repetition of this one; nil if the item is not a repetition.
    package var late: Int64?

    package init(number: Int64, event: LedgerEvent, notification: StoredNotification? = nil, late: Int64? = nil) {
        self.number = number
        self.event = event
        self.notification = notification
        self.late = late
    }
}

/// A page of the feed.
package struct FeedPage: Sendable {
    package var items: [FeedItem] = []
    /// The cursor of the next page.
    package var cursor: Int64
    /// Whether more events are available now.
    package var hasMore = false

    package init(cursor: Int64, hasMore: Bool = false) {
        self.cursor = cursor
        self.hasMore = hasMore
    }
}

/// A query for events.
package struct FeedQuery: Sendable {
    /// Only events after this one.
    package var after: Int64
    package var scopes: Set<Int64>
    package var limit: Int

    package init(after: Int64, scopes: Set<Int64>, limit: Int) {
        (self.after, self.scopes, self.limit) = (after, scopes, limit)
    }
}

/// The properties of an event that decide its place in the feed.
package protocol FeedEvent: ResendableEvent {
    /// The row identifier.
    var number: Int64 { get }
    var scope: Int64 { get }
    /// When it happened.
    var happenedAt: Milliseconds { get }
    /// Whether a newer event of the same purchase was known before.
    var isLate: Bool { get }
}

extension FeedQuery {
    /// Returns the events of a page in chronological order, each late one followed by the newer events about its
    /// purchase that were on earlier pages, with the row identifier of the late one. Test events are for their endpoint
    /// only.
    ///
    /// - Parameters:
    ///   - candidates: The events after the cursor, in the order of their row identifiers.
    ///   - holds: Whether an event must wait, and all later ones with it.
    ///   - newer: Returns the newer events about the purchase of a late one.
    /// - Returns: The events, the cursor of the next page, and whether an event waits.
    package func page<Event: FeedEvent>(
        of candidates: some Sequence<Event>, holds: (Event) throws -> Bool, newer: (Event) throws -> [Event]
    ) rethrows -> (events: [(event: Event, late: Int64?)], cursor: Int64, isHeld: Bool) {
        var (chosen, cursor, isHeld) = ([Event](), after, false)
        for candidate in candidates where chosen.count < limit {
            isHeld = try holds(candidate)
            if isHeld { break }
            cursor = candidate.number
            if scopes.contains(candidate.scope), candidate.type != .webhookTest { chosen.append(candidate) }
        }
        var events: [(event: Event, late: Int64?)] = []
        for event in chosen.sorted(by: { ($0.happenedAt, $0.number) < ($1.happenedAt, $1.number) }) {
            events.append((event, nil))
            guard event.isLate else { continue }
            // Newer events on this page follow without a repetition.
            for repeated in try newer(event) where repeated.number <= after { events.append((repeated, event.number)) }
        }
        return (events, cursor, isHeld)
    }
}

/// Reads the events of webhooks for clients that poll them.
///
/// Row identifiers of events are positive and ascend in the order in which the events become visible, also if several
/// writers commit at once: no event appears before one that could be read already. They may have gaps.
package protocol EventFeedStorage: Sendable {
    /// Returns the status that decides whether events can be published in order yet.
    func status() async throws -> FanOutStatus

    /// Returns a page of events. The events of a page are in chronological order. A late event is followed by the newer
    /// events about its purchase that were on earlier pages, as with webhooks.
    func events(_ query: FeedQuery, within gate: FanOutLimit) async throws -> FeedPage

    /// Returns the row identifier of the last event; 0 without any.
    func lastEvent() async throws -> Int64

    /// Returns the latest events of a scope that name a customer, the newest first.
    ///
    /// - Parameter depth: How many of the latest events of all scopes are examined.
    func lastEventsOfCustomers(in scope: Int64, limit: Int, amongLast depth: Int64) async throws -> [LedgerEvent]
}
