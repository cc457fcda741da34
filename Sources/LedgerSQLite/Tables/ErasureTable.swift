internal import AppStoreModels
internal import Foundation
internal import GRDB
internal import Ledger

/// The table of erasures, and the queries that find names.
enum ErasureTable {
    static let schema = [
        """
        CREATE TABLE erasures (
            scope INTEGER NOT NULL, digest TEXT NOT NULL, instant INTEGER NOT NULL,
            PRIMARY KEY (scope, digest)) WITHOUT ROWID
        """
    ]

    /// Stores an erasure. Of several erasures of one customer the last counts.
    static func store(_ erasure: Erasure, in scope: Int64, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO erasures (scope, digest, instant) VALUES (?, ?, ?)
            ON CONFLICT (scope, digest) DO UPDATE SET instant = max(instant, excluded.instant)
            """, [.integer(scope), .text(erasure.digest), .integer(erasure.instant)])
    }

    /// Returns the last erasure of a customer; nil if there is none.
    static func erasure(of customer: String, in scope: Int64, _ bundleID: String, _ db: Database) throws -> Erasure? {
        let digest = Erasure.digest(of: customer, in: bundleID)
        return try db.first(
            "SELECT instant FROM erasures WHERE scope = ? AND digest = ?", [.integer(scope), .text(digest)]
        ) { Erasure(digest: digest, at: $0.number(0) ?? 0) }
    }

    /// Returns the instant of the last erasure of a customer; nil if there is none.
    static func lastErasure(of customer: String, in scope: Int64, _ db: Database) throws -> Milliseconds? {
        try erasure(of: customer, in: scope, bundleID(of: scope, db), db)?.instant
    }

    /// The customer in an event of a grant, as the index of ``GrantTables/byCustomer`` has it. Without the check, SQLite
    /// fails the whole query if a content is not JSON.
    static let namedInGrant = "CASE WHEN json_valid(content) THEN json_extract(content, '$.customer') END"

    /// The former owners in an event of a claim, with the same check.
    static let formerOwners =
        "json_each(CASE WHEN json_valid(data) THEN data END, '$.from') AS former_owner"

    /// Returns the instant of the newest data of a customer that an erasure covers; nil if there are none.
    static func newest(of customer: String, in scope: Int64, _ db: Database) throws -> Milliseconds? {
        try db.number(
            """
            SELECT max(instant) FROM (
                SELECT max(instant) AS instant FROM claim_events INDEXED BY claim_events_by_customer
                    WHERE scope = ?1 AND customer = ?2
                UNION ALL SELECT max(instant) FROM grant_events
                    WHERE scope = ?1 AND \(namedInGrant) = ?2
                UNION ALL SELECT max(reported_at) FROM usage WHERE scope = ?1 AND customer = ?2)
            """, [.integer(scope), .text(customer)])
    }

    static func bundleID(of scope: Int64, _ db: Database) throws -> String {
        try db.text("SELECT bundle_id FROM scopes WHERE id = ?", [.integer(scope)]) ?? ""
    }

    /// Whether any customer of a scope was erased.
    static func hasErasures(in scope: Int64, _ db: Database) throws -> Bool {
        try db.exists("SELECT 1 FROM erasures WHERE scope = ? LIMIT 1", [.integer(scope)])
    }

    /// Calls `body` for all erasures, in the order of an export.
    static func forEach(_ db: Database, _ body: (Erasure, _ row: SQLStatement) throws -> Void) throws {
        guard try db.tableExists("erasures") else { return }
        try db.each(
            """
            SELECT bundle_id, environment, digest, instant FROM erasures JOIN scopes ON scopes.id = scope
            ORDER BY bundle_id, environment, digest
            """, []
        ) { row in try body(Erasure(digest: row.text(2) ?? "", at: row.number(3) ?? 0), row) }
    }

    /// Returns the erased customers whose names are still stored. Other customers are not collected in memory.
    static func erasedCustomersWithNames(
        in scope: Int64, _ db: Database
    ) throws -> [(name: String, erasure: Erasure)] {
        guard try hasErasures(in: scope, db) else { return [] }
        let bundleID = try Self.bundleID(of: scope, db)
        var found: [(name: String, erasure: Erasure)] = []
        // A customer who appears only in notifications has no claims: in a backup from before the erasure, only events
        // and inquiries contain the name.
        try db.each(
            """
            SELECT DISTINCT customer FROM claim_events WHERE scope = ?1
            UNION SELECT DISTINCT \(namedInGrant) FROM grant_events WHERE scope = ?1
                AND kind <> \(GrantEvent.Kind.revoke.rawValue)
            UNION SELECT DISTINCT customer FROM usage WHERE scope = ?1
            UNION SELECT DISTINCT customer FROM events WHERE scope = ?1
            UNION SELECT DISTINCT customer FROM consumption_requests WHERE scope = ?1
            UNION SELECT DISTINCT name FROM former_owners WHERE scope = ?1
            """, [.integer(scope)]
        ) { row in
            guard let name = row.text(0), !Erasure.isStandIn(name),
                let erasure = try Self.erasure(of: name, in: scope, bundleID, db)
            else { return }
            found.append((name, erasure))
        }
        // An import creates no events, so of a purchase without a claim only the record may have the token.
        var names = Set(found.map { ExactText($0.name) })
        try db.each(
            "SELECT token FROM lineages WHERE scope = ? AND token IS NOT NULL AND NOT \(ClaimTables.isClaimed)",
            [.integer(scope)]
        ) { row in
            guard let name = row.uuid(0)?.text, let erasure = try Self.erasure(of: name, in: scope, bundleID, db),
                names.insert(ExactText(name)).inserted
            else { return }
            found.append((name, erasure))
        }
        return found
    }

    /// Returns the purchases whose events or inquiries from before ``FormerOwnerTable`` name these customers.
    ///
    /// A record has only the account token that was signed last. Of a purchase that was signed for another account
    /// since, only the events and inquiries of that time show the earlier one. There is no index of them, so this reads
    /// all events that an older version stored: do not call it in a write transaction.
    static func originals(
        naming customers: [String], in scope: Int64, _ db: Database
    ) throws -> [ExactText: [String]] {
        // All other names are in claims, which only an erasure removes.
        let tokens = customers.filter { UUID(text: $0) != nil }
        guard !tokens.isEmpty else { return [:] }
        let rows = try db.all(
            """
            WITH named (name) AS (SELECT value FROM json_each(?2))
            SELECT customer, original_id FROM events
            WHERE seq <= (SELECT max(event) FROM former_owners_begin) AND scope = ?1 AND original_id IS NOT NULL
                AND customer IN named
            UNION SELECT former_owner.value, original_id FROM events NOT INDEXED CROSS JOIN \(formerOwners)
            WHERE seq <= (SELECT max(event) FROM former_owners_begin) AND scope = ?1 AND original_id IS NOT NULL
                AND notification IS NULL AND former_owner.value IN named
            UNION SELECT customer, original_id FROM consumption_requests
            WHERE id <= (SELECT max(request) FROM former_owners_begin) AND scope = ?1 AND customer IN named
            """, [.integer(scope), .text(String(decoding: try JSONEncoder().encode(tokens), as: UTF8.self))]
        ) { row in (customer: ExactText(row.text(0) ?? ""), original: row.text(1) ?? "") }
        return Dictionary(grouping: rows, by: \.customer).mapValues { $0.map(\.original) }
    }
}
