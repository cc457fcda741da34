internal import Foundation
internal import GRDB

extension SQLiteStorage: RefusalStorage {
    package func commit(_ refusals: [Refusal], keeping: Int) async throws {
        try await write { db in
            for refusal in refusals {
                let insert = try db.cachedStatement(
                    sql: "INSERT INTO refused (received_at, code, message, sender, body) VALUES (?, ?, ?, ?, ?)")
                try insert.execute(arguments: [
                    refusal.receivedAt, refusal.code, refusal.message, refusal.sender, refusal.body,
                ])
            }
            try db.execute(
                sql: "DELETE FROM refused WHERE id <= (SELECT max(id) FROM refused) - ?", arguments: [max(0, keeping)])
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
