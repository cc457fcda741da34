import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

extension `Erasure of a customer` {
    /// Whether the ledger's file or its write-ahead log contains the bytes of a text.
    private static func isInFiles(of ledger: String, _ text: String) throws -> Bool {
        try [ledger, ledger + "-wal"].contains { path in
            try Data(contentsOf: URL(filePath: path)).range(of: Data(text.utf8)) != nil
        }
    }

    @Test func `The ledger's file and its write-ahead log lose the name while the server runs`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            let path = folder.appending(path: "ledger.sqlite").path
            let claim = ClaimEvent(at: 1, .join, "person-anna")
            try await ledger.sqlite.add(
                [.claim(.init(subject: .purchase("1", in: ledger.appEnvironment.id), event: claim))], at: 1)
            #expect(try Self.isInFiles(of: path, "person-anna"))
            let erasure = try await ledger.sqlite.erase("person-anna", in: ledger.appEnvironment, at: 2)
            #expect(erasure.claims > 0)
            try await waitUntil("the name is in neither file") { try !Self.isInFiles(of: path, "person-anna") }
            #expect(try Self.isInFiles(of: path, "erased:"))
            try ledger.sqlite.close()
        }
    }

    @Test func `After a killed import, both files lose the names that it brought back`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            let path = folder.appending(path: "ledger.sqlite").path
            _ = try await ledger.sqlite.erase("person-anna", in: ledger.appEnvironment, at: 2)
            try await waitUntil("the log is empty") { try Data(contentsOf: URL(filePath: path + "-wal")).isEmpty }
            try await ledger.sqlite.beginImport()
            let claim = ClaimEvent(at: 1, .join, "person-anna")
            try await ledger.sqlite.add(
                [.claim(.init(subject: .purchase("1", in: ledger.appEnvironment.id), event: claim))], at: 3)
            #expect(try Self.isInFiles(of: path, "person-anna"))
            try await ledger.sqlite.finishImport()
            try await waitUntil("the name is in neither file") { try !Self.isInFiles(of: path, "person-anna") }
            try ledger.sqlite.close()
        }
    }

    @Test func `If the server is killed before it empties the log, it does so at the next start`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            let path = folder.appending(path: "ledger.sqlite").path
            let copy = folder.appending(path: "copy.sqlite").path
            let claim = ClaimEvent(at: 1, .join, "person-anna")
            try await ledger.sqlite.add(
                [.claim(.init(subject: .purchase("1", in: ledger.appEnvironment.id), event: claim))], at: 1)
            let end = DispatchSemaphore(value: 0)
            defer { end.signal() }
            ledger.sqlite.checkpoints.connection.asyncWriteWithoutTransaction { _ in end.wait() }
            _ = try await ledger.sqlite.erase("person-anna", in: ledger.appEnvironment, at: 2)
            for name in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + name, toPath: copy + name) }
            #expect(try Self.isInFiles(of: copy, "person-anna"))
            let storage = try SQLiteStorage(path: copy)
            try await waitUntil("the name is in neither file") { try !Self.isInFiles(of: copy, "person-anna") }
            try storage.close()
            end.signal()
            try ledger.sqlite.close()
        }
    }
}
