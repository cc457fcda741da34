internal import GRDB
internal import Ledger

extension ClaimTables {
    /// Creates the history of claims from the present owners and from the stored events.
    static func createHistory(_ db: Database) throws {
        for statement in schema { try db.execute(sql: statement) }
        try db.execute(
            sql: """
                CREATE TEMP TABLE ownership_events AS
                    SELECT scope, original_id, seq, type, customer, occurred_at FROM events
                    WHERE notification IS NULL AND type IN ('purchase.linked', 'purchase.transferred')
                        AND original_id IS NOT NULL AND customer IS NOT NULL;
                CREATE INDEX temp.ownership_events_by_purchase ON ownership_events (scope, original_id, seq);
                """)
        try db.each("SELECT DISTINCT scope, original_id FROM claims", []) { row in
            let subject = Subject.purchase(row.text(1) ?? "", in: row.number(0) ?? 0)
            try migrate(subject, events: events(of: subject.identifier, in: subject.scope, db), db)
        }
        try db.each("SELECT scope, app_transaction_id FROM account_claims", []) { row in
            let subject = Subject.account(row.text(1) ?? "", in: row.number(0) ?? 0)
            try migrate(subject, events: eventsOfAccount(subject, db), db)
        }
        try db.execute(sql: "DROP TABLE temp.ownership_events")
    }

    private static func migrate(_ subject: Subject, events: [FormerClaim], _ db: Database) throws {
        try add(ClaimHistory(former: presentOwners(of: subject, db), events: events).events, to: subject, db)
    }

    private static func events(of original: String, in scope: Int64, _ db: Database) throws -> [FormerClaim] {
        try db.all(
            """
            SELECT occurred_at, customer, type = 'purchase.transferred' FROM temp.ownership_events
            WHERE scope = ? AND original_id = ? ORDER BY seq
            """, [.integer(scope), .text(original)]
        ) { FormerClaim(at: $0.number(0) ?? 0, $0.text(1) ?? "", isTransfer: $0.number(2) == 1) }
    }

    /// Returns the events of the purchases whose owner follows from the account.
    private static func eventsOfAccount(_ subject: Subject, _ db: Database) throws -> [FormerClaim] {
        let originals = try originals(ownedThrough: subject.identifier, in: subject.scope, db)
        // Each of them had an event of the same change.
        let all = try originals.flatMap { try events(of: $0, in: subject.scope, db) }
            .map { ClaimEvent(at: $0.instant, .take, $0.customer) }
        return ClaimHistory(all).events.map { FormerClaim(at: $0.instant, $0.customer, isTransfer: true) }
    }
}
