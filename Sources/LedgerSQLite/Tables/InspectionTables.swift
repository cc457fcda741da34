/// Indices and tables for inspection by people.
enum InspectionTables {
    static let schema = [
        // Events of the server's own are rare, so these indices are small.
        "CREATE INDEX own_events_by_purchase ON events (scope, original_id) WHERE notification IS NULL",
        "CREATE INDEX own_events_by_customer ON events (scope, customer) WHERE notification IS NULL",
        """
        CREATE TABLE refused (
            id INTEGER PRIMARY KEY AUTOINCREMENT, received_at INTEGER NOT NULL, code TEXT NOT NULL,
            message TEXT NOT NULL, sender TEXT, body BLOB NOT NULL)
        """,
    ]
}
