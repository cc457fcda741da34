internal import GRDB
package import Ledger

extension SQLiteStorage: EventFeedStorage {
    /// The number of events that are read for a page. Many may be of other apps.
    private static let window = 2000

    package func status() async throws -> FanOutStatus { try await read { try Self.status($0) } }

    package func lastEvent() async throws -> Int64 { try await read { try Self.lastEvent($0) } }

    /// The identifier of the last event; 0 without any, also if a damaged ledger has only negative ones.
    private static func lastEvent(_ db: Database) throws -> Int64 {
        try max(0, db.number("SELECT max(seq) FROM events", []) ?? 0)
    }

    package func lastEventsOfCustomers(
        in scope: Int64, limit: Int, amongLast depth: Int64
    ) async throws -> [LedgerEvent] {
        try await read { db in
            // Row identifiers have hardly any gaps.
            let last = try Self.lastEvent(db)
            return try db.all(
                """
                SELECT \(OutboxTable.columns) FROM events
                WHERE seq > ? AND scope = ? AND customer IS NOT NULL ORDER BY seq DESC LIMIT ?
                """, [.integer(last - depth), .integer(scope), .init(limit)]
            ) { OutboxTable.event($0) }
        }
    }

    package func events(_ query: FeedQuery, within gate: FanOutLimit) async throws -> FeedPage {
        try await read { db in
            let found = try db.all(
                "SELECT \(WebhookTables.Candidate.reading) WHERE seq > ? ORDER BY seq LIMIT ?",
                [.integer(query.after), .init(Self.window)]
            ) { WebhookTables.Candidate($0) }
            let (events, cursor, isHeld) = try query.page(
                of: found, holds: { try Self.holds($0, gate, db) }, newer: { try DeliveryLanes.newer(than: $0, db) })
            let isMoreKnown = found.count == Self.window || found.last.map { $0.number > cursor } ?? false
            var page = FeedPage(cursor: cursor, hasMore: isMoreKnown && !isHeld)
            let storedEvents = try self.events(numbered: Set(events.map(\.event.number)), db)
            for (candidate, late) in events {
                guard let (event, notification) = storedEvents[candidate.number] else { continue }
                page.items.append(
                    FeedItem(number: candidate.number, event: event, notification: notification, late: late))
            }
            return page
        }
    }
}
