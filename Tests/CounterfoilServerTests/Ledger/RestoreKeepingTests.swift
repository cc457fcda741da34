import AppStoreModels
import CounterfoilServer
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import LedgerSQLite
@testable import Ledger

@Suite struct `A ledger that is put back` {
    /// Calls `body` with a ledger that a life has filled and nobody has open, and a backup of it.
    private static func withBackup(
        _ body: (_ ledger: String, _ backup: String, LedgerBackup.Report) async throws -> Void
    ) async throws {
        let life = try await StoreLife.shared.value
        try await Tool.inTemporaryFolder { folder in
            // The system's folder for such files may be a link.
            let folder = folder.resolvingSymlinksInPath()
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            var random = SeededGenerator(seed: 3)
            try await ledger.take(try await ledger.arrivals(of: life), &random)
            let backup = folder.appending(path: "copy.sqlite").path
            let report = try LedgerBackup.make(of: ledger.storage.path, to: backup)
            try ledger.storage.close()
            try await body(ledger.storage.path, backup, report)
        }
    }

    private static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func `from a link to a backup is no link to it`() async throws {
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

    @Test func `from what is left of a copy keeps it, though its name is that of a copy under way`() async throws {
        try await Self.withBackup { ledger, backup, report in
            let partial = ledger + ".partial"
            try FileManager.default.moveItem(atPath: backup, toPath: partial)
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(partial, to: ledger, replacing: true)
            }
            #expect(error?.code == .cannotOpen)
            #expect(try LedgerBackup.check(partial) == report)
            #expect(Self.isThere(ledger))
        }
    }

    @Test func `is whole where two backups are made under one name, and the second is told so`() async throws {
        try await Self.withBackup { ledger, backup, report in
            let copy = backup + ".new"
            let other = Mutex<LedgerBackup.Report?>(nil)
            // While one is under way the other begins and ends.
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.make(of: ledger, to: copy) { _ in
                    guard other.withLock({ $0 == nil }) else { return }
                    do {
                        let made = try LedgerBackup.make(of: ledger, to: copy)
                        other.withLock { $0 = made }
                    } catch { Issue.record(error) }
                }
            }
            #expect(error?.code == .cannotOpen && error?.message.contains("overwrites nothing") == true)
            #expect(other.withLock { $0 } == report)
            #expect(try LedgerBackup.check(copy) == report)
            let folder = URL(filePath: copy).deletingLastPathComponent().path
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".new") }
            #expect(left == [URL(filePath: copy).lastPathComponent])
        }
    }

    @Test func `and was interrupted is not begun anew without a word`() async throws {
        try await Self.withBackup { ledger, backup, report in
            // As a power cut leaves it between moving the old one away and moving the copy in.
            try FileManager.default.moveItem(atPath: ledger, toPath: ledger + ".before-restore-1")
            try FileManager.default.copyItem(atPath: backup, toPath: ledger + ".partial")
            let error = #expect(throws: StorageError.self) { try SQLiteStorage(path: ledger) }
            #expect(error?.code == .cannotOpen && error?.message.contains("before-restore") == true)
            #expect(!Self.isThere(ledger))
            let restored = try LedgerBackup.restore(backup, to: ledger, replacing: false)
            #expect(restored.report == report && !Self.isThere(ledger + ".partial"))
            let storage = try SQLiteStorage(path: ledger)
            #expect(try await storage.digest() == report.digest)
            try storage.close()
        }
    }

    @Test func `and was interrupted before the log of the old one was moved is not put back until somebody did`()
        async throws
    {
        try await Self.withBackup { ledger, backup, report in
            let old = ledger + ".before-restore-1"
            try FileManager.default.moveItem(atPath: ledger, toPath: old)
            try Data("log".utf8).write(to: URL(filePath: ledger + "-wal"))
            try FileManager.default.copyItem(atPath: backup, toPath: ledger + ".partial")
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(backup, to: ledger, replacing: true)
            }
            #expect(error?.code == .cannotOpen && error?.message.contains("\(ledger)-wal to \(old)-wal") == true)
            #expect(Self.isThere(ledger + "-wal") && !Self.isThere(ledger) && Self.isThere(ledger + ".partial"))
            try FileManager.default.moveItem(atPath: ledger + "-wal", toPath: old + "-wal")
            let restored = try LedgerBackup.restore(backup, to: ledger, replacing: true)
            #expect(restored.report == report && Self.isThere(old + "-wal"))
        }
    }

    @Test func `is called by its own name where it cannot be copied, not by that of the copy`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let (ledger, copy) = (folder.appending(path: "ledger.sqlite"), folder.appending(path: "copy.sqlite"))
            try Data("not a database".utf8).write(to: ledger)
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.make(of: ledger.path, to: copy.path)
            }
            #expect(error?.code == .notALedger && error?.message.hasPrefix(ledger.path + " ") == true)
            #expect(!Self.isThere(copy.path))
        }
    }

    @Test func `from a file that is no backup is refused by its name, and a folder before it is copied`() async throws {
        try await Self.withBackup { ledger, backup, _ in
            let other = backup + ".txt"
            try Data("not a database".utf8).write(to: URL(filePath: other))
            let wrong = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(other, to: ledger, replacing: true)
            }
            #expect(wrong?.code == .notALedger && wrong?.message.hasPrefix(other + " is not a database") == true)
            let place = URL(filePath: backup).deletingLastPathComponent().path
            let folder = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(place, to: ledger, replacing: true)
            }
            #expect(folder?.code == .cannotOpen && folder?.message.contains("is a folder") == true)
            #expect(!Self.isThere(ledger + ".partial"))
        }
    }

    /// Damages a text of each kind, and a record.
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

    @Test func `in which texts and a record are damaged is a whole one, and they are named`() async throws {
        try await Self.withBackup { ledger, backup, whole in
            let damaged = try SQLiteStorage(path: ledger)
            try await Self.damage(damaged, record: true)
            try damaged.close()
            let copy = backup + ".damaged"
            let report = try LedgerBackup.make(of: ledger, to: copy)
            #expect(report.damages == 4 && report.damaged.count == 4, "\(report.damaged)")
            for kind in ["notification", "statement", "app transaction", "record"] {
                #expect(report.damaged.contains { $0.contains(kind) }, "\(kind): \(report.damaged)")
            }
            #expect(report.notifications == whole.notifications && report.digest != whole.digest)
            let restored = try LedgerBackup.restore(copy, to: ledger, replacing: true)
            #expect(restored.report.digest == report.digest && restored.report.damages == 4)
            let storage = try SQLiteStorage(path: ledger)
            #expect(try await storage.lastNotification() == Int64(whole.notifications))
            let error = await #expect(throws: StorageError.self) { try await storage.digest() }
            #expect(error?.code == .damaged)
            try storage.close()
        }
    }

    @Test func `in which a text is damaged is checked to its end, and the text is named`() async throws {
        let life = try await StoreLife.shared.value
        try await Self.withBackup { ledger, _, _ in
            let storage = try SQLiteStorage(path: ledger)
            let rebuild = LedgerRebuild(storage, verifier: life.verifier)
            let before = try await rebuild.run(replacing: false)
            try await Self.damage(storage, record: false)
            let report = try await rebuild.run(replacing: true)
            #expect(report.refusals == 3 && !report.isReplaced)
            #expect(report.refused.allSatisfy { $0.contains("storage_damaged") }, "\(report.refused)")
            #expect(report.notifications == before.notifications - 1)
            #expect(report.statements == before.statements - 1)
            try storage.close()
        }
    }
}
