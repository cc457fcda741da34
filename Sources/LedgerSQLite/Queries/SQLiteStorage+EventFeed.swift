package import Ledger
internal import GRDB

extension SQLiteStorage: EventFeedStorage {
    /// The number of events that are read for a page. Many may be of other apps.
    private static let window = 2000

    package func status() async throws -> FanOutStatus { try await read { try Self.status($0) } }

    package func lastEvent() async throws -> Int64 {
        try await read { try $0.number("SELECT coalesce(max(seq), 0) FROM events", []) ?? 0 }
    }

    package func lastEventsOfCustomers(
        in scope: Int64, limit: Int, amongLast depth: Int64
    ) async throws -> [LedgerEvent] {
        try await read { db in
            // Row identifiers have hardly any gaps.
            let last = try db.number("SELECT max(seq) FROM events", []) ?? 0
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
            let (candidates, cursor, hasMore) = try Self.candidates(query, gate, db)
            var page = FeedPage(cursor: cursor, hasMore: hasMore)
            let storedEvents = try self.events(numbered: Set(candidates.map(\.0.number)), db)
            for (candidate, late) in candidates {
                guard let (event, notification) = storedEvents[candidate.number] else { continue }
                page.items.append(
                    FeedItem(number: candidate.number, event: event, notification: notification, late: late))
            }
            return page
        }
    }

    /// Returns the events of a page in their order; a repeated event comes with the row identifier of the late event.
    private static func candidates(
        _ query: FeedQuery, _ gate: FanOutLimit, _ db: Database
    ) throws -> (events: [(WebhookTables.Candidate, Int64?)], cursor: Int64, hasMore: Bool) {
        let found = try db.all(
            "SELECT \(WebhookTables.Candidate.reading) WHERE seq > ? ORDER BY seq LIMIT ?",
            [.integer(query.after), .init(window)]
        ) { WebhookTables.Candidate($0) }
        var chosen: [WebhookTables.Candidate] = []
        var cursor = query.after
        var isHeld = false
        for candidate in found where chosen.count < query.limit {
            isHeld = try holds(candidate, gate, db)
            if isHeld { break }
            cursor = candidate.number
            // Test events are for their endpoint only.
            if query.scopes.contains(candidate.scope), candidate.type != .webhookTest { chosen.append(candidate) }
        }
        var events: [(WebhookTables.Candidate, Int64?)] = []
        for candidate in chosen.sorted(by: { ($0.happenedAt, $0.number) < ($1.happenedAt, $1.number) }) {
            events.append((candidate, nil))
            guard candidate.isLate else { continue }
            // Newer events on this page follow without a repetition.
            for newer in try DeliveryLanes.newer(than: candidate, db) where newer.number <= query.after {
                events.append((newer, candidate.number))
            }
        }
        let isMoreKnown = found.count == window || found.last.map { $0.number > cursor } ?? false
        return (events, cursor, isMoreKnown && !isHeld)
    }
}
