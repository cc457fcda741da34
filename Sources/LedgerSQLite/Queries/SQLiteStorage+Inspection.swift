internal import Foundation
internal import GRDB
package import Ledger

extension SQLiteStorage: InspectionStorage {
    /// The number of rows that are read for a page of notifications.
    private static let inboxWindow: Int64 = 20_000
    /// The number of notifications that are added to the inbox in one transaction.
    private static let reprocessing = 200

    /// Returns the lower end of the row identifiers that a page of a small table reads.
    private static func inboxWindow(of table: String, before id: Int64, _ db: Database) throws -> Int64 {
        try db.number(
            "SELECT id FROM \(table) WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ?",
            [.integer(id), .integer(inboxWindow - 1)]) ?? .min
    }

    /// Returns the upper end (excluded) of the row identifiers that a page of all notifications reads.
    private static func end(before id: Int64, _ db: Database) throws -> Int64 {
        let newest = try db.number("SELECT max(id) FROM notifications", []) ?? 0
        return min(id, newest &+ 1)
    }

    package func timeline(
        of customer: String, in scope: Int64, after position: TimelinePosition, limit: Int
    ) async throws -> [TimelineItem] {
        try await read { db in
            var entries: [Entry] = []
            let owned = try Self.purchases(ownedBy: customer, in: scope, db)
            for (record, ownership) in owned { entries += Self.entries(of: record, ownership, customer) }
            entries += try self.otherEntries(of: customer, owning: owned, in: scope, db)
            let chosen = entries.filter { $0.position < position }.sorted { $0.position > $1.position }.prefix(limit)
            let storedNotifications = try self.notifications(
                numbered: chosen.filter { $0.kind == nil }.map(\.position.number), db)
            let known = Dictionary(storedNotifications.map { ($0.id, $0) }) { first, _ in first }
            return chosen.compactMap { entry in
                (entry.kind ?? known[entry.position.number].map { .notification($0) }).map {
                    TimelineItem(position: entry.position, originalTransactionID: entry.original, kind: $0)
                }
            }
        }
    }

    package func isNotification(
        _ id: Int64, inTimelineOf customer: String, in scope: Int64
    ) async throws -> Bool {
        try await read { db in
            let isAboutPurchase = try Self.purchases(ownedBy: customer, in: scope, db).contains { owned in
                owned.record.mentions(for: customer, owned.ownership).contains { $0.notification == id }
            }
            if isAboutPurchase { return true }
            return try !AccountNotificationTable.entries(of: id, in: scope, db)
                .belonging(to: customer, in: scope, db).isEmpty
        }
    }

    package func notifications(
        _ filter: InboxFilter, before id: Int64, limit: Int
    ) async throws -> InboxPage {
        try await read { db in
            if let original = filter.originalTransactionID {
                return try self.notifications(about: original, filter, before: id, limit: limit, db)
            }
            // Nearly all pages are full, so the end of the whole table is read with them.
            let isOfAll = filter.table == InboxFilter.all
            var after: Int64? = try isOfAll ? nil : Self.inboxWindow(of: filter.table, before: id, db)
            let (sql, values) = filter.query(before: id, after: after, window: Self.inboxWindow)
            let ids = try db.all(sql, values + [.init(limit + 1)], isCached: false) { $0.number(0) }
            let shown = ids.prefix(limit).map { InboxText(code: $0) }
            let items =
                try self.notifications(numbered: shown.compactMap(\.notification), db)
                + self.otherTexts(numbered: shown.compactMap(\.otherText), db)
            if ids.count > limit { return InboxPage(items: items, next: items.last?.id) }
            if isOfAll { after = try max(0, Self.end(before: id, db)) - Self.inboxWindow }
            let rest = try db.number("SELECT max(id) FROM \(filter.table) WHERE id < ?", [.init(after)])
            return InboxPage(items: items, next: rest.map { $0 + 1 })
        }
    }

    package func events(ofNotifications ids: [Int64]) async throws -> [Int64: LedgerEvent] {
        guard !ids.isEmpty else { return [:] }
        return try await read { db in
            try db.dictionary(
                "SELECT \(OutboxTable.columns) FROM events WHERE notification IN (\(ids.sqlList))", [], isCached: false
            ) { row in (row.number(5) ?? 0, OutboxTable.event(row)) }
        }
    }

    package func notification(_ uuid: String) async throws -> StoredNotification? {
        try await read { db in
            try self.notifications(db, sql: "WHERE notifications.uuid = ?", [StoredUUID.value(uuid)]).first
        }
    }

