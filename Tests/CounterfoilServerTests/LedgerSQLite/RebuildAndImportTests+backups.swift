import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

// Backups, and what is restored from them.
extension `Rebuild and import of a ledger` {
    @Test(.timeLimit(.minutes(10))) func `A backup made during writes is complete and can be restored`() async throws {
        try await withLedger { ledger, history, folder in
            let written = Mutex(0)
            let writing = Task {
                while !Task.isCancelled {
                    let customer = "customer \(written.withLock { $0 })"
                    try await ledger.sqlite.pool.write { db in
                        try db.execute(sql: "INSERT INTO claims VALUES (1, '7', ?, 0)", arguments: [customer])
                    }
                    written.withLock { $0 += 1 }
                }
            }
            defer { writing.cancel() }
            try await waitUntil("a claim is written") { written.withLock { $0 } > 0 }
            let copy = folder.appending(path: "copy.sqlite").path
            let progress = Mutex(0.0)
            let report = try LedgerBackup.make(of: ledger.sqlite.path, to: copy) { done in
                progress.withLock { $0 = done }
            }
            writing.cancel()
            // A write that is interrupted throws `CancellationError`.
            do { try await writing.value } catch is CancellationError {}
            #expect(report.notifications == history.notifications.count && progress.withLock { $0 } == 1)
            let second = #expect(throws: StorageError.self) { try LedgerBackup.make(of: ledger.sqlite.path, to: copy) }
            #expect(second?.code == .exists)
            #expect(second?.message == "\(copy) already exists; a backup never overwrites a file")
            #expect(try LedgerBackup.check(copy).digest == report.digest)
            let busy = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(copy, to: ledger.sqlite.path, replacing: true)
            }
            #expect(busy?.code == .busy)
            let before = try await ledger.sqlite.digest()
            try ledger.sqlite.close()
            let refusal = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(copy, to: ledger.sqlite.path, replacing: false)
            }
            #expect(refusal?.code == .exists)
            let restored = try LedgerBackup.restore(copy, to: ledger.sqlite.path, replacing: true)
            #expect(restored.report.digest == report.digest)
            #expect(try LedgerBackup.check(try #require(restored.old)).digest == before)
            let opened = try SQLiteStorage(path: ledger.sqlite.path)
            #expect(try await opened.digest() == report.digest)
        }
    }

    @Test func `A damaged backup is not restored`() async throws {
        try await withLedger { ledger, _, folder in
            let copy = folder.appending(path: "copy.sqlite")
            _ = try LedgerBackup.make(of: ledger.sqlite.path, to: copy.path)
            var bytes = try Data(contentsOf: copy)
            let middle = bytes.count / 2 / 4096 * 4096
            bytes.replaceSubrange(middle..<middle + 4096, with: Data(repeating: 0x5A, count: 4096))
            try bytes.write(to: copy)
            let target = folder.appending(path: "new.sqlite").path
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(copy.path, to: target, replacing: false)
            }
            #expect(error?.code == .damaged)
            #expect(!FileManager.default.fileExists(atPath: target))
        }
    }

    @Test(arguments: ["-wal", "-shm", "-journal"]) func `A restore moves stray SQLite files away from its target`(
        _ suffix: String
    ) async throws {
        try await withLedger { ledger, _, folder in
            let copy = folder.appending(path: "copy.sqlite").path
            let report = try LedgerBackup.make(of: ledger.sqlite.path, to: copy)
            try await ledger.sqlite.pool.write { db in
                try db.execute(sql: "DELETE FROM notifications; DELETE FROM lineages; DELETE FROM headers")
            }
            let target = folder.appending(path: "new.sqlite").path
            // SQLite would apply this write-ahead log of another ledger to any database of that name.
            let stray = suffix == "-journal" ? copy : ledger.sqlite.path + suffix
            try FileManager.default.copyItem(atPath: stray, toPath: target + suffix)
            let restored = try LedgerBackup.restore(copy, to: target, replacing: false)
            #expect(restored.old == nil && restored.movedFiles == [target + ".before-restore-1" + suffix])
            #expect(restored.movedFiles.allSatisfy { FileManager.default.fileExists(atPath: $0) })
            let opened = try SQLiteStorage(path: target)
            #expect(try await opened.digest() == report.digest)
            try opened.close()
            // The next file that is moved aside gets a new number, so that no stray file of the first belongs to it.
            let again = try LedgerBackup.restore(copy, to: target, replacing: true)
            #expect(again.old == target + ".before-restore-2")
        }
    }

    @Test func `A backup with a write-ahead log is not restored, and no backup is made beside a stray log`()
        async throws
    {
        try await withLedger { ledger, _, folder in
            let copy = folder.appending(path: "copy.sqlite").path
            try Data("x".utf8).write(to: URL(filePath: copy + "-wal"))
            let beside = #expect(throws: StorageError.self) { try LedgerBackup.make(of: ledger.sqlite.path, to: copy) }
            #expect(beside?.message == "\(copy)-wal already exists; a backup never overwrites a file")
            #expect(!FileManager.default.fileExists(atPath: copy))
            try FileManager.default.copyItem(atPath: ledger.sqlite.path, toPath: copy)
            let target = folder.appending(path: "new.sqlite").path
            let error = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(copy, to: target, replacing: false)
            }
            #expect(error?.code == .cannotOpen && error?.message.contains("not all in one file") == true)
            #expect(!FileManager.default.fileExists(atPath: target))
        }
    }
}
