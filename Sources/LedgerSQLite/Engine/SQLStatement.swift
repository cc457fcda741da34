internal import AppStoreModels
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import Ledger

/// The value of a parameter or a column. Texts are compared by their bytes, as SQLite does.
enum SQLValue: Sendable, Equatable {
    case null, integer(Int64), real(Double), text(String), blob(Data)

    init(_ number: (some BinaryInteger)?) { self = number.map { .integer(Int64(clamping: $0)) } ?? .null }
    init(_ flag: Bool?) { self = flag.map { .integer($0 ? 1 : 0) } ?? .null }
    init(_ text: String?) { self = text.map(Self.text) ?? .null }
    init(_ bytes: Data?) { self = bytes.map(Self.blob) ?? .null }

    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.text(let left), .text(let right)): left.isExactly(right)
        case (.blob(let left), .blob(let right)): left == right
        default: false
        }
    }
}

/// A statement that uses SQLite's own API for binding and reading. All reads and changes of the ledger use it, mostly
/// through `run`, `first`, `all` and `each` of the connection.
///
/// GRDB's rows box every value, which is too slow for queries that run thousands of times a second, and their
/// subscripts trap if a column has an unexpected type. GRDB still manages connections and transactions, and its
/// `execute(sql:)` runs three kinds of commands: changes of the schema, after which GRDB clears its caches; pragmas,
/// some of which take effect when they are compiled, so that they must not be cached; and texts with several commands.
struct SQLStatement {
    private let statement: GRDB.Statement
    private var pointer: OpaquePointer { statement.sqliteStatement }

    /// Binds values to a statement, which is compiled at its first use.
    ///
    /// - Parameter isCached: Whether the connection caches the statement by its text. A cached statement serves one
    ///   caller at a time: do not run the same text again while reading from it. Pass false for texts with unbounded
    ///   variations, such as those with a list of numbers, because a connection's cache never evicts statements.
    init(_ sql: String, _ values: [SQLValue], _ db: Database, isCached: Bool = true) throws {
        statement = try isCached ? db.cachedStatement(sql: sql) : db.makeStatement(sql: sql)
        sqlite3_reset(pointer)
        // A parameter without a value would keep the previous one.
        guard sqlite3_bind_parameter_count(pointer) == values.count else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "wrong number of values: \(values.count)")
        }
        for (index, value) in values.enumerated() { try bind(value, at: Int32(truncatingIfNeeded: index + 1)) }
    }

    private func bind(_ value: SQLValue, at place: Int32) throws {
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(pointer, place)
        case .integer(let number): code = sqlite3_bind_int64(pointer, place, number)
        case .real(let number): code = sqlite3_bind_double(pointer, place, number)
        case .text(let text):
            // Includes the terminator, so that an empty text has an address too.
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

    /// Steps to the next row; returns false if there is none.
    func next() throws -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Resets the statement and clears its bindings, so that a cached statement does not retain a whole text.
    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    private func failure(_ code: Int32) -> any Error {
        let code = ResultCode(rawValue: code)
        switch code {
        // GRDB interrupts the statements of a cancelled task.
        case .SQLITE_INTERRUPT, .SQLITE_ABORT: if Task.isCancelled { return CancellationError() }
        default: break
        }
        return DatabaseError(
            resultCode: code, message: sqlite3_errmsg(sqlite3_db_handle(pointer)).map { String(cString: $0) })
    }

    // MARK: The columns of a row; nil for another type, since a file may be corrupt or modified by another program.

    func number(_ column: Int32) -> Int64? {
        sqlite3_column_type(pointer, column) == SQLITE_INTEGER ? sqlite3_column_int64(pointer, column) : nil
    }

    func int32(_ column: Int32) -> Int32? { number(column).map { Int32(clamping: $0) } }

    /// A number of items, limited to 0 to 2^31 - 1 so that it can be counted on; 0 instead of nil.
    func count(_ column: Int32) -> Int { max(0, Int(int32(column) ?? 0)) }

    /// An instant, limited to the range of dates: no sum of it and a duration overflows.
    func instant(_ column: Int32) -> Milliseconds? {
        let range = Date.representableMilliseconds
        return number(column).map { min(max($0, range.lowerBound), range.upperBound) }
    }

    /// How a text was received; `imported` for an unknown number.
    func origin(_ column: Int32) -> Origin { number(column).flatMap(Origin.init) ?? .imported }

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

    /// Reads a blob without copying it. A column of another type is passed as empty.
    func withBlob<Value>(_ column: Int32, _ read: (UnsafeRawBufferPointer) -> Value) -> Value {
        guard sqlite3_column_type(pointer, column) == SQLITE_BLOB,
            let bytes = sqlite3_column_blob(pointer, column)
        else { return read(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return read(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column))))
    }

    func value(_ column: Int32) -> SQLValue {
        switch sqlite3_column_type(pointer, column) {
        case SQLITE_INTEGER: SQLValue(number(column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(pointer, column))
        case SQLITE_TEXT: SQLValue(text(column))
        case SQLITE_BLOB: SQLValue(blob(column))
        default: .null
        }
    }

    /// The values of all columns.
    var values: [SQLValue] { (0..<sqlite3_column_count(pointer)).map(value) }

    func uuid(_ column: Int32) -> UUID? {
        withBlob(column) { $0.count == 16 ? UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) : nil }
    }

    /// `SQLITE_TRANSIENT`: SQLite copies the bytes before the call returns.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

