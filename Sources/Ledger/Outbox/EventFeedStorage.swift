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
