internal import AppStoreModels
internal import Basics

/// A collection of a store that grows with the number of customers, and is stored as rows.
struct SnapshotTable: Sendable {
    let name: String
    let clear: @Sendable (inout Store) -> Void
    let write: @Sendable (Store, AppStoreEnvironment, inout SnapshotWriter) async throws -> Void
    let read: @Sendable (inout Store, Int, inout SnapshotReader) async throws -> Void

    private typealias Row = SnapshotFile.Row

    /// Writes a value without `Codable`. Returns false if the value requires `Codable`.
    typealias ValueWriter<Value> = @Sendable (Value, inout JSONWriter, SnapshotTemplates) -> Bool

    /// The tables in the order of reading. Notifications follow the transactions whose storage they share.
    static let all: [SnapshotTable] = [
        table("customers", \.customers),
        table("transactions", \.transactions) { $0.write(to: &$1, $2) },
        table("subscriptions", \.subscriptions),
        table("customersByAppTransaction", \.customersByAppTransaction),
        table("usedOfferNonces", \.usedOfferNonces),
        table("tests", \.tests),
        notifications,
    ]

    private static func table<Value: Codable & Sendable>(
        _ name: String, _ rows: any WritableKeyPath<Store, [String: Value]> & Sendable,
        line: ValueWriter<Value>? = nil
    ) -> SnapshotTable {
        SnapshotTable(
            name: name,
            clear: { $0[keyPath: rows] = [:] },
            write: { store, environment, lines in
                let written = store[keyPath: rows]
                guard !written.isEmpty else { return }
                try lines.add(SnapshotFile.Heading(table: name, environment: environment, count: written.count))
                try await lines.add(written.lazy.map { Row(key: $0.key, value: $0.value) }, line)
            },
            read: { store, count, lines in
                var read: [String: Value] = [:]
                try await lines.next(count, Row<Value>.self) { row in
                    guard let key = row.key else { throw SnapshotTemplates.damaged }
                    read[key] = row.value
                }
                store[keyPath: rows] = read
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
                record.shareStorage(with: store.transactions)
                store.notifications.append(record)
            }
        })
}
