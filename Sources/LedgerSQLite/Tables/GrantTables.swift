internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB
internal import Ledger

/// The tables of grants: the append-only log (`grant_events`), and the present state of each grant (`grants`), which
/// derives from it. Both change in one transaction.
enum GrantTables {
    static let schema = [
        """
        CREATE TABLE grant_events (
            scope INTEGER NOT NULL, grant_id TEXT NOT NULL, kind INTEGER NOT NULL, instant INTEGER NOT NULL,
            content TEXT NOT NULL, PRIMARY KEY (scope, grant_id, kind, instant, content)) WITHOUT ROWID
        """,
        // due: the end of the grant, until the event `grant.expired` exists.
        """
        CREATE TABLE grants (
            scope INTEGER NOT NULL, customer TEXT NOT NULL, grant_id TEXT NOT NULL, entitlement TEXT NOT NULL,
            created_at INTEGER NOT NULL, ends_at INTEGER, revoked_at INTEGER, due INTEGER,
            PRIMARY KEY (scope, customer, grant_id)) WITHOUT ROWID
        """,
        "CREATE INDEX grants_by_id ON grants (scope, grant_id)",
        "CREATE INDEX grants_by_due ON grants (due) WHERE due IS NOT NULL",
    ]

    /// The events that name a customer. An erasure also finds grants that belong to another customer since.
    static let byCustomer = [
        "CREATE INDEX grant_events_by_customer ON grant_events (scope, \(ErasureTable.namedInGrant))"
    ]

    static func history(of id: String, in scope: Int64, _ db: Database) throws -> GrantHistory {
        GrantHistory(
            try db.all(
                "SELECT kind, instant, content FROM grant_events WHERE scope = ? AND grant_id = ?",
                [.integer(scope), .text(id)]
            ) { try event($0, from: 0, of: id) })
    }

    /// Creates an event from the columns `kind`, `instant` and `content`.
    private static func event(_ row: SQLStatement, from column: Int32, of id: String) throws -> GrantEvent {
        guard let kind = row.number(column).flatMap(GrantEvent.Kind.init), let instant = row.instant(column + 1),
            let text = row.text(column + 2)
        else { throw StorageError(.damaged, "the grant \(id) is damaged") }
        do { return GrantEvent(kind, at: instant, try .init(text: text)) } catch {
            throw StorageError(.damaged, "the grant \(id) is damaged")
        }
    }

    /// Stores events, and updates the present state.
    ///
    /// - Parameter emittedUntil: No event is created for grants that ended by then.
    static func add(
        _ events: some Sequence<GrantEvent>, to id: String, in scope: Int64, emittedUntil: Milliseconds, _ db: Database
    ) throws {
        for event in events {
            try db.run(
                """
                INSERT OR IGNORE INTO grant_events (scope, grant_id, kind, instant, content) VALUES (?, ?, ?, ?, ?)
                """,
                [
                    .integer(scope), .text(id), .integer(event.kind.rawValue), .integer(event.instant),
                    .text(try event.content.text),
                ])
        }
        try derive(id, in: scope, emittedUntil: emittedUntil, db)
    }

