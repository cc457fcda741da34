internal import Foundation
internal import GRDB
package import Ledger

extension SQLiteStorage: RefusalStorage {
    package func commit(_ refusals: [Refusal]) async throws {
        try await write { db in
            for refusal in refusals {
                try db.run(
                    "INSERT INTO refused (received_at, code, message, sender, body) VALUES (?, ?, ?, ?, ?)",
                    [
                        .integer(refusal.receivedAt), .text(refusal.code), .text(refusal.message),
                        .init(refusal.sender), .blob(refusal.body),
                    ])
            }
        }
    }

    package func dropRefusals(beyond limit: RefusalStorageLimit) async throws {
        // Outside the write transaction, because it reads the whole table.
        let ids = try await read { db in
            db.add(function: Self.clientOfSender)
            return try db.numbers(
                Self.refusalsBeyond, [.init(Refusal.overhead), .init(limit.count), .init(limit.bytes)])
        }
        for batch in ids.batches(of: 500) {
            try await write { db in
                for id in batch { try db.run("DELETE FROM refused WHERE id = ?", [.integer(id)]) }
            }
        }
    }

    /// The query for the refusals that exceed a limit, since the table may be too large to load.
    private static let refusalsBeyond = """
        WITH sized AS (
            SELECT id, client_of_sender(CAST(sender AS BLOB)) AS client,
                length(CAST(message AS BLOB)) + length(body) + ?1 AS size
            FROM refused
        ), shares AS (
            SELECT id, size, row_number() OVER client AS place, sum(size) OVER client AS bytes FROM sized
            WINDOW client AS (PARTITION BY client ORDER BY id DESC ROWS UNBOUNDED PRECEDING)
        ), filled AS (
            SELECT id, row_number() OVER (ORDER BY place, id DESC) AS count,
                sum(size) OVER (ORDER BY bytes, id DESC ROWS UNBOUNDED PRECEDING) AS bytes FROM shares
        ) SELECT id FROM filled WHERE count > ?2 OR bytes > ?3
        """

    /// Takes and returns bytes, because GRDB ends the texts of functions at U+0000.
    private static let clientOfSender = DatabaseFunction("client_of_sender", argumentCount: 1, pure: true) { values in
        let sender = values.first.flatMap { Data.fromDatabaseValue($0) }.map { String(decoding: $0, as: UTF8.self) }
        return Data(Refusal.client(ofSender: sender).utf8)
    }

    package func refusalCounts(
        from start: Milliseconds, to end: Milliseconds, amongLast depth: Int64
    ) async throws -> [String: Int64] {
        try await read { db in
            try db.dictionary(
                """
                SELECT code, count(*) FROM (SELECT code, received_at FROM refused ORDER BY id DESC LIMIT ?)
                WHERE received_at >= ? AND received_at < ? GROUP BY code
                """, [.integer(depth), .integer(start), .integer(end)]
            ) { ($0.text(0) ?? "", $0.number(1) ?? 0) }
        }
    }

    package func refusals(before id: Int64, limit: Int) async throws -> [StoredRefusal] {
        try await readAll(
            """
            SELECT id, received_at, code, message, sender, body FROM refused WHERE id < ?
            ORDER BY id DESC LIMIT ?
            """, [.integer(id), .init(limit)]
        ) { row in
            StoredRefusal(
                id: row.number(0) ?? 0,
                refusal: Refusal(
                    receivedAt: row.number(1) ?? 0, code: row.text(2) ?? "", message: row.text(3) ?? "",
                    sender: row.text(4), body: row.blob(5) ?? Data()))
        }
    }
}
