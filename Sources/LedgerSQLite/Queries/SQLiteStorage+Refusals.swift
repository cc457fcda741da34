package import Ledger
internal import Foundation
internal import GRDB

extension SQLiteStorage: RefusalStorage {
    package func commit(_ refusals: [Refusal]) async throws {
        try await write { db in
            for refusal in refusals {
                let insert = try db.cachedStatement(
                    sql: "INSERT INTO refused (received_at, code, message, sender, body) VALUES (?, ?, ?, ?, ?)")
                try insert.execute(arguments: [
                    refusal.receivedAt, refusal.code, refusal.message, refusal.sender, refusal.body,
                ])
            }
        }
    }

    package func dropRefusals(beyond limit: RefusalStorageLimit) async throws {
        // Found out while others may write: all of the table is read for it.
        let ids = try await read { db in
            db.add(function: Self.clientOfSender)
            return try Int64.fetchAll(
                db, sql: Self.refusalsBeyond,
                arguments: ["overhead": Refusal.overhead, "count": limit.count, "bytes": limit.bytes])
        }
        for start in stride(from: 0, to: ids.count, by: 500) {
            let some = ids[start..<min(start + 500, ids.count)]
            try await write { db in
                let delete = try db.cachedStatement(sql: "DELETE FROM refused WHERE id = ?")
                for id in some { try delete.execute(arguments: [id]) }
            }
        }
    }

    /// ``RefusalStorageLimit/exceeded(by:)`` in SQL, since there may be too many to read. The contract suite holds the two to
    /// the same answers.
    private static let refusalsBeyond = """
        WITH sized AS (
            SELECT id, client_of_sender(sender) AS client, length(CAST(message AS BLOB)) + length(body) + :overhead AS size
            FROM refused
        ), shares AS (
            SELECT id, size, row_number() OVER client AS place, sum(size) OVER client AS bytes FROM sized
            WINDOW client AS (PARTITION BY client ORDER BY id DESC ROWS UNBOUNDED PRECEDING)
        ), filled AS (
            SELECT id, row_number() OVER (ORDER BY place, id DESC) AS count,
                sum(size) OVER (ORDER BY bytes, id DESC ROWS UNBOUNDED PRECEDING) AS bytes FROM shares
        ) SELECT id FROM filled WHERE count > :count OR bytes > :bytes
        """

    private static let clientOfSender = DatabaseFunction("client_of_sender", argumentCount: 1, pure: true) { values in
        Refusal.client(ofSender: values.first.flatMap { String.fromDatabaseValue($0) })
    }

    package func refusalCounts(
        from start: Milliseconds, to end: Milliseconds, amongLast depth: Int64
    ) async throws -> [String: Int64] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT code, count(*) FROM refused
                    WHERE id > (SELECT max(id) FROM refused) - ? AND received_at >= ? AND received_at < ? GROUP BY code
                    """, arguments: [depth, start, end])
            return Dictionary(rows.map { ($0.text(0) ?? "", $0.number(1) ?? 0) }) { first, _ in first }
        }
    }

    package func refusals(before id: Int64, limit: Int) async throws -> [KeptRefusal] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, received_at, code, message, sender, body FROM refused WHERE id < ?
                    ORDER BY id DESC LIMIT ?
                    """, arguments: [id, limit])
            return rows.map { row in
                KeptRefusal(
                    id: row.number(0) ?? 0,
                    refusal: Refusal(
                        receivedAt: row.number(1) ?? 0, code: row.text(2) ?? "", message: row.text(3) ?? "",
                        sender: row.text(4), body: row.blob(5) ?? Data()))
            }
        }
    }
}
