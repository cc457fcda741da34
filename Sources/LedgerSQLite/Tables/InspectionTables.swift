/// What people look through.
enum InspectionTables {
    static let schema = [
        // What happened here and not in the App Store is rare, and so are the rows of these.
        "CREATE INDEX own_events_by_purchase ON events (scope, original_id) WHERE notification IS NULL",
        "CREATE INDEX own_events_by_customer ON events (scope, customer) WHERE notification IS NULL",
        """
        CREATE TABLE refused (
            id INTEGER PRIMARY KEY AUTOINCREMENT, received_at INTEGER NOT NULL, code TEXT NOT NULL,
            message TEXT NOT NULL, sender TEXT, body BLOB NOT NULL)
        """,
    ]
}
