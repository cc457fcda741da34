internal import Ledger
internal import AppStoreModels
internal import Foundation
internal import GRDB

/// A file with nothing but the empty tables of ``LineageTable`` and ``SegmentTable``, and the ledger beside it. What is
/// folded there goes into the file's tables; all others are the ledger's own.
final class Scratch: Sendable {
    /// A fact and where it is from.
    struct Put: Sendable {
        var fact: Statement.Fact
        var scope: Int64
        var source: Fold.Source
    }

    private let queue: DatabaseQueue
    private let path: String
    private let ledger: String

    init(of storage: SQLiteStorage) throws(StorageError) {
        let ledger = storage.path
        let path = ledger + ".rebuild"
        self.ledger = ledger
        self.path = path
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            // Nothing in it has to survive.
            try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")
            try db.execute(sql: "ATTACH DATABASE ? AS ledger", arguments: [ledger])
        }
        do {
            try Self.removeFiles(path)
            PrivateFile.make(path)
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write { db in
                guard try db.tableExists("lineages", in: "ledger") else {
                    throw StorageError(.notALedger, "\(ledger) is not a ledger")
                }
                for statement in LineageTable.schema + SegmentTable.schema { try db.execute(sql: statement) }
            }
        } catch { throw StorageError(error, path: path) }
    }

    func put(_ notifications: [FoldedNotification]) async throws {
        try await write { db in
            for notification in notifications {
                _ = try Fold.put(notification, Fold.Source(notification, db), db)
            }
        }
    }

    func put(_ facts: [Put]) async throws {
        try await write { db in
            for put in facts { _ = try Fold.put(put.fact, in: put.scope, put.source, db) }
        }
    }

    /// Compares record by record, both in the order of their keys.
    func compare(_ scopes: ScopeRegistry, _ report: inout LedgerRebuild.Report) async throws {
        let found = try await write { [report] db in
            var report = report
            let select = "SELECT scope, original_id, token, app_transaction_id, facts, id FROM"
            let order = "lineages ORDER BY scope, original_id"
            let news = try Row.fetchCursor(db, sql: "\(select) main.\(order)")
            let olds = try Row.fetchCursor(db, sql: "\(select) ledger.\(order)")
            var (new, old) = (try news.next().map(LineageRow.init), try olds.next().map(LineageRow.init))
            while new != nil || old != nil {
                // The one that comes first, or both if they are about the same.
                let one = old.map { old in new.flatMap { old.isAhead(of: $0) ? nil : $0 } } ?? new
                let other = new.map { new in old.flatMap { new.isAhead(of: $0) ? nil : $0 } } ?? old
                let differences = try LineageDifferences(one, other, scopes, db)
                report.facts += differences.count
                for difference in differences.names { report.add(difference: difference) }
                if one != nil { new = try news.next().map(LineageRow.init) }
                if other != nil { old = try olds.next().map(LineageRow.init) }
            }
            let index = "transactions ORDER BY transaction_id, scope, original_id"
            let isIndexed = try Row.fetchCursor(db, sql: "SELECT * FROM main.\(index)")
                .isEqual(to: Row.fetchCursor(db, sql: "SELECT * FROM ledger.\(index)"))
            if !isIndexed { report.add(difference: "the index of transactions") }
            let segments = "segments ORDER BY scope, original_id, segment, begins"
            let isInSegments = try Row.fetchCursor(db, sql: "SELECT * FROM main.\(segments)")
                .isEqual(to: Row.fetchCursor(db, sql: "SELECT * FROM ledger.\(segments)"))
            if !isInSegments { report.add(difference: "the index of segments") }
            return report
        }
        report = found
    }

    /// Gives the ledger the new rows, all at once.
    func replace() async throws {
        try await write { db in
            for table in ["lineages", "transactions", "segments", "successions"] {
                try db.execute(
                    sql: "DELETE FROM ledger.\(table); INSERT INTO ledger.\(table) SELECT * FROM main.\(table)")
            }
        }
    }

    func remove() {
        do {
            try queue.close()
            try Self.removeFiles(path)
        } catch {
            // What cannot be removed now is removed the next time.
        }
    }

    private static func removeFiles(_ path: String) throws {
        for file in [path, path + "-journal", path + "-wal", path + "-shm"]
        where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    private func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do { return try await queue.write(body) } catch let error as CancellationError {
            throw error
        } catch {
            throw StorageError(error, path: ledger)
        }
    }
}

extension RowCursor {
    fileprivate func isEqual(to other: RowCursor) throws -> Bool {
        while let row = try next() {
            guard let beside = try other.next(), row == beside else { return false }
        }
        return try other.next() == nil
    }
}
