import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerSQLite

@Suite struct `SQL statements` {
    private func withLedger(_ body: (SQLiteStorage) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            try await body(ledger.sqlite)
            try ledger.sqlite.close()
        }
    }

    @Test(arguments: [[], [1, 2]] as [[Int64]])
    func `A wrong number of values is an error, also if the statement was run with values before`(_ values: [Int64])
        async throws
    {
        try await withLedger { storage in
            let select = "SELECT ? + 1"
            let sum = try await storage.read { try $0.first(select, [.integer(1)]) { $0.number(0) } }
            #expect(sum == 2)
            let error = await #expect(throws: StorageError.self) {
                try await storage.read { try $0.first(select, values.map { .integer($0) }) { $0.number(0) } }
            }
            #expect(error?.message.hasSuffix("wrong number of values: \(values.count)") == true)
        }
    }

    @Test(arguments: ["a\0b", "\0", "", "\u{FEFF}a", "👩‍👩‍👧"]) func `A text is bound and read without change`(
        _ text: String
    ) async throws {
        try await withLedger { storage in
            let read = try await storage.read { try $0.first("SELECT ?", [.text(text)]) { $0.text(0) } }
            #expect(read.map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    /// A file may be damaged. The server adds durations to instants, and one to numbers of attempts.
    @Test(
        arguments: [
            (Int64.min, -8_640_000_000_000_000, 0), (-8_640_000_000_000_001, -8_640_000_000_000_000, 0), (-1, -1, 0),
            (1, 1, 1), (8_640_000_000_000_001, 8_640_000_000_000_000, Int(Int32.max)),
            (.max, 8_640_000_000_000_000, Int(Int32.max)),
        ] as [(Int64, Milliseconds, Int)])
    func `Instants and counts are limited so that sums do not overflow`(
        _ stored: Int64, _ instant: Milliseconds, _ count: Int
    ) async throws {
        try await withLedger { storage in
            let read = try await storage.read { db in
                try db.first("SELECT ?", [.integer(stored)]) { row in [row.instant(0), Int64(row.count(0))] }
            }
            #expect(read == [instant, Int64(count)])
        }
    }

    @Test func `Reading a column as another type returns nil`() async throws {
        try await withLedger { storage in
            let read = try await storage.read { db in
                try db.first("SELECT 'a', 1.5, x'00', NULL", []) { row in
                    (0..<4).map { row.number($0) } + [row.text(1).map { _ in 1 }, row.blob(0).map { _ in 1 }]
                }
            }
            #expect(read == Array(repeating: nil, count: 6))
        }
    }

    /// Cancels the task while SQLite runs a statement that would take minutes.
    @Test(.timeLimit(.minutes(10))) func `Cancelling the task of a running statement throws a cancellation error`()
        async throws
    {
        try await withLedger { storage in
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let reading = Task {
                try await storage.read { db in
                    db.add(
                        function: DatabaseFunction("begun", argumentCount: 0) { _ in
                            begin.finish()
                            return 1
                        })
                    return try db.first(
                        """
                        WITH RECURSIVE numbers (i) AS (SELECT begun() UNION ALL SELECT i + 1 FROM numbers WHERE i < 1e10)
                        SELECT max(i) FROM numbers
                        """, []
                    ) { $0.number(0) }
                }
            }
            for await _ in begun {}
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
        }
    }
}