extension Collection {
    /// One placeholder for each element, for a list of values in SQL.
    var placeholders: String { repeatElement("?", count: count).joined(separator: ", ") }
}

extension Sequence where Element: BinaryInteger {
    /// The numbers as a list in SQL, for a text that is not cached (see ``SQLStatement``), or between the brackets of a
    /// JSON array.
    var sqlList: String { map { String($0) }.joined(separator: ", ") }
}

extension Database {
    /// Runs a statement without reading rows. `changesCount` contains the number of changed rows.
    func run(_ sql: String, _ values: [SQLValue]) throws { try each(sql, values) { _ in } }

    /// Whether the query returns a row.
    func exists(_ sql: String, _ values: [SQLValue]) throws -> Bool { try first(sql, values) { _ in true } ?? false }

    /// Reads the first row; nil if there is no row, or if `read` returns nil.
    func first<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLStatement) throws -> Value?) throws -> Value? {
        let statement = try SQLStatement(sql, values, self)
        defer { statement.reset() }
        return try statement.next() ? try read(statement) : nil
    }

    /// Returns the first column of the first row.
    func number(_ sql: String, _ values: [SQLValue]) throws -> Int64? { try first(sql, values) { $0.number(0) } }
    func text(_ sql: String, _ values: [SQLValue]) throws -> String? { try first(sql, values) { $0.text(0) } }

    /// Returns the first column of all rows.
    func numbers(_ sql: String, _ values: [SQLValue]) throws -> [Int64] { try all(sql, values) { $0.number(0) } }
    func texts(_ sql: String, _ values: [SQLValue]) throws -> [String] { try all(sql, values) { $0.text(0) } }

    /// Reads all rows, and omits those for which `read` returns nil.
    ///
    /// - Parameter isCached: False for a text with unbounded variations: see ``SQLStatement``.
    func all<Value>(
        _ sql: String, _ values: [SQLValue], isCached: Bool = true, _ read: (SQLStatement) throws -> Value?
    ) throws -> [Value] {
        var found: [Value] = []
        try each(sql, values, isCached: isCached) { if let value = try read($0) { found.append(value) } }
        return found
    }

    /// Reads all rows into a dictionary. Of several values of one key the first counts.
    func dictionary<Key: Hashable, Value>(
        _ sql: String, _ values: [SQLValue], isCached: Bool = true, _ read: (SQLStatement) throws -> (Key, Value)
    ) throws -> [Key: Value] {
        Dictionary(try all(sql, values, isCached: isCached) { try read($0) }) { first, _ in first }
    }

    /// Calls `body` for each row without collecting results. `body` must not run the same text.
    func each(
        _ sql: String, _ values: [SQLValue], isCached: Bool = true, _ body: (SQLStatement) throws -> Void
    ) throws {
        let statement = try SQLStatement(sql, values, self, isCached: isCached)
        defer { statement.reset() }
        while try statement.next() { try body(statement) }
    }
}
