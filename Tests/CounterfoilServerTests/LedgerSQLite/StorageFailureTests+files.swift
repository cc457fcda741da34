import CounterfoilServer
import Foundation
import GRDB
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

extension `Storage failures` {
    private static let refusal = Refusal(receivedAt: 0, code: "test", message: "", sender: nil, body: Data())

    @Test(arguments: [
        (EROFS, StorageError.Code.readOnly, "mounted read-only"), (EACCES, .readOnly, "write access"),
        (ENOSPC, .full, "full"), (ENOENT, .cannotOpen, "does its folder exist"),
    ])
    func `A system error on opening a file has a code and says what to do`(
        number: Int32, code: StorageError.Code, words: String
    ) {
        let error = StorageError(errno: number, path: "/srv/ledger.sqlite")
        #expect(error.code == code && error.message.contains(words), "\(error.message)")
    }

    @Test func `Requests that fail because of a read-only disk log at most five lines per second`() async throws {
        let (lines, count) = (LogCapture(), 200)
        try await World.run(logger: lines.logger(.init())) { world in
            let payload = try await Self.unsentNotification(world, "anna")
            let start = ContinuousClock.now
            try await world.withReadOnlyLedger {
                for _ in 0..<count {
                    let refused = try await Self.post(payload, to: world)
                    #expect(refused.status == 503)
                }
            }
            let (seconds, _) = start.duration(to: .now).components
            let logged = lines.count(of: "request failed")
            #expect(logged >= 1 && Int64(logged) <= 5 * (seconds + 2) + 1)
        }
    }

    /// The path may be that of a backup, so the message does not mention acknowledgements.
    @Test func `The error of a full disk names the file and says what to do`() {
        let error = StorageError(DatabaseError(resultCode: .SQLITE_FULL), path: "/backup/copy.sqlite")
        #expect(error.code == .full)
        #expect(error.message == "the disk of /backup/copy.sqlite is full; free some space there")
    }

    /// SQLite reports it as an error of input or output: the file `-shm` cannot grow.
    @Test func `The error of a full disk on opening a ledger says that the disk is full`() {
        let error = StorageError(DatabaseError(resultCode: .SQLITE_IOERR_SHMSIZE), path: "/srv/ledger.sqlite")
        #expect(error.code == .full && error.message.contains("free some space"), "\(error.message)")
        let other = StorageError(DatabaseError(resultCode: .SQLITE_IOERR_READ), path: "/srv/ledger.sqlite")
        #expect(other.code == .failed)
    }

    /// SQLite reports EDQUOT and EFBIG in the same way as a failing disk.
    @Test func `The error of a disk that cannot be written names the file, the system's log and limits`() {
        let error = StorageError(DatabaseError(resultCode: .SQLITE_IOERR_WRITE), path: "/srv/ledger.sqlite")
        #expect(error.code == .failed)
        for words in ["/srv/ledger.sqlite cannot be read or written", "the system's log", "quota", "ulimit -f"] {
            #expect(error.message.contains(words), "\(error.message)")
        }
    }

    /// A backup whose copy cannot be written has the message of the ledger's connection, which has no error.
    @Test func `The error of a copy that cannot be written does not say that there is no error`() {
        let copy = DatabaseError(resultCode: .SQLITE_IOERR_WRITE, message: "not an error")
        let error = StorageError(copy, path: "/backup/copy.sqlite")
        #expect(error.message.hasPrefix("/backup/copy.sqlite cannot be read or written (disk I/O error)"))
    }

