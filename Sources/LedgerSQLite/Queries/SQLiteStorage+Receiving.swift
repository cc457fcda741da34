internal import AppStoreModels
internal import Foundation
internal import GRDB
package import Ledger

extension SQLiteStorage: LedgerStorage {
    package func scopes(of apps: [(bundleID: String, environment: String)]) async throws -> AppEnvironmentRegistry {
        try await write { db in
            for app in apps {
                try db.run(
                    "INSERT OR IGNORE INTO scopes (bundle_id, environment) VALUES (?, ?)",
                    [.text(app.bundleID), .text(app.environment)])
            }
            return AppEnvironmentRegistry(
                try db.all("SELECT id, bundle_id, environment FROM scopes ORDER BY id", []) { row in
                    AppEnvironment(
                        id: row.number(0) ?? 0, bundleID: row.text(1) ?? "",
                        environment: AppStoreEnvironment(rawValue: row.text(2) ?? ""))
                })
        }
    }

    package func commit(
        received: [ReceivedNotification], processed: [ProcessedNotification]
    ) async throws -> [InsertionResult] {
        // Texts are packed before the transaction, because other writers wait for it.
        let texts = received.map { headers.pack($0.text) }
        do {
            return try await commit(received, texts, processed, by: { try FactProcessor.process($0, $1) })
        } catch let error as StorageError where error.code == .damaged {
            // A corrupt record must not block the other notifications. Savepoints copy changed pages, so they are used
            // in this case only.
            return try await commit(received, texts, processed, by: Self.processOrFail)
        }
    }

    private func commit(
        _ received: [ReceivedNotification], _ texts: [PackedText], _ processed: [ProcessedNotification],
        by process: @escaping @Sendable (ProcessedNotification, Database) throws -> Void
    ) async throws -> [InsertionResult] {
        try await write(texts) { db in
            let insertions = try zip(received, texts).map { try self.receive($0, $1, db) }
            for notification in processed { try process(notification, db) }
            return insertions
        }
    }

    /// Processes a notification, or marks it as failed without other changes if a record is corrupt. So it counts as
    /// new when it is processed again.
    private static func processOrFail(_ notification: ProcessedNotification, _ db: Database) throws {
        do {
            try db.inSavepoint {
                try FactProcessor.process(notification, db)
                return .commit
            }
        } catch let error as StorageError where error.code == .damaged {
            try fail(notification.id, error.code.rawValue, error.message, notification.processedAt, db)
        }
    }

    package func commit(_ signedFacts: [SignedFact]) async throws -> Int {
        let texts = signedFacts.map { headers.pack($0.text) }
        return try await write(texts) { try FactProcessor.process(Array(zip(signedFacts, texts)), self.headers, $0) }
    }

    package func fail(_ notification: Int64, code: String, message: String, at now: Milliseconds) async throws {
        try await write { try Self.fail(notification, code, message, now, $0) }
    }

    package func failDamaged(_ notification: Int64, message: String, at now: Milliseconds) async throws -> Bool {
        try await write { db in
            let stored = InboxText(code: notification)
            let text = try db.first(
                "SELECT text FROM \(stored.table) WHERE id = ?", [.integer(stored.row)]
            ) { row in row.blob(0).flatMap { self.headers.unpack($0) } }
            guard text == nil else { return false }
            try Self.fail(notification, StorageError.Code.damaged.rawValue, message, now, db)
            return true
        }
    }

    static func fail(
        _ notification: Int64, _ code: String, _ message: String, _ now: Milliseconds, _ db: Database
    ) throws {
        try db.run("DELETE FROM inbox WHERE id = ?", [.integer(notification)])
        // Another process has processed or marked the notification.
        guard db.changesCount > 0 else { return }
        try db.run(
            "INSERT OR REPLACE INTO failures (id, code, message, failed_at) VALUES (?, ?, ?, ?)",
            [.integer(notification), .text(code), .text(message), .integer(now)])
    }

    package func pending(after id: Int64, limit: Int) async throws -> [StoredNotification] {
        try await read { db in
            if id < 0 {
                let others = try self.waitingOtherTexts(after: id, limit: limit, db)
                if !others.isEmpty { return others }
            }
            return try self.notifications(
                db,
                sql: """
                    WHERE notifications.id IN (SELECT id FROM inbox WHERE id > ? ORDER BY id LIMIT ?)
                    ORDER BY notifications.id
                    """, [.integer(max(id, 0)), .init(limit)])
        }
    }

    package func backlog() async throws -> (count: Int, oldest: Milliseconds?, oldestCode: Int64?) {
        try await read { db in
            // Of the row with the minimum, SQLite returns the other columns too.
            try db.first("SELECT count(*), min(received_at), id FROM inbox", []) { row in
                (count: row.count(0), oldest: row.number(1), oldestCode: row.number(2))
            } ?? (0, nil, nil)
        }
    }

    /// Runs a write transaction that first stores the headers of the texts.
    func write<Value: Sendable>(
        _ texts: [PackedText], _ updates: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let numbers = texts.reduce(into: Set<Int64>()) { $0.formUnion($1.headers) }
        let value = try await write { db in
            for (number, text) in self.headers.unstored(numbers) {
                // Replaces a damaged header, which was not loaded.
                try db.run("INSERT OR REPLACE INTO headers (id, text) VALUES (?, ?)", [.integer(number), .text(text)])
            }
            return try updates(db)
        }
        headers.markStored(numbers)
        return value
    }

