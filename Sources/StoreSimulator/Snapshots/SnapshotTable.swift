internal import AppStoreModels
internal import Basics

/// A part of a store that grows with its customers.
struct SnapshotTable: Sendable {
    let name: String
    let clear: @Sendable (inout Store) -> Void
    let write: @Sendable (Store, AppStoreEnvironment, inout SnapshotWriter) async throws -> Void
    let read: @Sendable (inout Store, Int, inout SnapshotReader) async throws -> Void

    private typealias Row = SnapshotFile.Row

    /// Writes a value without a coder; false where it needs one.
    typealias ValueWriter<Value> = @Sendable (Value, inout JSONWriter, SnapshotTemplates) -> Bool

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
        } line: {
            $0.write(to: &$1, $2)
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
        set: @escaping @Sendable (inout Store, [String: Value]) -> Void, line: ValueWriter<Value>? = nil
    ) -> SnapshotTable {
        SnapshotTable(
            name: name,
            clear: { set(&$0, [:]) },
            write: { store, environment, lines in
                let rows = get(store)
                guard !rows.isEmpty else { return }
                try lines.add(SnapshotFile.Heading(table: name, environment: environment, count: rows.count))
                try await lines.add(rows.lazy.map { Row(key: $0.key, value: $0.value) }, line)
            },
            read: { store, count, lines in
                var rows: [String: Value] = [:]
                try await lines.next(count, Row<Value>.self) { row in
                    guard let key = row.key else { throw SnapshotReader.damaged }
                    rows[key] = row.value
                }
                set(&store, rows)
            })
    }

    private static let notifications = SnapshotTable(
        name: "notifications",
        clear: { $0.notifications = [] },
        write: { store, environment, lines in
            guard !store.notifications.isEmpty else { return }
            let count = store.notifications.count
            try lines.add(SnapshotFile.Heading(table: "notifications", environment: environment, count: count))
            try await lines.add(store.notifications.lazy.map { Row(value: $0) }) { $0.write(to: &$1, $2) }
        },
        read: { store, count, lines in
            try await lines.next(count, Row<NotificationRecord>.self) { row in
                var record = row.value
                record.share(with: store.transactions)
                store.notifications.append(record)
            }
        })
}
