internal import GRDB
package import Ledger

extension SQLiteStorage {
    package func missingCounts(in scopes: [Int64]) async throws -> [Int64: MissingCounts] {
        guard !scopes.isEmpty else { return [:] }
        let placeholders = repeatElement("(?)", count: scopes.count).joined(separator: ", ")
        return try await read { db in
            try db.dictionary(
                """
                WITH wanted (place) AS (VALUES \(placeholders)) SELECT
                    (SELECT count(*) FROM recoveries JOIN recovery_windows ON recovery = recoveries.id
                        WHERE \(RecoveryTables.isOpen) AND scope = place AND is_done = 0),
                    (SELECT count(*) FROM recovery_failures WHERE scope = place),
                    (SELECT count(*) FROM \(Self.withNotification("failures")) WHERE scope = place),
                    (SELECT count(*) FROM \(Self.withNotification("inbox")) WHERE scope = place),
                    (SELECT count(*) FROM unverified_spans WHERE scope = place),
                    (SELECT count(*) FROM errands WHERE scope = place AND failed_at IS NULL),
                    (SELECT count(*) FROM errands
                        WHERE scope = place AND failed_at IS NULL AND failure IS NOT NULL),
                    (SELECT count(*) FROM errands WHERE scope = place AND failed_at IS NOT NULL),
                    (SELECT count(*) FROM sweeps
                        WHERE scope = place AND everyone_since IS NOT NULL AND finished_at IS NULL),
                    place
                FROM wanted
                """, scopes.map { .integer($0) }
            ) { ($0.number(9) ?? 0, Self.missing($0)) }
        }
    }

    private static func missing(_ row: SQLStatement) -> MissingCounts {
        var missing = MissingCounts()
        missing.openWindows = row.count(0)
        missing.unverified = row.count(1)
        missing.failedNotifications = row.count(2)
        missing.backlog = row.count(3)
        missing.unverifiedSpans = row.count(4)
        missing.historyRequests = row.count(5)
        missing.retryingHistoryRequests = row.count(6)
        missing.failedHistoryRequests = row.count(7)
        missing.isFillingGap = row.count(8) > 0
        return missing
    }

    package func hasPendingNotifications(
        in scope: Int64, since span: ClosedRange<Milliseconds>
    ) async throws -> Bool {
        try await read { db in
            try db.exists(
                """
                SELECT 1 FROM \(Self.withNotification("inbox"))
                WHERE n.scope = ? AND waiting.received_at BETWEEN ? AND ? LIMIT 1
                """, [.integer(scope), .integer(span.lowerBound), .integer(span.upperBound)])
        }
    }

    package func missingItems(in scope: Int64) async throws -> MissingItems {
        try await read { db in
            var missing = MissingItems()
            missing.unverifiedItems = try db.all(
                """
                SELECT claimed_uuid, history, code, message, noticed_at FROM recovery_failures
                WHERE scope = ? ORDER BY id DESC LIMIT ?
                """, [.integer(scope), .init(MissingItems.maximumCount)]
            ) { row in
                StoredUnverifiedItem(
                    claimedUUID: row.value(0) == .null ? nil : StoredUUID.text(row.value(0)), history: row.text(1),
                    code: row.text(2) ?? "", message: row.text(3) ?? "", noticedAt: row.number(4) ?? 0)
            }
            missing.unverifiedSpans = Array(
                try UnverifiedSpanTable.spans(in: scope, db).spans.prefix(MissingItems.maximumCount))
            missing.historyRequests = try db.all(
                """
                SELECT \(HistoryRequestTable.columns) FROM errands WHERE scope = ? AND failure IS NOT NULL
                ORDER BY failed_at IS NOT NULL, added_at DESC, transaction_id LIMIT ?
                """, [.integer(scope), .init(MissingItems.maximumCount)]
            ) { HistoryRequestTable.request($0) }
            return missing
        }
    }
}
