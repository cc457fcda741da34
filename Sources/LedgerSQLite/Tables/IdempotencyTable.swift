package import Foundation
internal import GRDB
package import Ledger

/// The table of requests with an idempotency key, stored for a day.
enum IdempotencyTable {
    static let schema = [
        """
        CREATE TABLE requests (
            client TEXT NOT NULL, key TEXT NOT NULL, customer TEXT, fingerprint BLOB NOT NULL, started_at INTEGER NOT NULL,
            status INTEGER, type TEXT, body BLOB, PRIMARY KEY (client, key)) WITHOUT ROWID
        """,
        "CREATE INDEX requests_by_time ON requests (started_at)",
    ]

    /// Adds the column for the header `Location` of a response.
    static let locations = ["ALTER TABLE requests ADD COLUMN location TEXT"]

    /// Adds an index for erasures. Notifications wait for their transaction, and a day's responses may have gigabytes.
    static let byCustomer = [
        "CREATE INDEX requests_by_customer ON requests (customer) WHERE customer IS NOT NULL"
    ]

    /// Selects the requests that began before an instant.
    private static let begun =
        "SELECT client, key FROM requests INDEXED BY requests_by_time WHERE started_at < ? LIMIT ?"

    /// Returns the values of ``begun`` for expired requests.
    private static func expired(at now: Milliseconds, limit: Int) -> [SQLValue] {
        [.integer(now - IdempotencyDecision.retention), .init(limit)]
    }

    /// Whether a request began more than ``IdempotencyDecision/retention`` ago.
    static func hasExpired(at now: Milliseconds, _ db: Database) throws -> Bool {
        try db.exists(begun, expired(at: now, limit: 1))
    }

    /// Deletes some requests that began more than ``IdempotencyDecision/retention`` ago; returns their number.
    static func removeExpired(at now: Milliseconds, limit: Int, _ db: Database) throws -> Int {
        try db.run("DELETE FROM requests WHERE (client, key) IN (\(begun))", expired(at: now, limit: limit))
        return db.changesCount
    }

    /// Deletes the requests about an erased customer.
    static func deleteRequests(about customer: String, in scope: Int64, _ db: Database) throws {
        let audience = try db.first(
            "SELECT bundle_id, environment FROM scopes WHERE id = ?", [.integer(scope)]
        ) { (bundleID: $0.text(0) ?? "", environment: $0.text(1) ?? "") }
        guard let audience else { return }
        let removed = try db.all(
            """
            SELECT client, key, status, type, body, location FROM requests INDEXED BY requests_by_customer
            WHERE customer = ? AND customer IS NOT NULL
            """, [.text(customer)]
        ) { row -> [SQLValue]? in
            let isRemoved = Erasure.removes(response(row), about: audience.bundleID, in: audience.environment)
            return isRemoved ? [row.value(0), row.value(1)] : nil
        }
        for key in removed { try db.run("DELETE FROM requests WHERE client = ? AND key = ?", key) }
    }

    /// Returns the response in the columns `status`, `type`, `body` and `location`, which start at index 2.
    fileprivate static func response(_ row: SQLStatement) -> IdempotentRequest.StoredResponse? {
        row.number(2).map {
            .init(status: Int($0), type: row.text(3), location: row.text(5), body: row.blob(4) ?? Data())
        }
    }
}

extension SQLiteStorage: IdempotencyStorage {
    package func beginRequest(
        _ key: String, of client: String, about customer: String?, fingerprint: Data, at now: Milliseconds,
        lockTimeout: Milliseconds
    ) async throws -> IdempotencyDecision {
        try await write { db in
            let known = try db.first(
                """
                SELECT fingerprint, started_at, status, type, body, location FROM requests
                WHERE client = ? AND key = ?
                """, [.text(client), .text(key)]
            ) { row in
                IdempotentRequest(
                    fingerprint: row.blob(0) ?? Data(), startedAt: row.instant(1) ?? 0,
                    response: IdempotencyTable.response(row))
            }
            let decision = IdempotencyDecision.of(known, fingerprint: fingerprint, at: now, lockTimeout: lockTimeout)
            if case .repeats(let response) = decision, !(100...599).contains(response.status) {
                throw StorageError(.damaged, "the stored response to the request is damaged")
            }
            guard decision == .proceed else { return decision }
            try db.run(
                """
                INSERT OR REPLACE INTO requests (client, key, customer, fingerprint, started_at)
                VALUES (?, ?, ?, ?, ?)
                """, [.text(client), .text(key), .init(customer), .blob(fingerprint), .integer(now)])
            return decision
        }
    }

    package func endRequest(
        _ key: String, of client: String, begunAt start: Milliseconds, with response: IdempotentRequest.StoredResponse?
    ) async throws {
        try await write { db in
            guard let response else {
                return try db.run(
                    "DELETE FROM requests WHERE client = ? AND key = ? AND started_at = ? AND status IS NULL",
                    [.text(client), .text(key), .integer(start)])
            }
            try db.run(
                """
                UPDATE requests SET status = ?, type = ?, body = ?, location = ?
                WHERE client = ? AND key = ? AND started_at = ?
                """,
                [
                    .init(response.status), .init(response.type), .blob(response.body), .init(response.location),
                    .text(client), .text(key), .integer(start),
                ])
        }
    }
}
