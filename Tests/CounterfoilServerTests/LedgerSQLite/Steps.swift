import GRDB
import GRDBSQLite

/// Counts the steps of SQLite's virtual machine.
final class Steps {
    private var count = 0

    static func count(_ db: Database, _ body: () throws -> Void) rethrows -> Int {
        let steps = Steps()
        sqlite3_progress_handler(
            db.sqliteConnection, 10,
            { pointer in
                if let pointer { Unmanaged<Steps>.fromOpaque(pointer).takeUnretainedValue().count += 10 }
                return 0
            }, Unmanaged.passUnretained(steps).toOpaque())
        defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
        try body()
        return steps.count
    }
}
