import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

/// Who may write a ledger.
@Suite struct `The lock of the ledger` {
    @Test func `Checking a read-only ledger throws an error`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let storage = try SQLiteStorage(path: folder.appending(path: "ledger.sqlite").path)
            try await storage.checkWritable()
            try await storage.pool.write { db in try db.execute(sql: "PRAGMA query_only = 1") }
            let error = await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            #expect(error?.code == .readOnly)
        }
    }

    @Test func `A ledger cannot be opened by a second writer, also through a symbolic link`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let link = folder.appending(path: "link.sqlite").path
            let first = try SQLiteStorage(path: path)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            for name in [path, link] {
                let error = #expect(throws: StorageError.self) { try SQLiteStorage(path: name) }
                #expect(error?.code == .busy)
                #expect(error?.message.contains("(process \(getpid()))") == true)
            }
            var options = SQLiteStorage.Options()
            options.isOnlyWriter = false
            try SQLiteStorage(path: path, options: options).close()
            try first.close()
            try SQLiteStorage(path: path).close()
        }
    }

    /// Root overwrote a file of its own if the owner of the folder had placed a link to it there.
    @Test func `A symbolic link in place of the file of the lock is not followed`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let other = folder.appending(path: "other")
            try Data("other".utf8).write(to: other)
            try FileManager.default.createSymbolicLink(atPath: path + ".lock", withDestinationPath: other.path)
            let error = #expect(throws: StorageError.self) { try SQLiteStorage(path: path) }
            #expect(error?.code == .cannotOpen)
            #expect(error?.message.hasSuffix("ledger.sqlite.lock is a symbolic link; remove it") == true)
            #expect(try Data(contentsOf: other) == Data("other".utf8))
        }
    }

    /// SQLite refuses them too, but does not say why.
    @Test(arguments: ["-wal", "-shm", "-journal"], [true, false])
    func `A symbolic link in place of another file beside the ledger is refused, also by readers`(
        _ suffix: String, isOnlyWriter: Bool
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            try SQLiteStorage(path: path).close()
            for name in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + name) {
                try FileManager.default.removeItem(atPath: path + name)
            }
            let other = folder.appending(path: "other")
            try Data().write(to: other)
            try FileManager.default.createSymbolicLink(atPath: path + suffix, withDestinationPath: other.path)
            var options = SQLiteStorage.Options()
            options.isOnlyWriter = isOnlyWriter
            let error = #expect(throws: StorageError.self) { try SQLiteStorage(path: path, options: options) }
            #expect(error?.code == .cannotOpen)
            #expect(error?.message.hasSuffix("ledger.sqlite\(suffix) is a symbolic link; remove it") == true)
            #expect(try Data(contentsOf: other).isEmpty)
        }
    }

    /// SQLite created the other file, and wrote customers' data into it.
    @Test func `A link to nothing is removed in place of a temporary database, and refused in place of a backup`()
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let storage = try SQLiteStorage(path: folder.appending(path: "ledger.sqlite").path)
            let link = folder.appending(path: "link").path
            let other = folder.appending(path: "other").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other)
            let error = #expect(throws: StorageError.self) { try LedgerBackup.make(of: storage.path, to: link) }
            #expect(error?.message.contains("already exists") == true)
            try LedgerBackup.remove(link)
            #expect(throws: (any Error).self) { try FileManager.default.destinationOfSymbolicLink(atPath: link) }
            #expect(!FileManager.default.fileExists(atPath: other))
            try storage.close()
        }
    }

    @Test func `A ledger that is open without its lock can be read but not written`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let writer = try SQLiteStorage(path: path)
            var options = SQLiteStorage.Options()
            options.isOnlyWriter = false
            let reader = try SQLiteStorage(path: path, options: options)
            let refusal = Refusal(receivedAt: 0, code: "test", message: "", sender: nil, body: Data())
            let error = await #expect(throws: StorageError.self) { try await reader.commit([refusal]) }
            #expect(error?.code == .readOnly)
            try await writer.commit([refusal])
            #expect(try await reader.refusals(before: .max, limit: 10).count == 1)
            try reader.close()
            try writer.close()
        }
    }
}
