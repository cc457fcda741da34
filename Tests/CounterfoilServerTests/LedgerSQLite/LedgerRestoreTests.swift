import AppStoreModels
import CounterfoilServer
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `Restored ledger` {
    /// Calls `body` with a closed ledger that contains the notifications of a `RandomStoreHistory`, and a backup of the ledger.
    private static func withBackup(
        _ body: (_ ledger: String, _ backup: String, LedgerBackup.Report) async throws -> Void
    ) async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            // The system's temporary folder may be a symbolic link.
            let folder = folder.resolvingSymlinksInPath()
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            var random = SeededGenerator(seed: 3)
            try await ledger.commit(try await ledger.arrivals(of: history), &random)
            let backup = folder.appending(path: "copy.sqlite").path
            let report = try LedgerBackup.make(of: ledger.sqlite.path, to: backup)
            try ledger.sqlite.close()
            try await body(ledger.sqlite.path, backup, report)
        }
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func `Restoring from a symbolic link to a backup copies the backup and leaves it unchanged`() async throws {
        try await Self.withBackup { ledger, backup, report in
            let link = backup + ".latest"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: backup)
            let before = try Data(contentsOf: URL(filePath: backup))
            let restored = try LedgerBackup.restore(link, to: ledger, replacing: true)
            #expect(restored.report == report)
            let attributes = try FileManager.default.attributesOfItem(atPath: ledger)
            #expect(attributes[.type] as? FileAttributeType == .typeRegular)
            let storage = try SQLiteStorage(path: ledger)
            _ = try await storage.scopes(of: [(bundleID: "com.example.other", environment: "Production")])
            try storage.close()
            #expect(try Data(contentsOf: URL(filePath: backup)) == before)
        }
    }

    /// The restore replaced the ledger, and then the server refused to start.
    @Test func `A backup of a newer version is not restored, and the ledger stays`() async throws {
        try await Self.withBackup { ledger, backup, _ in
            let queue = try DatabaseQueue(path: backup)
            try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('later')") }
            try queue.close()
            let before = try Data(contentsOf: URL(filePath: ledger))
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(backup, to: ledger, replacing: true)
            }
            #expect(error?.code == .newer && error?.message.contains(backup) == true, "\(String(describing: error))")
            #expect(error?.message.contains("or a backup from before the upgrade") == true)
            #expect(try Data(contentsOf: URL(filePath: ledger)) == before)
            #expect(!Self.exists(ledger + ".before-restore-1") && !Self.exists(ledger + ".partial"))
        }
    }

    @Test func `Restoring from a file with the name of the restore's temporary copy is refused and keeps the file`()
        async throws
    {
        try await Self.withBackup { ledger, backup, report in
            let partial = ledger + ".partial"
            try FileManager.default.moveItem(atPath: backup, toPath: partial)
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(partial, to: ledger, replacing: true)
            }
            #expect(error?.code == .cannotOpen)
            #expect(try LedgerBackup.check(partial) == report)
            #expect(Self.exists(ledger))
        }
    }

    @Test func `The slower of two backups to the same file fails and the file is complete`() async throws {
        try await Self.withBackup { ledger, backup, report in
            let copy = backup + ".new"
            let other = Mutex<LedgerBackup.Report?>(nil)
            // The second backup starts and ends while the first is running.
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.make(of: ledger, to: copy) { _ in
                    guard other.withLock({ $0 == nil }) else { return }
                    do {
                        let made = try LedgerBackup.make(of: ledger, to: copy)
                        other.withLock { $0 = made }
                    } catch { Issue.record(error) }
                }
            }
            #expect(error?.code == .exists && error?.message.contains("never overwrites") == true)
            #expect(other.withLock { $0 } == report)
            #expect(try LedgerBackup.check(copy) == report)
            let folder = URL(filePath: copy).deletingLastPathComponent().path
            let remaining = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".new") }
            #expect(remaining == [URL(filePath: copy).lastPathComponent])
        }
    }

    @Test func `A ledger does not open after an interrupted restore, and the restore can be repeated`() async throws {
        try await Self.withBackup { ledger, backup, report in
            // A power cut leaves these files if it comes after moving the old ledger away and before moving the copy
            // in.
            try FileManager.default.moveItem(atPath: ledger, toPath: ledger + ".before-restore-1")
            try FileManager.default.copyItem(atPath: backup, toPath: ledger + ".partial")
            let error = #expect(throws: StorageError.self) { try SQLiteStorage(path: ledger) }
            #expect(error?.code == .cannotOpen && error?.message.contains("before-restore") == true)
            #expect(!Self.exists(ledger))
            let restored = try LedgerBackup.restore(backup, to: ledger, replacing: false)
            #expect(restored.report == report && !Self.exists(ledger + ".partial"))
            let storage = try SQLiteStorage(path: ledger)
            #expect(try await storage.digest() == report.digest)
            try storage.close()
        }
    }

    @Test func `A restore is refused while the old ledger's write-ahead log is in the way`() async throws {
        try await Self.withBackup { ledger, backup, report in
            let old = ledger + ".before-restore-1"
            try FileManager.default.moveItem(atPath: ledger, toPath: old)
            try Data("log".utf8).write(to: URL(filePath: ledger + "-wal"))
            try FileManager.default.copyItem(atPath: backup, toPath: ledger + ".partial")
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(backup, to: ledger, replacing: true)
            }
            #expect(error?.code == .cannotOpen && error?.message.contains("\(ledger)-wal to \(old)-wal") == true)
            #expect(Self.exists(ledger + "-wal") && !Self.exists(ledger) && Self.exists(ledger + ".partial"))
            try FileManager.default.moveItem(atPath: ledger + "-wal", toPath: old + "-wal")
            let restored = try LedgerBackup.restore(backup, to: ledger, replacing: true)
            #expect(restored.report == report && Self.exists(old + "-wal"))
        }
    }

    @Test func `A backup of a file that is no database names that file and not the copy`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let (ledger, copy) = (folder.appending(path: "ledger.sqlite"), folder.appending(path: "copy.sqlite"))
            try Data("not a database".utf8).write(to: ledger)
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.make(of: ledger.path, to: copy.path)
            }
            #expect(error?.code == .notALedger && error?.message.hasPrefix(ledger.path + " ") == true)
            #expect(!Self.exists(copy.path))
        }
    }

    @Test func `A restore from a folder or from a file that is no database is refused`() async throws {
        try await Self.withBackup { ledger, backup, _ in
            let other = backup + ".txt"
            try Data("not a database".utf8).write(to: URL(filePath: other))
            let wrong = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(other, to: ledger, replacing: true)
            }
            #expect(wrong?.code == .notALedger && wrong?.message.hasPrefix(other + " is not a database") == true)
            let parent = URL(filePath: backup).deletingLastPathComponent().path
            let folder = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(parent, to: ledger, replacing: true)
            }
            #expect(folder?.code == .cannotOpen && folder?.message.contains("is a folder") == true)
            #expect(!Self.exists(ledger + ".partial"))
        }
    }

    /// Damages one text of each kind and, if `record` is true, one record.
    private static func damage(_ storage: SQLiteStorage, record: Bool) async throws {
        try await storage.pool.write { db in
            try db.execute(
                sql: """
                    UPDATE notifications SET text = x'01' WHERE id = 1;
                    UPDATE statements SET text = x'01' WHERE id = (SELECT min(id) FROM statements);
                    INSERT INTO original_purchases (scope, subject, kind, signed_date, received_at, origin, text)
                        VALUES (1, 'a', 0, 0, 0, 0, x'01');
                    """)
            guard record else { return }
            try db.execute(
                sql: "UPDATE lineages SET facts = x'01FF' WHERE id = (SELECT min(id) FROM lineages)")
        }
    }

    @Test func `A backup of a ledger with damaged texts and a damaged record is complete and lists them`() async throws
    {
        try await Self.withBackup { ledger, backup, undamaged in
            let damaged = try SQLiteStorage(path: ledger)
            try await Self.damage(damaged, record: true)
            try damaged.close()
            let copy = backup + ".damaged"
            let report = try LedgerBackup.make(of: ledger, to: copy)
            #expect(report.damages == 4 && report.damaged.count == 4, "\(report.damaged)")
            for kind in ["notification", "signed fact", "app transaction", "record"] {
                #expect(report.damaged.contains { $0.contains(kind) }, "\(kind): \(report.damaged)")
            }
            #expect(report.notifications == undamaged.notifications && report.digest != undamaged.digest)
            let restored = try LedgerBackup.restore(copy, to: ledger, replacing: true)
            #expect(restored.report.digest == report.digest && restored.report.damages == 4)
            let storage = try SQLiteStorage(path: ledger)
            #expect(try await storage.lastNotification() == Int64(undamaged.notifications))
            let error = await #expect(throws: StorageError.self) { try await storage.digest() }
            #expect(error?.code == .damaged)
            try storage.close()
        }
    }

    @Test func `A rebuild checks the whole ledger if texts are damaged, lists them and replaces nothing`() async throws
    {
        let history = try await RandomStoreHistory.shared.value
        try await Self.withBackup { ledger, _, _ in
            let storage = try SQLiteStorage(path: ledger)
            let rebuild = LedgerRebuild(storage, verifier: history.verifier)
            let before = try await rebuild.run(replacing: false)
            try await Self.damage(storage, record: false)
            let report = try await rebuild.run(replacing: true)
            #expect(report.refusals == 3 && !report.isReplaced)
            #expect(report.refused.allSatisfy { $0.contains("storage_damaged") }, "\(report.refused)")
            #expect(report.notifications == before.notifications - 1)
            #expect(report.signedFacts == before.signedFacts - 1)
            try storage.close()
        }
    }
}
