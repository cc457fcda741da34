/// An event of the feed.
package struct FeedItem: Sendable {
    /// The number of the event.
    package var number: Int64
    package var event: LedgerEvent
    package var notification: KeptNotification?
    /// The event that became known late and has this one said again after it; nil where it is said for the first time.
    package var late: Int64?

    package init(number: Int64, event: LedgerEvent, notification: KeptNotification? = nil, late: Int64? = nil) {
        self.number = number
        self.event = event
        self.notification = notification
        self.late = late
    }
}

/// A part of the feed.
package struct FeedPage: Sendable {
    package var items: [FeedItem] = []
    /// Where the feed goes on.
    package var cursor: Int64
    /// Whether there is more at once.
    package var hasMore = false

    package init(cursor: Int64, hasMore: Bool = false) {
        self.cursor = cursor
        self.hasMore = hasMore
    }
}

/// Which events are asked for.
package struct FeedQuery: Sendable {
    /// Those after this one.
    package var after: Int64
    package var scopes: Set<Int64>
    package var limit: Int

    package init(after: Int64, scopes: Set<Int64>, limit: Int) {
        (self.after, self.scopes, self.limit) = (after, scopes, limit)
    }
}

/// Reads the events that webhooks tell, for those who ask for them.
package protocol EventFeedStorage: Sendable {
    /// Whether events can be told in their order yet.
    func status() async throws -> FanOutStatus

    /// Some events. A page is in the order in which things happened, and what became known late is followed by what is newer
    /// about its purchase and was told on an earlier page: the promise of webhooks.
    func events(_ query: FeedQuery, within gate: FanOutLimit) async throws -> FeedPage

    /// The number of the last event; 0 without any.
    func lastEvent() async throws -> Int64

    /// The last events of one app and environment that name a customer, the newest first.
    ///
    /// - Parameter depth: How many of the last events of all are looked at.
    func lastEventsOfCustomers(in scope: Int64, limit: Int, amongLast depth: Int64) async throws -> [LedgerEvent]
}
