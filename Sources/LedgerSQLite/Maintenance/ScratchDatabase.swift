internal import AppStoreModels
internal import Foundation
internal import GRDB
internal import Ledger

/// A temporary file with empty tables of ``LineageTable``, ``SegmentTable``, ``AccountNotificationTable`` and
/// ``FormerOwnerTable``, to which the ledger is attached. Rebuilt records go to the file's tables; all other tables are
/// the ledger's.
final class ScratchDatabase: Sendable {
    /// A fact with its signed text.
    struct SourcedFact: Sendable {
        var fact: SignedFact.Fact
        var scope: Int64
        /// The row identifier in the ledger.
        var number: Int64
        var text: String
        var kind: SignedFact.Kind
    }

    private let queue: DatabaseQueue
    private let headers: HeaderRegistry
    private let path: String
    private let ledger: String

    /// Returns the path of the scratch file of a ledger.
    static func path(for ledger: String) -> String { ledger + ".rebuild" }

    init(of storage: SQLiteStorage) throws(StorageError) {
        let ledger = storage.path
        let path = ScratchDatabase.path(for: ledger)
        headers = storage.headers
        self.ledger = ledger
        self.path = path
        var configuration = Configuration()
        // A checkpoint of the ledger may be running.
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            // The file is deleted after the rebuild.
            try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")
            try db.execute(sql: "ATTACH DATABASE ? AS ledger", arguments: [ledger])
        }
        do {
            try LedgerBackup.remove(path)
            PrivateFile.make(path)
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write { db in
                guard try db.tableExists("lineages", in: "ledger") else {
                    throw StorageError(.notALedger, "\(ledger) is not a ledger")
                }
                let tables = [
                    LineageTable.schema, SegmentTable.schema, AccountNotificationTable.schema, FormerOwnerTable.schema,
                ]
                for statement in tables.joined() { try db.execute(sql: statement) }
            }
        } catch { throw StorageError(error, path: path) }
    }

    func add(_ notifications: [ProcessedNotification]) async throws {
        try await write { db in
            for notification in notifications {
                _ = try FactProcessor.add(notification, LineageRecord.Source(notification, db), db)
            }
        }
    }

    func add(_ facts: [SourcedFact]) async throws {
        try await write { [headers] db in
            for item in facts {
                let source = LineageRecord.Source(
                    signedFact: item.number, text: item.text, kind: item.kind, headers, db)
                _ = try FactProcessor.add(item.fact, in: item.scope, source, db)
            }
        }
    }

    /// Compares the rebuilt records with the ledger's, both in the order of their keys.
    func compare(_ scopes: AppEnvironmentRegistry, _ report: inout LedgerRebuild.Report) async throws {
        report = try await write { [report] db in
            var report = report
            let select = "SELECT scope, original_id, token, app_transaction_id, facts, id FROM"
            let order = "lineages ORDER BY scope, original_id"
            let newRows = try SQLStatement("\(select) main.\(order)", [], db)
            let oldRows = try SQLStatement("\(select) ledger.\(order)", [], db)
            defer {
                newRows.reset()
                oldRows.reset()
            }
            func next(_ rows: SQLStatement) throws -> LineageRow? { try rows.next() ? LineageRow(rows) : nil }
            var (new, old) = (try next(newRows), try next(oldRows))
            while new != nil || old != nil {
                // The row that comes first, or both rows if they have the same key.
                let one = old.map { old in new.flatMap { old.precedes($0) ? nil : $0 } } ?? new
                let other = new.map { new in old.flatMap { new.precedes($0) ? nil : $0 } } ?? old
                let differences = try LineageDifferences(one, other, scopes, db)
                report.facts += differences.count
                for difference in differences.names { report.add(difference: difference) }
                if !differences.names.isEmpty { report.refuse(try Self.unprocessed(missing: one, in: other, db)) }
                if one != nil { new = try next(newRows) }
                if other != nil { old = try next(oldRows) }
            }
            if try !Self.isSame("transactions ORDER BY transaction_id, scope, original_id", db) {
                report.add(difference: "the index of transactions")
            }
            if try !Self.isSame("segments ORDER BY scope, original_id, segment, begins", db)
                || !Self.isSame("successions ORDER BY scope, previous_id, original_id", db)
            {
                report.add(difference: "the index of segments")
            }
            if try !Self.isSame("account_notifications ORDER BY scope, app_transaction_id, notification", db) {
                report.add(difference: "the index of notifications about Apple accounts")
                let missing = try db.numbers(
                    """
                    SELECT notification FROM ledger.account_notifications
                    EXCEPT SELECT notification FROM main.account_notifications
                    """, [])
                report.refuse(try Self.unprocessed(missing, db))
            }
            return report
        }
    }

    /// Returns the failed and pending notifications that the stored record has and the rebuilt one lacks.
    private static func unprocessed(
        missing new: LineageRow?, in old: LineageRow?, _ db: Database
    ) throws -> [String] {
        let known = Set(new?.record?.mentions.map(\.notification) ?? [])
        let mentioned = old?.record?.mentions.map(\.notification) ?? []
        return try unprocessed(mentioned.filter { !known.contains($0) }, db)
    }

    /// Returns those of the notifications that failed or are pending. They were processed once and are reprocessed, so
    /// their facts must not be lost.
    private static func unprocessed(_ notifications: [Int64], _ db: Database) throws -> [String] {
        try notifications.compactMap { notification in
            try db.first(
                """
                SELECT uuid, code FROM notifications LEFT JOIN failures ON failures.id = notifications.id
                WHERE notifications.id = ?1
                    AND (failures.id IS NOT NULL OR EXISTS (SELECT 1 FROM inbox WHERE inbox.id = ?1))
                """, [.integer(notification)]
            ) { "notification \(StoredUUID.text($0.value(0))): \($0.text(1) ?? "pending")" }
        }
    }

    /// Whether a table has the same rows here and in the ledger.
    private static func isSame(_ table: String, _ db: Database) throws -> Bool {
        let newRows = try SQLStatement("SELECT * FROM main.\(table)", [], db)
        let oldRows = try SQLStatement("SELECT * FROM ledger.\(table)", [], db)
        defer {
            newRows.reset()
            oldRows.reset()
        }
        while try newRows.next() {
            guard try oldRows.next(), newRows.values == oldRows.values else { return false }
        }
        return try !oldRows.next()
    }

    /// Replaces the ledger's rows with the rebuilt ones, in one transaction.
    func replace() async throws {
        try await write { db in
            try Self.addFormerOwners(db)
            for table in ["lineages", "transactions", "segments", "successions", "account_notifications"] {
                try db.run("DELETE FROM ledger.\(table)", [])
                try db.run("INSERT INTO ledger.\(table) SELECT * FROM main.\(table)", [])
            }
        }
    }

    /// Adds the tokens and Apple accounts that purchases lose. Those in the ledger's table stay: they depend on the
    /// events, which a rebuild does not change. Those that the rebuilt records had in between are in no event, and an
    /// erasure may have removed them.
    private static func addFormerOwners(_ db: Database) throws {
        try db.run("DELETE FROM main.former_owners", [])
        let columns = ["old", "new"].map { "\($0).token, \($0).app_transaction_id" }.joined(separator: ", ")
        let changes = try db.all(
            """
            SELECT old.scope, old.original_id, \(columns)
            FROM ledger.lineages AS old LEFT JOIN main.lineages AS new
                ON new.scope = old.scope AND new.original_id = old.original_id
            WHERE old.token IS NOT new.token OR old.app_transaction_id IS NOT new.app_transaction_id
            """, []
        ) { row -> (scope: Int64, old: Lineage, new: Lineage)? in
            func lineage(_ token: UUID?, _ account: String?) -> Lineage {
                Lineage(
                    originalTransactionID: row.text(1) ?? "", transactions: [], appAccountToken: token,
                    appTransactionID: account)
            }
            return (
                scope: row.number(0) ?? 0, old: lineage(row.uuid(2), row.text(3)),
                new: lineage(row.uuid(4), row.text(5))
            )
        }
        for (scope, old, new) in changes {
            try FormerOwnerTable.add(ownersOf: old, replacedBy: new, in: scope, db)
        }
        try db.run("INSERT OR IGNORE INTO ledger.former_owners SELECT * FROM main.former_owners", [])
    }

    func delete() {
        do {
            try queue.close()
            try LedgerBackup.remove(path)
        } catch {
            // The next rebuild removes the remaining files.
        }
    }

    private func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do { return try await queue.write(body) } catch { throw StorageError.unlessCancelled(error, path: ledger) }
    }
}