    func receive(_ new: ReceivedNotification, _ text: PackedText, _ db: Database) throws -> InsertionResult {
        let uuid = StoredUUID.value(new.uuid)
        try db.run(
            """
            INSERT INTO notifications (uuid, scope, type, subtype, signed_date, received_at, origin, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (uuid) DO NOTHING
            """,
            [
                uuid, .integer(new.scope), .text(new.type), .init(new.subtype), .integer(new.signedDate),
                .integer(new.receivedAt), .integer(new.origin.rawValue), .blob(text.bytes),
            ])
        if db.changesCount > 0 {
            let id = db.lastInsertedRowID
            try Self.enqueue(id, new.receivedAt, db)
            return .stored(id)
        }
        return try receiveAgain(new, text, uuid, db)
    }

    /// Receives a text whose UUID is known. ``RepeatedNotification`` decides what becomes of it.
    private func receiveAgain(
        _ new: ReceivedNotification, _ text: PackedText, _ uuid: SQLValue, _ db: Database
    ) throws -> InsertionResult {
        let known = try db.first("SELECT id, text FROM notifications WHERE uuid = ?", [uuid]) { row in
            row.number(0).map { (id: $0, text: row.blob(1)) }
        }
        guard let (id, first) = known else { throw StorageError(.failed, "a notification exists but cannot be read") }
        let isFirst = first == text.bytes
        let isFirstDamaged = !isFirst && first.flatMap { headers.unpack($0) } == nil
        let select = "SELECT -id FROM other_texts WHERE notification = ? AND text = ?"
        let same = try isFirst ? id : db.number(select, [.integer(id), .blob(text.bytes)])
        let hasFailed = try same.map { try db.exists("SELECT 1 FROM failures WHERE id = ?", [.integer($0)]) } ?? false
        switch RepeatedNotification(isFirstDamaged: isFirstDamaged, same: same.map { (id: $0, hasFailed: hasFailed) }) {
        case .duplicate: return .duplicate(id)
        case .retry(let failed): return try Self.requeue(failed, new, db)
        case .replacement:
            try db.run(
                "UPDATE notifications SET type = ?, subtype = ?, signed_date = ?, text = ? WHERE id = ?",
                [
                    .text(new.type), .init(new.subtype), .integer(new.signedDate), .blob(text.bytes), .integer(id),
                ])
            return try Self.requeue(id, new, db)
        case .otherText:
            try db.run(
                """
                INSERT INTO other_texts (notification, signed_date, received_at, origin, text) VALUES (?, ?, ?, ?, ?)
                """,
                [
                    .integer(id), .integer(new.signedDate), .integer(new.receivedAt), .integer(new.origin.rawValue),
                    .blob(text.bytes),
                ])
            return try Self.requeue(InboxText.otherText(db.lastInsertedRowID).code, new, db)
        }
    }

    /// Makes a stored notification pending, also if it had failed.
    private static func requeue(_ id: Int64, _ new: ReceivedNotification, _ db: Database) throws -> InsertionResult {
        try db.run("DELETE FROM failures WHERE id = ?", [.integer(id)])
        try enqueue(id, new.receivedAt, db)
        return .stored(id)
    }

    static func enqueue(_ id: Int64, _ receivedAt: Milliseconds, _ db: Database) throws {
        try db.run("INSERT OR IGNORE INTO inbox (id, received_at) VALUES (?, ?)", [.integer(id), .integer(receivedAt)])
    }

    /// Reads notifications. `sql` is the part of the query after `FROM notifications`. A corrupt text is empty, so that
    /// it does not block the other notifications.
    func notifications(
        _ db: Database, sql: String, _ values: [SQLValue], isCached: Bool = true
    ) throws -> [StoredNotification] {
        try db.all("SELECT \(Self.columns) FROM notifications \(sql)", values, isCached: isCached) {
            storedNotification($0)
        }
    }

    private static let columns = notificationColumns(of: "notifications", id: "notifications.id")

    /// The columns for ``storedNotification(_:)``. `table` has the text and its dates; it is joined with
    /// `notifications`. `id` is the identifier in the inbox and among the failures.
    static func notificationColumns(of table: String, id: String) -> String {
        """
        \(id), notifications.uuid, notifications.scope, notifications.type, notifications.subtype,
            \(table).signed_date, \(table).received_at, \(table).origin, \(table).text,
            EXISTS (SELECT 1 FROM inbox AS waiting WHERE waiting.id = \(id)),
            (SELECT code FROM failures WHERE failures.id = \(id))
        """
    }

    func storedNotification(_ row: SQLStatement) -> StoredNotification {
        let (text, failure) = (row.blob(8).flatMap { headers.unpack($0) }, row.text(10))
        return StoredNotification(
            id: row.number(0) ?? 0, scope: row.number(2) ?? 0, uuid: StoredUUID.text(row.value(1)),
            type: row.text(3) ?? "",
            subtype: row.text(4), signedDate: row.number(5) ?? 0, receivedAt: row.number(6) ?? 0,
            origin: row.origin(7),
            state: row.number(9) == 1 ? .pending : failure == nil ? .processed : .failed, failure: failure,
            text: text ?? "")
    }
}
