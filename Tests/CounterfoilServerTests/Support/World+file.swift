import CounterfoilServer
import Foundation
import GRDB
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerSQLite

/// What tests do with the file of a ledger. This file, ``TestLedger`` and the folder `LedgerSQLite` are the only ones of
/// the server's tests that know SQLite.
extension World {
    /// The ledger of the running server. Cancels a test that runs on another engine.
    var sqlite: SQLiteStorage {
        get throws {
            guard let storage = try server.core.storage as? SQLiteStorage else { try Self.cancelTest() }
            return storage
        }
    }

    /// The path of the ledger. Cancels a test that runs on another engine.
    private var ledgerPath: String {
        get throws {
            if Self.usesMemory { try Self.cancelTest() }
            return try configuration().storage.path
        }
    }

    private static func cancelTest() throws -> Never { try Test.cancel("this test needs a ledger in a file") }

    // MARK: - Failures

    /// Calls `body` while the ledger cannot be written.
    func withReadOnlyLedger(_ body: () async throws -> Void) async throws {
        try await sqlite.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 1") }
        try await body()
        try await sqlite.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 0") }
    }

    /// A kind of change in the ledger that can fail.
    struct LedgerChange {
        /// The change in the words of an SQL trigger.
        fileprivate let trigger: String

        /// A purchase is remembered, to request its history.
        static let newHistoryRequest = Self(trigger: "INSERT ON errands")
        /// A notification is removed from the inbox.
        static let processing = Self(trigger: "DELETE ON inbox")
        static func processing(_ notification: Int64) -> Self {
            Self(trigger: "DELETE ON inbox WHEN OLD.id = \(notification)")
        }
        /// A notification is added to the inbox, which has so many.
        static func receiving(beyond count: Int) -> Self {
            Self(trigger: "INSERT ON inbox WHEN (SELECT count(*) FROM inbox) >= \(count)")
        }
        static let nextConsumptionAttempt = Self(trigger: "UPDATE OF next_attempt_at ON consumption_requests")
        static let disabledWebhook = Self(trigger: "UPDATE OF disabled_reason ON webhook_endpoints")
    }

    /// Calls `body` while one kind of change in the ledger fails, as with a full disk.
    func withFailing(_ change: LedgerChange, _ body: () async throws -> Void) async throws {
        let trigger = "CREATE TRIGGER failing BEFORE \(change.trigger) BEGIN SELECT RAISE(ABORT, 'a test'); END"
        try await sqlite.pool.write { try $0.execute(sql: trigger) }
        try await body()
        try await sqlite.pool.write { try $0.execute(sql: "DROP TRIGGER failing") }
    }

    /// A part of the ledger that can become unreadable.
    enum LedgerPart: String { case claims, events, recoveries }

    func makeUnreadable(_ part: LedgerPart) async throws {
        try await sqlite.write("ALTER TABLE \(part.rawValue) RENAME TO hidden", [])
    }

    func makeReadable(_ part: LedgerPart) async throws {
        try await sqlite.write("ALTER TABLE hidden RENAME TO \(part.rawValue)", [])
    }

    enum NotificationPlace: String { case oldest = "min", newest = "max" }

    /// Breaks the signature of a stored notification.
    func damageNotification(_ place: NotificationPlace) async throws {
        try await sqlite.damageNotification("id = (SELECT \(place.rawValue)(id) FROM notifications)")
    }

    // MARK: - Contents

    /// The number of stored requests with an idempotency key.
    func storedRequests() async throws -> Int? {
        try await sqlite.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM requests") }
    }

    /// The number of stored signed facts, which came without a notification.
    func storedSignedFacts() async throws -> Int? {
        try await sqlite.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM statements") }
    }

    /// The rows of the tables that refer to customers, as text.
    func storedCustomerData() async throws -> String {
        try await sqlite.pool.read { db in
            var text = ""
            for table in [
                "claims", "account_claims", "claim_events", "grants", "grant_events", "usage", "events", "requests",
                "consumption_requests", "erasures", "former_owners",
            ] {
                for row in try Row.fetchAll(db, sql: "SELECT * FROM \(table)") { text += "\(row)\n" }
            }
            return text
        }
    }

    /// Adds failed copies of the first notification, each with a UUID of its own, and marks that one as failed.
    func addFailedCopies(_ count: Int, code: String) async throws {
        try await sqlite.pool.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE copies (number) AS (
                        SELECT 1 UNION ALL SELECT number + 1 FROM copies WHERE number < \(count))
                    INSERT INTO notifications (uuid, scope, type, subtype, signed_date, received_at, origin, text)
                        SELECT randomblob(16), scope, type, subtype, signed_date, received_at, origin, text
                        FROM notifications, copies WHERE id = (SELECT min(id) FROM notifications);
                    INSERT INTO failures SELECT id, '\(code)', 'a test', 0 FROM notifications;
                    """)
        }
    }

    /// Adds a waiting notification with a date that no notification can have.
    func addWaitingNotificationOfDamagedDate() async throws {
        try await sqlite.write("INSERT INTO inbox (id, received_at) VALUES (9999, ?)", [.integer(.min)])
    }

    /// Makes the ledger look as if another server had read less of the notification history, as with a slow clock.
    func setCompletenessBack(by duration: Milliseconds) async throws {
        try await sqlite.write(
            "UPDATE completeness SET read_until = read_until - ?1, until_date = until_date - ?1", [.integer(duration)])
    }

    /// Removes an entry of the audit log, as only somebody who changes the file can.
    func removeAuditEntry(_ id: Int) async throws {
        try await sqlite.write("DELETE FROM audit WHERE id = ?", [.init(id)])
    }

    // MARK: - Copies

    /// Writes an export of the running server's ledger. Returns its digest.
    @discardableResult
    func export(to file: URL) async throws -> String { try await sqlite.export(to: file).digest }

    /// Imports a file of an export into the ledger of the stopped server, which is created if there is none. Calls
    /// `body` with the ledger afterwards.
    func importExport(_ file: URL, _ body: (any LedgerEngine) async throws -> Void = { _ in }) async throws {
        let (storage, configuration) = (try SQLiteStorage(path: ledgerPath), try configuration())
        let scopes = try await storage.scopes(of: configuration.environments)
        let ledgerImport = LedgerImport(
            storage, verifier: try LedgerMaintenance.verifier(configuration), scopes: scopes, at: simulator.now)
        let report = try await ledgerImport.run(try FileHandle(forReadingFrom: file))
        try #require(report.refusals == 0, "\(report.refused)")
        try await body(storage)
        try storage.close()
    }

    /// Copies the ledger to a new file.
    func backUp(to file: URL) throws {
        _ = try LedgerBackup.make(of: ledgerPath, to: file.path)
    }

    /// Replaces the ledger of the stopped server with a backup.
    func restore(_ backup: URL) throws {
        _ = try LedgerBackup.restore(backup.path, to: ledgerPath, replacing: true)
    }
}
