internal import AppStoreModels
internal import Foundation
internal import GRDB

/// A file with nothing but an empty table `facts`, and the ledger beside it. What is folded there goes into the file's
/// table; every other table is the ledger's own.
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
                let table = try String.fetchOne(
                    db, sql: "SELECT sql FROM ledger.sqlite_master WHERE type = 'table' AND name = 'facts'")
                guard let table else { throw StorageError(.notALedger, "\(ledger) is not a ledger") }
                try db.execute(sql: table)
            }
        } catch { throw StorageError(error, path: path) }
    }

    func put(_ notifications: [FoldedNotification]) async throws {
        try await write { db in
            for notification in notifications {
                let source = try Fold.Source(notification, db)
                _ = try Fold.note(notification, source, db)
                if let fact = notification.transaction {
                    _ = try Fold.put(fact, scope: notification.scope, source, db)
                }
                if let fact = notification.renewal { _ = try Fold.put(fact, scope: notification.scope, source, db) }
            }
        }
    }

    func put(_ facts: [Put]) async throws {
        try await write { db in
            for put in facts { _ = try Fold.put(put.fact, scope: put.scope, put.source, db) }
        }
    }

    /// Compares row by row, both in the order of their keys.
    func compare(_ scopes: ScopeBook, _ report: inout LedgerRebuild.Report) async throws {
        let found = try await write { [report] db in
            var report = report
            let order = "ORDER BY scope, original_id, kind, key"
            let columns = try db.columns(in: "facts").map(\.name).joined(separator: ", ")
            let news = try Row.fetchCursor(db, sql: "SELECT \(columns) FROM main.facts \(order)")
            let olds = try Row.fetchCursor(db, sql: "SELECT \(columns) FROM ledger.facts \(order)")
            var (new, old) = (try news.next(), try olds.next())
            while new != nil || old != nil {
                switch (new.map(FactKey.init), old.map(FactKey.init)) {
                case (let one?, let other?) where one == other:
                    if new.map({ Array($0.databaseValues) }) != old.map({ Array($0.databaseValues) }) {
                        report.add(difference: one.name(scopes))
                    }
                    report.facts += 1
                    (new, old) = (try news.next(), try olds.next())
                case (let one?, let other) where other.map({ one < $0 }) ?? true:
                    report.add(difference: one.name(scopes) + " is missing")
                    report.facts += 1
                    new = try news.next()
                case (_, let other):
                    report.add(difference: (other?.name(scopes) ?? "") + " follows from nothing that was signed")
                    old = try olds.next()
                }
            }
            return report
        }
        report = found
    }

    /// Gives the ledger the new rows, all at once.
    func replace() async throws {
        try await write { db in
            try db.execute(sql: "DELETE FROM ledger.facts; INSERT INTO ledger.facts SELECT * FROM main.facts")
        }
    }

    func remove() {
        // What cannot be removed now is removed the next time.
        do {
            try queue.close()
            try Self.removeFiles(path)
        } catch {
            // Files in the temporary folder that stay there do no harm.
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

/// Where a row of `facts` lies, in the order of the table.
private struct FactKey: Equatable, Comparable {
    let scope: Int64
    let original: String
    let kind: Int64
    let key: String

    init(_ row: Row) {
        (scope, original, kind, key) = (row.number(0) ?? 0, row.text(1) ?? "", row.number(2) ?? 0, row.text(3) ?? "")
    }

    /// As SQLite does: texts by their bytes.
    static func < (one: FactKey, other: FactKey) -> Bool {
        if one.scope != other.scope { return one.scope < other.scope }
        if one.original != other.original { return one.original.utf8.lexicographicallyPrecedes(other.original.utf8) }
        if one.kind != other.kind { return one.kind < other.kind }
        return one.key.utf8.lexicographicallyPrecedes(other.key.utf8)
    }

    func name(_ scopes: ScopeBook) -> String {
        let place = scopes[id: scope].map { "\($0.bundleId) \($0.environment.rawValue)" } ?? "scope \(scope)"
        let what =
            switch kind {
            case 0: "renewal info and owner"
            case 1: "transaction \(key)"
            default: "notification \(key)"
            }
        return "\(place) \(original): \(what)"
    }
}
