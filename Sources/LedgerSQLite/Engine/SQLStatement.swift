internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// A value of a parameter or a column.
enum SQLValue: Sendable, Hashable {
    case null, integer(Int64), real(Double), text(String), blob(Data)

    init(_ number: (some BinaryInteger)?) { self = number.map { .integer(Int64(clamping: $0)) } ?? .null }
    init(_ flag: Bool?) { self = flag.map { .integer($0 ? 1 : 0) } ?? .null }
    init(_ text: String?) { self = text.map(Self.text) ?? .null }
    init(_ bytes: Data?) { self = bytes.map(Self.blob) ?? .null }
}

/// A statement that is bound and read in SQLite's own terms. Everything in the ledger is read and changed by these, mostly
/// through `run`, `first`, `all` and `each` of the connection.
///
/// GRDB's own rows put each value into a box, which is more work than a question that is asked thousands of times a second,
/// and their subscripts end the process where a column is of another type than the one expected. GRDB still has the
/// connections, the transactions and, with `execute(sql:)`, three kinds of commands: those that change the schema, after
/// which it forgets the tables and statements that it remembers; pragmas that set something, some of which SQLite carries
/// out only when it compiles them, so that none may be kept; and texts of several commands.
struct SQLStatement {
    private let statement: GRDB.Statement
    private var pointer: OpaquePointer { statement.sqliteStatement }

    /// Binds values to a statement, which is compiled the first time that it is asked for.
    ///
    /// - Parameter isCached: Whether the connection keeps the statement, by its text. A kept statement reads for one caller
    ///   at a time: do not run the same text again while you read from it. Pass false for a text that varies without end,
    ///   such as one with a list of numbers: a connection drops nothing that it keeps.
    init(_ sql: String, _ values: [SQLValue], _ db: Database, isCached: Bool = true) throws {
        statement = try isCached ? db.cachedStatement(sql: sql) : db.makeStatement(sql: sql)
        sqlite3_reset(pointer)
        // A parameter without a value would keep that of the last time.
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
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Lets go of what was read and of what was bound: a statement that is kept would keep a whole text.
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

    // MARK: The columns of a row, nil where they are of another type: a file can be damaged, or somebody else's work.

    func number(_ column: Int32) -> Int64? {
        sqlite3_column_type(pointer, column) == SQLITE_INTEGER ? sqlite3_column_int64(pointer, column) : nil
    }

    func small(_ column: Int32) -> Int32? { number(column).map { Int32(clamping: $0) } }

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
        case SQLITE_FLOAT: .real(sqlite3_column_double(pointer, column))
        case SQLITE_TEXT: SQLValue(text(column))
        case SQLITE_BLOB: SQLValue(blob(column))
        default: .null
        }
    }

    /// All columns.
    var values: [SQLValue] { (0..<sqlite3_column_count(pointer)).map(value) }

    func uuid(_ column: Int32) -> UUID? {
        withBlob(column) { $0.count == 16 ? UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) : nil }
    }

    /// SQLite's word for bytes that it has to copy before a call ends.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

extension Database {
    /// Does something; what is changed is in `changesCount`.
    func run(_ sql: String, _ values: [SQLValue]) throws { try each(sql, values) { _ in } }

    /// Whether there is a row.
    func exists(_ sql: String, _ values: [SQLValue]) throws -> Bool { try first(sql, values) { _ in true } ?? false }

    /// Reads the first row; nil when there is none, or when nothing is read of it.
    func first<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLStatement) throws -> Value?) throws -> Value? {
        let statement = try SQLStatement(sql, values, self)
        defer { statement.reset() }
        return try statement.next() ? try read(statement) : nil
    }

    /// The first column of the first row.
    func number(_ sql: String, _ values: [SQLValue]) throws -> Int64? { try first(sql, values) { $0.number(0) } }
    func text(_ sql: String, _ values: [SQLValue]) throws -> String? { try first(sql, values) { $0.text(0) } }

    /// The first column of all rows.
    func numbers(_ sql: String, _ values: [SQLValue]) throws -> [Int64] { try all(sql, values) { $0.number(0) } }
    func texts(_ sql: String, _ values: [SQLValue]) throws -> [String] { try all(sql, values) { $0.text(0) } }

    /// Reads all rows, and leaves out those of which nothing is read.
    ///
    /// - Parameter isCached: False for a text that varies without end: see ``SQLStatement``.
    func all<Value>(
        _ sql: String, _ values: [SQLValue], isCached: Bool = true, _ read: (SQLStatement) throws -> Value?
    ) throws -> [Value] {
        var found: [Value] = []
        try each(sql, values, isCached: isCached) { if let value = try read($0) { found.append(value) } }
        return found
    }

    /// Goes through all rows and collects none of them. The body must not run the same text.
    func each(
        _ sql: String, _ values: [SQLValue], isCached: Bool = true, _ body: (SQLStatement) throws -> Void
    ) throws {
        let statement = try SQLStatement(sql, values, self, isCached: isCached)
        defer { statement.reset() }
        while try statement.next() { try body(statement) }
    }
}
