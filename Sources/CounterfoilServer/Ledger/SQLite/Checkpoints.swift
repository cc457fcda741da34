internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Brings what was committed from the log into the file, beside the writer.
///
/// SQLite would do it in the commit that makes the log too long, and whoever waits for that commit would wait for thousands
/// of pages all over the file. Here another connection does nearly all of it while the writer goes on; only what was
/// written meanwhile is left for the writer, which alone can begin the log anew.
final class Checkpoints: Sendable {
    private struct State {
        var pages = 0
        var isUnderWay = false
    }

    /// The log's length in pages from which on it is time.
    private static let due = 4000

    private let pool: DatabasePool
    private let connection: DatabaseQueue
    private let state = Mutex(State())

    init(_ pool: DatabasePool) throws {
        self.pool = pool
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -1024")
        }
        connection = try DatabaseQueue(path: pool.path, configuration: configuration)
    }

    /// Is called at the beginning of each transaction of the writer.
    func note(_ db: Database) {
        var (written, highest): (Int32, Int32) = (0, 0)
        guard sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &written, &highest, 1) == SQLITE_OK
        else { return }
        let isDue = state.withLock { state in
            state.pages += Int(written)
            guard state.pages >= Self.due, !state.isUnderWay else { return false }
            (state.pages, state.isUnderWay) = (0, true)
            return true
        }
        if isDue { begin() }
    }

    private func begin() {
        connection.asyncWriteWithoutTransaction { db in
            Self.carryOut(db)
            self.pool.asyncWriteWithoutTransaction { db in
                Self.carryOut(db)
                self.state.withLock { $0.isUnderWay = false }
            }
        }
    }

    private static func carryOut(_ db: Database) {
        do { _ = try db.checkpoint(.passive) } catch {
            // The log stays longer, and nothing is lost. If it fails again and again, commits do it themselves.
        }
    }

    func close() throws { try connection.close() }
}
