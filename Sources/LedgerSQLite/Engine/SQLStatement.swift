internal import Ledger
internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// A value of a parameter or a column.
enum SQLValue: Sendable, Hashable {
    case null, integer(Int64), text(String), blob(Data)

    init(_ number: Int64?) { self = number.map(Self.integer) ?? .null }
    init(_ text: String?) { self = text.map(Self.text) ?? .null }
    init(_ bytes: Data?) { self = bytes.map(Self.blob) ?? .null }
}

/// So that GRDB takes and gives it too.
extension SQLValue: DatabaseValueConvertible {
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): bytes.databaseValue
        }
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> SQLValue? {
        switch value.storage {
        case .int64(let number): .integer(number)
        case .string(let text): .text(text)
        case .blob(let bytes): .blob(bytes)
        case .null, .double: .null
        }
    }
}

/// A statement that is bound and read in SQLite's own terms. GRDB puts each value into a box and each question into a
/// transaction of its own on a queue of its own; that is more work than the question, for the few that are asked thousands
/// of times a second. All others go through GRDB, which keeps these statements too.
struct SQLStatement {
    private let statement: GRDB.Statement
    private var pointer: OpaquePointer { statement.sqliteStatement }

    /// Compiles a statement the first time that it is asked for, and gives it these values.
    init(_ sql: String, _ values: [SQLValue], _ db: Database) throws {
        statement = try db.cachedStatement(sql: sql)
        reset()
        for (index, value) in values.enumerated() { try bind(value, at: Int32(truncatingIfNeeded: index + 1)) }
    }

    private func bind(_ value: SQLValue, at place: Int32) throws {
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(pointer, place)
        case .integer(let number): code = sqlite3_bind_int64(pointer, place, number)
        case .text(let text):
            // With its end, so that there is an address even if there is nothing else.
            code = text.withCString {
                sqlite3_bind_text(pointer, place, $0, Int32(clamping: text.utf8.count), Self.copied)
            }
        case .blob(let blob):
            code = blob.withUnsafeBytes {
                $0.isEmpty
                    ? sqlite3_bind_zeroblob(pointer, place, 0)
                    : sqlite3_bind_blob(pointer, place, $0.baseAddress, Int32(clamping: $0.count), Self.copied)
            }
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Goes to the next row; false when there is none.
    func next() throws -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            reset()
            return false
        case let code:
            let failure = failure(code)
            reset()
            throw failure
        }
    }

    /// Lets go of what was read.
    func reset() { sqlite3_reset(pointer) }

    private func failure(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: sqlite3_errmsg(sqlite3_db_handle(pointer)).map { String(cString: $0) })
    }

    // MARK: The columns of a row, nil where they are of another type: a file can be damaged.

    func number(_ column: Int32) -> Int64? {
        sqlite3_column_type(pointer, column) == SQLITE_INTEGER ? sqlite3_column_int64(pointer, column) : nil
    }

    func text(_ column: Int32) -> String? {
        guard sqlite3_column_type(pointer, column) == SQLITE_TEXT, let text = sqlite3_column_text(pointer, column)
        else {
            return nil
        }
        return String(
            decoding: UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(pointer, column))), as: UTF8.self
        )
    }

    func blob(_ column: Int32) -> Data? {
        guard sqlite3_column_type(pointer, column) == SQLITE_BLOB else { return nil }
        guard let bytes = sqlite3_column_blob(pointer, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(pointer, column)))
    }

    /// Reads a blob where it lies. A column of another type is empty.
    func withBlob<Value>(_ column: Int32, _ read: (UnsafeRawBufferPointer) -> Value) -> Value {
        guard sqlite3_column_type(pointer, column) == SQLITE_BLOB,
            let bytes = sqlite3_column_blob(pointer, column)
        else { return read(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return read(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column))))
    }

    func value(_ column: Int32) -> SQLValue {
        switch sqlite3_column_type(pointer, column) {
        case SQLITE_INTEGER: SQLValue(number(column))
        case SQLITE_TEXT: SQLValue(text(column))
        case SQLITE_BLOB: SQLValue(blob(column))
        default: .null
        }
    }

    func uuid(_ column: Int32) -> UUID? {
        withBlob(column) { $0.count == 16 ? UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) : nil }
    }

    /// SQLite's word for bytes that it has to copy before a call ends.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

extension Database {
    /// Does something; what is changed is in `changesCount`.
    func run(_ sql: String, _ values: [SQLValue]) throws {
        let statement = try SQLStatement(sql, values, self)
        while try statement.next() {}
    }

    /// Reads the first row; nil when there is none.
    func first<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLStatement) throws -> Value) throws -> Value? {
        let statement = try SQLStatement(sql, values, self)
        defer { statement.reset() }
        return try statement.next() ? try read(statement) : nil
    }

    /// Reads all rows.
    func all<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLStatement) throws -> Value?) throws -> [Value] {
        let statement = try SQLStatement(sql, values, self)
        defer { statement.reset() }
        var found: [Value] = []
        while try statement.next() { if let value = try read(statement) { found.append(value) } }
        return found
    }
}