    package func failedNotifications(code: String, in scopes: [Int64], limit: Int) async throws -> [Int64] {
        try await read { db in
            // Failures are few compared to notifications.
            try db.all(
                """
                SELECT waiting.id FROM \(Self.withNotification("failures"))
                WHERE code = ? AND scope IN (\(scopes.sqlList)) ORDER BY waiting.id LIMIT ?
                """, [.text(code), .init(limit)], isCached: false
            ) { $0.number(0) }
        }
    }

    package func reprocess(_ notifications: [Int64], at now: Milliseconds) async throws {
        // In batches: a notification that arrives meanwhile waits for one batch at most.
        for batch in notifications.batches(of: Self.reprocessing) {
            try await writeBatch { db in
                for notification in batch {
                    let text = InboxText(code: notification)
                    let isKnown = try db.exists("SELECT 1 FROM \(text.table) WHERE id = ?", [.integer(text.row)])
                    guard isKnown else { continue }
                    try db.run("DELETE FROM failures WHERE id = ?", [.integer(notification)])
                    try Self.enqueue(notification, now, db)
                }
            }
        }
    }

    // MARK: Timelines

    struct Entry {
        var position: TimelinePosition
        var original: String
        /// Nil for the notification with the number of ``position``.
        var kind: TimelineItem.Kind?

        init(_ item: TimelineItem) {
            (position, original, kind) = (item.position, item.originalTransactionID, item.kind)
        }

        /// Creates the entry of a notification.
        ///
        /// - Parameter original: The purchase that it is about; empty if it is about an Apple account.
        init(_ mention: LineageRecord.Mention, about original: String = "") {
            (position, self.original) = (TimelinePosition(mention), original)
        }
    }

    /// Returns notifications by row identifier, the highest first.
    func notifications(numbered ids: some Sequence<Int64>, _ db: Database) throws -> [StoredNotification] {
        let numbers = ids.sqlList
        guard !numbers.isEmpty else { return [] }
        return try notifications(
            db, sql: "WHERE notifications.id IN (\(numbers)) ORDER BY notifications.id DESC", [], isCached: false)
    }

    /// Returns the notifications about a purchase while the customer owned it, and its changes of ownership.
    private static func entries(
        of record: LineageRecord, _ ownership: Ownership, _ customer: String
    ) -> [Entry] {
        let original = record.lineage.originalTransactionID
        let notifications = record.mentions(for: customer, ownership).map { Entry($0, about: original) }
        let changes = ownership.changes(for: customer).map { Entry(TimelineItem($0, of: original)) }
        return notifications + changes
    }
}

extension InboxFilter {
    /// The table to read: pending and failed notifications have tables of their own, which are small.
    var table: String {
        switch state {
        case .pending: "inbox"
        case .failed: "failures"
        default: Self.all
        }
    }

    fileprivate static let all = "notifications"

    /// Returns a query for the matching row identifiers from `after` to before `id`, the highest first. The last
    /// parameter is the limit.
    ///
    /// - Parameter after: Nil to read as many as `window` at the end of all notifications. Row identifiers have hardly
    ///   any gaps, so the range contains at most this many notifications.
    func query(before id: Int64, after: Int64?, window: Int64) -> (String, [SQLValue]) {
        let lowest = after == nil ? "min(?, (SELECT max(id) FROM notifications) + 1) - \(window)" : "?"
        var values: [SQLValue] = [.integer(id), .integer(after ?? id)]
        var conditions: [String] = []
        func require(_ condition: String, _ value: SQLValue) {
            conditions.append(condition)
            values.append(value)
        }
        let isOfAll = table == Self.all
        let (number, received) =
            isOfAll
            ? ("n.id", "n.received_at") : ("waiting.id", "coalesce(other_texts.received_at, n.received_at)")
        conditions.append("n.scope IN (\(scopes.sqlList))")
        if let type { require("n.type = ?", .text(type)) }
        if let subtype { require("n.subtype = ?", .text(subtype)) }
        if let from { require("\(received) >= ?", .integer(from)) }
        if let to { require("\(received) < ?", .integer(to)) }
        if state == .processed {
            conditions.append("n.id NOT IN (SELECT id FROM inbox) AND n.id NOT IN (SELECT id FROM failures)")
        }
        let sql = """
            SELECT \(number) FROM \(isOfAll ? "notifications AS n" : SQLiteStorage.withNotification(table))
            WHERE \(number) < ? AND \(number) >= \(lowest) AND \(conditions.joined(separator: " AND "))
            ORDER BY \(number) DESC LIMIT ?
            """
        return (sql, values)
    }
}
