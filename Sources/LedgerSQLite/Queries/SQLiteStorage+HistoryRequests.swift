package import Ledger
internal import GRDB

/// The queue of history requests. `failed_at` is null while a request is in the queue; then `failure` is the error of
/// the last attempt.
enum HistoryRequestTable {
    static let schema = [
        """
        CREATE TABLE errands (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, transaction_id TEXT NOT NULL, reason TEXT NOT NULL,
            added_at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, next_attempt_at INTEGER NOT NULL,
            failed_at INTEGER, failure TEXT, UNIQUE (scope, transaction_id))
        """,
        "CREATE INDEX errands_by_time ON errands (next_attempt_at) WHERE failed_at IS NULL",
    ]

    /// An index for reading the requests of one scope.
    static let byScope = [
        "DROP INDEX errands_by_time",
        "CREATE INDEX errands_by_scope ON errands (scope, next_attempt_at) WHERE failed_at IS NULL",
    ]

    /// The requests in the queue, due or not.
    private static let waiting = "errands INDEXED BY errands_by_scope WHERE failed_at IS NULL"

    static let columns =
        "id, scope, transaction_id, reason, added_at, attempts, next_attempt_at, failure, failed_at"

    static func request(_ row: SQLStatement) -> HistoryRequest {
        HistoryRequest(
            id: row.number(0) ?? 0, scope: row.number(1) ?? 0, transactionID: row.text(2) ?? "",
            reason: row.text(3).flatMap(HistoryRequest.Reason.init) ?? .restore, addedAt: row.number(4) ?? 0,
            attempts: Int(row.number(5) ?? 0), nextAttemptAt: row.number(6) ?? 0, failure: row.text(7),
            isGivenUp: row.number(8) != nil)
    }

    /// Returns the due requests of a scope, the longest waiting first.
    static func due(in scope: Int64, at now: Milliseconds, limit: Int, _ db: Database) throws -> [HistoryRequest] {
        var due: [HistoryRequest] = []
        for times in LongestDelay.historyRequest.dueTimes(at: now) where due.count < limit {
            due += try db.all(
                """
                SELECT \(columns) FROM \(waiting) AND scope = ? AND next_attempt_at BETWEEN ? AND ?
                ORDER BY next_attempt_at LIMIT ?
                """,
                [.integer(scope), .integer(times.lowerBound), .integer(times.upperBound), .init(limit - due.count)]
            ) { request($0) }
        }
        return due
    }

    /// A random row identifier that no other request has or had: a request may be finished a second time by another
    /// process that took it too.
    static let newID = "random() & 0x7FFFFFFFFFFFFFFF"

    /// A request that is added again while it is being sent gets a new row identifier, so that finishing the old one
    /// leaves it in the queue.
    static func add(
        _ transactionIDs: [String], in scope: Int64, because reason: HistoryRequest.Reason, at now: Milliseconds,
        _ db: Database
    ) throws {
        let unsigned = HistoryRequest.Reason.unsignedNotificationV1.rawValue
        for id in transactionIDs {
            try db.run(
                """
                INSERT INTO errands (id, scope, transaction_id, reason, added_at, next_attempt_at)
                VALUES (\(newID), ?, ?, ?, ?, ?)
                ON CONFLICT (scope, transaction_id) DO UPDATE SET id = excluded.id, failed_at = NULL,
                    reason = iif(reason = '\(unsigned)', excluded.reason, reason),
                    failure = iif(failed_at IS NULL, failure, NULL), attempts = iif(failed_at IS NULL, attempts, 0),
                    next_attempt_at = iif(failed_at IS NULL, next_attempt_at, excluded.next_attempt_at)
                """, [.integer(scope), .text(id), .text(reason.rawValue), .integer(now), .integer(now)])
        }
    }
}

extension SQLiteStorage: HistoryRequestStorage {
    package func add(
        requests transactionIDs: [String], in scope: Int64, because reason: HistoryRequest.Reason, at now: Milliseconds
    ) async throws {
        guard !transactionIDs.isEmpty else { return }
        try await write { try HistoryRequestTable.add(transactionIDs, in: scope, because: reason, at: now, $0) }
    }

    package func dueHistoryRequests(
        in scope: Int64, at now: Milliseconds, limit: Int
    ) async throws -> [HistoryRequest] {
        try await read { try HistoryRequestTable.due(in: scope, at: now, limit: limit, $0) }
    }

    package func finish(request id: Int64) async throws {
        try await write("DELETE FROM errands WHERE id = ?", [.integer(id)])
    }

    package func postpone(_ request: HistoryRequest, until next: Milliseconds, code: String) async throws {
        // An existing request keeps its row identifier: the process that took it finishes it.
        try await write(
            """
            INSERT INTO errands (id, scope, transaction_id, reason, added_at, attempts, next_attempt_at, failure)
            VALUES (\(HistoryRequestTable.newID), ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (scope, transaction_id) DO UPDATE SET attempts = attempts + 1,
                next_attempt_at = excluded.next_attempt_at, failure = excluded.failure
            """,
            [
                .integer(request.scope), .text(request.transactionID), .text(request.reason.rawValue),
                .integer(request.addedAt), .init(request.attempts + 1), .integer(next), .text(code),
            ])
    }

    package func scheduleRetry(
        of transactionID: String, in scope: Int64, code: String, until next: Milliseconds, at now: Milliseconds
    ) async throws {
        try await write(
            """
            INSERT INTO errands (id, scope, transaction_id, reason, added_at, attempts, next_attempt_at, failure)
            VALUES (\(HistoryRequestTable.newID), ?, ?, ?, ?, 1, ?, ?)
            ON CONFLICT (scope, transaction_id) DO UPDATE SET failed_at = NULL, attempts = 1,
                next_attempt_at = excluded.next_attempt_at, failure = excluded.failure
                WHERE failed_at IS NOT NULL
            """,
            [
                .integer(scope), .text(transactionID), .text(HistoryRequest.Reason.retry.rawValue), .integer(now),
                .integer(next), .text(code),
            ])
    }

    package func fail(request id: Int64, code: String, at now: Milliseconds) async throws {
        try await write(
            "UPDATE errands SET failed_at = ?, failure = ? WHERE id = ?",
            [.integer(now), .text(code), .integer(id)])
    }
}
