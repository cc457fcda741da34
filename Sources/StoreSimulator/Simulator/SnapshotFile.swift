internal import AppStoreModels
internal import Basics
package import Foundation

/// A snapshot on disk, written and read a record at a time: neither takes more memory than the longest record and a buffer.
///
///     {"version":3,"clock":{…},"production":{…},…}                     the state, but for the tables
///     {"table":"transactions","environment":"Production","count":1}     then so many rows
///     {"key":"340001000000123","value":{…}}
///     {"table":"end","count":3}                                         and how many lines there were
///
/// What is not known yet, tables included, is passed over; what is missing is as at the beginning.
package struct SnapshotFile {
    private let url: URL

    package init(_ url: URL) { self.url = url }

    fileprivate struct Heading: Codable {
        var table: String
        var environment: AppStoreEnvironment?
        var count: Int
    }

    fileprivate static let end = "end"
    private static let environments = [AppStoreEnvironment.production, .sandbox]

    /// Writes `state` beside the file and puts it into the file's place when it is complete.
    package func write(_ state: SimulatorState) throws {
        let temporary = url.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).partial")
        do {
            var lines = try SnapshotWriter(temporary)
            var rest = state
            for table in SnapshotTable.all {
                table.clear(&rest.production)
                table.clear(&rest.sandbox)
            }
            try lines.add(rest)
            for environment in Self.environments {
                for table in SnapshotTable.all { try table.write(state[environment], environment, &lines) }
            }
            try lines.add(Heading(table: Self.end, count: lines.count))
            try lines.finish()
            guard rename(temporary.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            // What is left of it has a name that nobody reads.
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
    }

    /// Reads the state. Throws for what is not whole.
    package func read() throws -> SimulatorState {
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        var lines = SnapshotReader(file)
        var state = try lines.next(SimulatorState.self)
        while true {
            let before = lines.count
            let heading = try lines.next(Heading.self)
            guard heading.table != Self.end else {
                guard heading.count == before else { throw SnapshotReader.damaged }
                break
            }
            guard let environment = heading.environment, Self.environments.contains(environment),
                let table = SnapshotTable.all.first(where: { $0.name == heading.table })
            else {
                try lines.skip(heading.count)
                continue
            }
            try table.read(&state[environment], heading.count, &lines)
        }
        return state
    }
}

/// A part of a store that grows with its customers.
private struct SnapshotTable: Sendable {
    let name: String
    let clear: @Sendable (inout Store) -> Void
    let write: @Sendable (Store, AppStoreEnvironment, inout SnapshotWriter) throws -> Void
    let read: @Sendable (inout Store, Int, inout SnapshotReader) throws -> Void

    struct Row<Value: Codable>: Codable {
        var key: String?
        var value: Value
    }

    /// The order is that in which they are read: notifications find the transactions that they share.
    static let all: [SnapshotTable] = [
        table("customers") {
            $0.customers
        } set: {
            $0.customers = $1
        },
        table("transactions") {
            $0.transactions
        } set: {
            $0.transactions = $1
        },
        table("subscriptions") {
            $0.subscriptions
        } set: {
            $0.subscriptions = $1
        },
        table("customersByAppTransaction") {
            $0.customersByAppTransaction
        } set: {
            $0.customersByAppTransaction = $1
        },
        table("transactionsByOrder") {
            $0.transactionsByOrder
        } set: {
            $0.transactionsByOrder = $1
        },
        table("usedOfferNonces") {
            $0.usedOfferNonces
        } set: {
            $0.usedOfferNonces = $1
        },
        table("tests") {
            $0.tests
        } set: {
            $0.tests = $1
        },
        notifications,
    ]

    private static func table<Value: Codable & Sendable>(
        _ name: String, _ get: @escaping @Sendable (Store) -> [String: Value],
        set: @escaping @Sendable (inout Store, [String: Value]) -> Void
    ) -> SnapshotTable {
        SnapshotTable(
            name: name,
            clear: { set(&$0, [:]) },
            write: { store, environment, lines in
                let rows = get(store)
                guard !rows.isEmpty else { return }
                try lines.add(SnapshotFile.Heading(table: name, environment: environment, count: rows.count))
                for (key, value) in rows { try lines.add(Row(key: key, value: value)) }
            },
            read: { store, count, lines in
                var rows: [String: Value] = [:]
                for _ in 0..<max(0, count) {
                    let row = try lines.next(Row<Value>.self)
                    guard let key = row.key else { throw SnapshotReader.damaged }
                    rows[key] = row.value
                }
                set(&store, rows)
            })
    }

    private static let notifications = SnapshotTable(
        name: "notifications",
        clear: {
            $0.notifications = []
            $0.notificationsByUUID = [:]
        },
        write: { store, environment, lines in
            guard !store.notifications.isEmpty else { return }
            let count = store.notifications.count
            try lines.add(SnapshotFile.Heading(table: "notifications", environment: environment, count: count))
            for record in store.notifications { try lines.add(Row(value: record)) }
        },
        read: { store, count, lines in
            for _ in 0..<max(0, count) {
                var record = try lines.next(Row<NotificationRecord>.self).value
                record.share(with: store.transactions)
                store.notificationsByUUID[record.uuid] = store.notifications.count
                store.notifications.append(record)
            }
        })
}

/// Lines on their way into a file.
private struct SnapshotWriter {
    private let file: FileHandle
    private let encoder = JSONLineEncoder(capacity: 2 << 20)
    private(set) var count = 0

    init(_ url: URL) throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        file = try FileHandle(forWritingTo: url)
    }

    mutating func add(_ value: some Encodable) throws {
        try encoder.encode(value)
        count += 1
        if encoder.count > 1 << 20 { try flush() }
    }

    func finish() throws {
        try flush()
        try file.close()
    }

    private func flush() throws {
        try file.write(contentsOf: encoder.written)
        encoder.removeAll()
    }
}

/// Lines out of a file.
private struct SnapshotReader {
    private var lines: LineReader
    private(set) var count = 0

    static let damaged = SimulatorError("corrupted", "the snapshot is damaged")
    /// No record is longer; a line that is belongs to something else.
    private static let longestLine = 1 << 30

    init(_ file: FileHandle) { lines = LineReader(file, longest: Self.longestLine) }

    mutating func next<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard case .bytes(let line)? = try lines.next() else { throw Self.damaged }
        count += 1
        do { return try StrictJSONDecoder.decode(type, from: line) } catch is JSONProblem {
            // Names with escapes in them, and deep values that somebody gave a trigger: rare, and Foundation reads them.
            let decoder = JSONDecoder()
            decoder.dataDecodingStrategy = .deferredToData
            return try decoder.decode(type, from: Data(line))
        }
    }

    mutating func skip(_ lines: Int) throws {
        for _ in 0..<max(0, lines) {
            guard try self.lines.next() != nil else { throw Self.damaged }
            count += 1
        }
    }
}