    @Test(arguments: ["", "-wal"]) func `No commit succeeds while a file of the ledger is moved away`(
        suffix: String
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let (file, away) = (path + suffix, folder.appending(path: "away").path)
            let storage = try SQLiteStorage(path: path)
            try await storage.commit([Self.refusal])
            try FileManager.default.moveItem(atPath: file, toPath: away)
            let error = await #expect(throws: StorageError.self) { try await storage.commit([Self.refusal]) }
            #expect(error?.code == .failed && error?.message.hasPrefix("\(file) was moved or removed") == true)
            let unwritable = await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            #expect(unwritable == error)
            // Another file at the same path is not the ledger's.
            try Data().write(to: URL(filePath: file))
            let foreign = await #expect(throws: StorageError.self) { try await storage.commit([Self.refusal]) }
            #expect(foreign == error)
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.moveItem(atPath: away, toPath: file)
            try await storage.commit([Self.refusal])
            try storage.close()
        }
    }

    @Test func `The first of two processes commits nothing after the file of its lock was removed`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let first = try SQLiteStorage(path: path)
            try FileManager.default.removeItem(atPath: path + ".lock")
            try await first.commit([Self.refusal])
            let second = try SQLiteStorage(path: path)
            try await second.commit([Self.refusal])
            let error = await #expect(throws: StorageError.self) { try await first.commit([Self.refusal]) }
            #expect(error?.code == .failed && error?.message.hasPrefix("\(path).lock was replaced") == true)
            #expect(try await second.refusals(before: .max, limit: 10).count == 2)
            try second.close()
            await #expect(throws: StorageError.self) { try await first.commit([Self.refusal]) }
            try first.close()
        }
    }

    @Test func `A commit whose write-ahead log was removed is in the ledger after closing`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let storage = try SQLiteStorage(path: path)
            try await storage.commit([Self.refusal])
            try FileManager.default.removeItem(atPath: path + "-wal")
            let error = await #expect(throws: StorageError.self) { try await storage.commit([Self.refusal]) }
            #expect(error?.message.hasPrefix("\(path)-wal was moved or removed") == true)
            try storage.close()
            let again = try SQLiteStorage(path: path)
            #expect(try await again.refusals(before: .max, limit: 10).count == 1)
            try again.close()
        }
    }

    /// SQLite deleted the log, and the server began with an empty ledger.
    @Test(arguments: [true, false], [true, false]) func `A write-ahead log without its ledger is not deleted`(
        isMissing: Bool, isOnlyWriter: Bool
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let place = folder.appending(path: "other.sqlite").path
            let copy = folder.appending(path: "copy.sqlite").path
            let storage = try SQLiteStorage(path: path)
            try await storage.commit([Self.refusal])
            let log = try Data(contentsOf: URL(filePath: path + "-wal"))
            try #require(!log.isEmpty)
            try storage.close()
            _ = try LedgerBackup.make(of: path, to: copy)
            // The state after a kill: the latest commits are only in the log.
            try log.write(to: URL(filePath: place + "-wal"))
            if !isMissing { try Data().write(to: URL(filePath: place)) }
            var options = SQLiteStorage.Options()
            options.isOnlyWriter = isOnlyWriter
            let error = #expect(throws: StorageError.self) { try SQLiteStorage(path: place, options: options) }
            #expect(error?.code == .cannotOpen && error?.message.contains("-wal has the latest commits") == true)
            #expect(throws: StorageError.self) { try LedgerBackup.make(of: place, to: place + ".copy") }
            #expect(try Data(contentsOf: URL(filePath: place + "-wal")) == log)
            _ = try LedgerBackup.restore(copy, to: place, replacing: true)
            let restored = try SQLiteStorage(path: place)
            #expect(try await restored.refusals(before: .max, limit: 10).count == 1)
            try restored.close()
        }
    }

    /// The disk of the ledger may not be mounted, or `storage.path` may be wrong.
    @Test func `The log says that there was no ledger, and only then`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let lines = LogCapture()
            var settings = ServerConfiguration.Storage()
            settings.path = folder.appending(path: "ledger.sqlite").path
            for _ in 0..<2 {
                let ledger = try await LedgerOpener.configured.open(settings, lines.logger(.init()))
                try await ledger.close()
                #expect(lines.count(of: "there was no ledger") == 1, "\(lines.text)")
                #expect(lines.text.contains(settings.path))
            }
        }
    }

    @Test(.enabled(if: getuid() != 0, "root may write to any folder"))
    func `Opening a ledger in a read-only folder throws an error with the path`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
            let error = #expect(throws: StorageError.self) { try SQLiteStorage(path: path) }
            #expect(error?.code == .readOnly && error?.message.contains(path) == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        }
    }

    /// As after root copied a backup. The message asked whether the folder exists.
    @Test(.enabled(if: getuid() != 0, "root may read any file"))
    func `Opening a ledger of another user throws an error that names the access to the file`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            try SQLiteStorage(path: path).close()
            try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: path)
            let error = #expect(throws: StorageError.self) { try SQLiteStorage(path: path) }
            #expect(error?.code == .readOnly && error?.message.contains("read and write access to the file") == true)
        }
    }

    @Test func `A folder is not used as a ledger, and nothing is changed`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let place = folder.appending(path: "ledger.sqlite").path
            let (source, copy) = (folder.appending(path: "a.sqlite").path, folder.appending(path: "b.sqlite").path)
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            try SQLiteStorage(path: source).close()
            _ = try LedgerBackup.make(of: source, to: copy)
            let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            var reader = SQLiteStorage.Options()
            reader.isOnlyWriter = false
            let writing = #expect(throws: StorageError.self) { try SQLiteStorage(path: place) }
            let reading = #expect(throws: StorageError.self) { try SQLiteStorage(path: place, options: reader) }
            let saved = #expect(throws: StorageError.self) { try LedgerBackup.make(of: place, to: place + ".copy") }
            let restored = #expect(throws: StorageError.self) {
                try LedgerBackup.restore(copy, to: place, replacing: true)
            }
            for error in [writing, reading, saved, restored] {
                #expect(error?.code == .cannotOpen && error?.message == "\(place) is a folder; name a file in it")
            }
            let after = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(after == before)
        }
    }

    @Test func `Opening a ledger in a missing folder throws an error with the path`() {
        let error = #expect(throws: StorageError.self) { try SQLiteStorage(path: "/nowhere/at/all.sqlite") }
        #expect(error?.code == .cannotOpen && error?.message.contains("/nowhere/at/all.sqlite") == true)
    }

    @Test func `Opening a file that is no database throws an error and does not change the file`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "notes.txt")
            let text = Data(String(repeating: "This is no ledger. ", count: 1000).utf8)
            try text.write(to: file)
            let error = #expect(throws: StorageError.self) { try SQLiteStorage(path: file.path) }
            #expect(error?.code == .notALedger)
            #expect(try Data(contentsOf: file) == text)
        }
    }

    /// A connection that only reads cannot remove the log, so it must not be the last.
    @Test(arguments: [true, false]) func `A closed ledger is one file beside the file of its lock`(
        isOnlyWriter: Bool
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            try SQLiteStorage(path: path).close()
            var options = SQLiteStorage.Options()
            options.isOnlyWriter = isOnlyWriter
            let storage = try SQLiteStorage(path: path, options: options)
            #expect(try await storage.isEmpty())
            #expect(storage.logBytes != nil)
            try storage.close()
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.sorted() == ["ledger.sqlite", "ledger.sqlite.lock"])
        }
    }

    @Test func `A backup of a ledger that no server uses leaves no file beside the ledger`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            try SQLiteStorage(path: path).close()
            _ = try LedgerBackup.make(of: path, to: folder.appending(path: "copy.sqlite").path)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.sorted() == ["copy.sqlite", "ledger.sqlite", "ledger.sqlite.lock"])
        }
    }

    @Test func `Ledgers and backups are readable by the server's user only`() async throws {
        try await Tool.inTemporaryFolder { folder in
            func modes(_ names: [String]) throws -> [Int?] {
                try names.map { name in
                    let path = folder.appending(path: name).path
                    let attributes = try FileManager.default.attributesOfItem(atPath: path)
                    return (attributes[.posixPermissions] as? NSNumber)?.intValue
                }
            }
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            let files = ["", "-wal", "-shm", ".lock"].map { "ledger.sqlite" + $0 }
            #expect(try modes(files) == files.map { _ in 0o600 })
            let (path, copy) = (ledger.sqlite.path, folder.appending(path: "copy.sqlite").path)
            _ = try LedgerBackup.make(of: path, to: copy)
            #expect(try modes(["copy.sqlite"]) == [0o600])
            try ledger.sqlite.close()
            // A copy whose permissions were changed elsewhere.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy)
            _ = try LedgerBackup.restore(copy, to: path, replacing: true)
            #expect(try modes(["ledger.sqlite"]) == [0o600])
            // The file has its permissions before anything else happens to it.
            try LedgerBackup.copyFile(copy, to: folder.appending(path: "second.sqlite").path)
            #expect(try modes(["second.sqlite"]) == [0o600])
        }
    }
}