    /// Updates the present state of a grant according to its log.
    static func derive(_ id: String, in scope: Int64, emittedUntil: Milliseconds, _ db: Database) throws {
        let key: [SQLValue] = [.integer(scope), .text(id)]
        let grant = try history(of: id, in: scope, db).grant(id)
        let (states, wasDue) = try presentStates(of: id, in: scope, db)
        if let grant, states == [state(grant)] { return }
        try db.run("DELETE FROM grants WHERE scope = ? AND grant_id = ?", key)
        guard let grant else { return }
        let due = grant.expiryEventDate(wasDue: states.isEmpty ? nil : wasDue, emittedUntil: emittedUntil)
        try db.run(
            """
            INSERT INTO grants (scope, grant_id, customer, entitlement, created_at, ends_at, revoked_at, due)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, key + state(grant) + [.init(due)])
    }

    /// Returns the columns `customer`, `entitlement`, `created_at`, `ends_at` and `revoked_at` of a grant.
    private static func state(_ grant: Grant) -> [SQLValue] {
        [
            .text(grant.customer), .text(grant.entitlement), .integer(grant.createdAt), .init(grant.until),
            .init(grant.revocation?.instant),
        ]
    }

    private static func presentStates(
        of id: String, in scope: Int64, _ db: Database
    ) throws -> (states: [[SQLValue]], isDue: Bool) {
        let rows = try db.all(
            """
            SELECT customer, entitlement, created_at, ends_at, revoked_at, due FROM grants
            WHERE scope = ? AND grant_id = ?
            """, [.integer(scope), .text(id)]
        ) { $0.values }
        return (rows.map { Array($0.dropLast()) }, rows.contains { $0.last != SQLValue.null })
    }

    /// Returns the number of grants, the grants whose present state does not match their log, and those whose log is
    /// corrupt.
    static func differences(
        _ db: Database
    ) throws -> (count: Int, differing: [(scope: Int64, id: String)], damaged: [String]) {
        let ids = try db.all(
            "SELECT scope, grant_id FROM grant_events UNION SELECT scope, grant_id FROM grants", []
        ) { row in row.number(0).flatMap { scope in row.text(1).map { (scope: scope, id: $0) } } }
        var damaged: [String] = []
        let differing = try ids.filter { scope, id in
            guard let known = try StorageError.unlessDamaged({ try history(of: id, in: scope, db) }) else {
                damaged.append(id)
                return false
            }
            return try presentStates(of: id, in: scope, db).states != (known.grant(id).map { [state($0)] } ?? [])
        }
        return (ids.count, differing, damaged)
    }

    /// Calls `body` for all events, in the order of an export.
    static func forEach(
        _ db: Database, _ body: (_ id: String, _ event: GrantEvent, _ row: SQLStatement) throws -> Void
    ) throws {
        try db.each(
            """
            SELECT bundle_id, environment, grant_id, kind, instant, content
            FROM grant_events JOIN scopes ON scopes.id = scope
            ORDER BY bundle_id, environment, grant_id, instant, kind, content
            """, []
        ) { row in
            let id = row.text(2) ?? ""
            try body(id, event(row, from: 3, of: id), row)
        }
    }

    // MARK: - Reading

    /// Creates a fact from the columns `grant_id`, `entitlement`, `created_at`, `ends_at` and `revoked_at`.
    static func fact(_ row: SQLStatement, from column: Int32) -> GrantFact {
        GrantFact(
            id: row.text(column) ?? "", entitlement: row.text(column + 1) ?? "",
            createdAt: row.number(column + 2) ?? 0, until: row.number(column + 3), revokedAt: row.number(column + 4))
    }

    /// The query for the events of a customer's (`?2`) grants in a scope (`?1`), for ``Found``.
    static let eventsOfCustomer = """
        SELECT grant_id, kind, instant, content, due FROM grants CROSS JOIN grant_events USING (scope, grant_id)
        WHERE scope = ?1 AND customer = ?2
        """

    /// Collects the grants of a customer from rows of ``eventsOfCustomer``.
    struct Found {
        private var grants: [ExactText: (isDue: Bool, events: [GrantEvent])] = [:]

        mutating func add(_ row: SQLStatement, from column: Int32) throws {
            guard let id = row.text(column) else { return }
            let event = try event(row, from: column + 1, of: id)
            grants[ExactText(id), default: (row.number(column + 4) != nil, [])].events.append(event)
        }

        /// The grants in the order of their creation, and whether the event `grant.expired` was created.
        var all: [(grant: Grant, hasExpiryEvent: Bool)] {
            grants.compactMap { id, found in
                GrantHistory(found.events).grant(id.text).map { ($0, $0.hasExpiryEvent(isDue: found.isDue)) }
            }.sorted { ($0.0.createdAt, ExactText($0.0.id)) < ($1.0.createdAt, ExactText($1.0.id)) }
        }
    }

    /// Returns the grants of a customer in the order of their creation.
    static func grants(of customer: String, in scope: Int64, _ db: Database) throws -> [Grant] {
        var found = Found()
        try db.each(eventsOfCustomer, [.integer(scope), .text(customer)]) { try found.add($0, from: 0) }
        return found.all.map(\.grant)
    }

    /// Returns the grants of a customer that have not ended. There may be many others, whose events are not read.
    static func runningGrants(
        of customer: String, in scope: Int64, at now: Milliseconds, _ db: Database
    ) throws -> [Grant] {
        var found = Found()
        try db.each(
            "\(eventsOfCustomer) AND (ends_at IS NULL OR ends_at > ?3) AND revoked_at IS NULL",
            [.integer(scope), .text(customer), .integer(now)]
        ) { try found.add($0, from: 0) }
        return found.all.map(\.grant)
    }
}
