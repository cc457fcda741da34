internal import GRDB
package import Ledger

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
            reason: row.text(3).flatMap(HistoryRequest.Reason.init) ?? .restore, addedAt: row.instant(4) ?? 0,
            attempts: row.count(5), nextAttemptAt: row.number(6) ?? 0, failure: row.text(7),
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
    static var newID: Int64 { .random(in: 0...Int64.max) }

    /// Returns the request about a transaction, in the queue or not.
    static func request(
        about transactionID: String, in scope: Int64, _ db: Database
    ) throws -> HistoryRequest? {
        try db.first(
            "SELECT \(columns) FROM errands WHERE scope = ? AND transaction_id = ?",
            [.integer(scope), .text(transactionID)]
        ) { request($0) }
    }

    /// Stores a request in place of the one about the same transaction.
    static func store(_ request: HistoryRequest, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO errands (id, scope, transaction_id, reason, added_at, attempts, next_attempt_at, failure)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (scope, transaction_id) DO UPDATE SET id = excluded.id, reason = excluded.reason,
                attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at,
                failure = excluded.failure, failed_at = iif(?9, failed_at, NULL)
            """,
            [
                .integer(request.id), .integer(request.scope), .text(request.transactionID),
                .text(request.reason.rawValue), .integer(request.addedAt), .init(request.attempts),
                .integer(request.nextAttemptAt), .init(request.failure), .init(request.isGivenUp),
            ])
    }
}

extension SQLiteStorage: HistoryRequestStorage {
    package func add(
        requests transactionIDs: [String], in scope: Int64, because reason: HistoryRequest.Reason, at now: Milliseconds
    ) async throws {
        guard !transactionIDs.isEmpty else { return }
        try await write { db in
            for id in transactionIDs {
                let known = try HistoryRequestTable.request(about: id, in: scope, db)
                let request = HistoryRequest.adding(
                    id, in: scope, because: reason, to: known, id: HistoryRequestTable.newID, at: now)
                try HistoryRequestTable.store(request, db)
            }
        }
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
        try await write { db in
            let known = try HistoryRequestTable.request(about: request.transactionID, in: request.scope, db)
            let id = HistoryRequestTable.newID
            try HistoryRequestTable.store(request.postponed(as: known, id: id, until: next, code: code), db)
        }
    }

    package func scheduleRetry(
        of transactionID: String, in scope: Int64, code: String, until next: Milliseconds, at now: Milliseconds
    ) async throws {
        try await write { db in
            let known = try HistoryRequestTable.request(about: transactionID, in: scope, db)
            let request = HistoryRequest.retrying(
                transactionID, in: scope, known: known, id: HistoryRequestTable.newID, code: code, until: next, at: now)
            if let request { try HistoryRequestTable.store(request, db) }
        }
    }

    package func fail(request id: Int64, code: String, at now: Milliseconds) async throws {
        try await write(
            "UPDATE errands SET failed_at = ?, failure = ? WHERE id = ?",
            [.integer(now), .text(code), .integer(id)])
    }
}
