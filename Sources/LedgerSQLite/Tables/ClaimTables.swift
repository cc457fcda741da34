internal import AppStoreModels
internal import Foundation
internal import GRDB
internal import Ledger

/// The tables of claims: the append-only log (`claim_events`), and the present owners that derive from it.
///
/// The present owners have tables of their own (`claims`, `account_claims`), so that customer queries do not read the
/// log. Both change in one transaction, and only here.
enum ClaimTables {
    /// The subject of claims: a purchase or an Apple account.
    struct Subject: Sendable, Hashable {
        var scope: Int64
        /// Whether ``identifier`` is an app transaction identifier; otherwise it is an original transaction identifier.
        var isAccount: Bool
        private var name: ExactText
        var identifier: String { name.text }

        init(scope: Int64, isAccount: Bool, identifier: String) {
            (self.scope, self.isAccount, name) = (scope, isAccount, ExactText(identifier))
        }

        static func purchase(_ original: String, in scope: Int64) -> Self {
            Self(scope: scope, isAccount: false, identifier: original)
        }

        static func account(_ appTransactionID: String, in scope: Int64) -> Self {
            Self(scope: scope, isAccount: true, identifier: appTransactionID)
        }

        var values: [SQLValue] { [.integer(scope), .init(isAccount), .text(identifier)] }
    }

    static let schema = [
        """
        CREATE TABLE claim_events (
            scope INTEGER NOT NULL, is_account INTEGER NOT NULL, subject TEXT NOT NULL, instant INTEGER NOT NULL,
            kind INTEGER NOT NULL, customer TEXT NOT NULL,
            PRIMARY KEY (scope, is_account, subject, instant, kind, customer)) WITHOUT ROWID
        """,
        "CREATE INDEX claim_events_by_customer ON claim_events (scope, customer, is_account)",
    ]

    static func history(of subject: Subject, _ db: Database) throws -> ClaimHistory {
        ClaimHistory(
            try db.all(
                "SELECT \(eventColumns) FROM claim_events WHERE scope = ? AND is_account = ? AND subject = ?",
                subject.values
            ) { try event($0, from: 0, of: subject) })
    }

    /// Returns the histories of many subjects in one scope, with one query for each batch.
    static func histories(
        of subjects: [Subject], in scope: Int64, _ db: Database
    ) throws -> [Subject: ClaimHistory] {
        var events: [Subject: [ClaimEvent]] = [:]
        for batch in subjects.batches(of: subjectsPerQuery) {
            var values = batch.flatMap { $0.values.dropFirst() }
            // Padded with values that match no subject, so that the connection caches few statements.
            let size = batch.count == 1 ? 1 : batch.count <= 8 ? 8 : subjectsPerQuery
            for _ in batch.count..<size { values += [.integer(-1), .null] }
            let placeholders = repeatElement("(?, ?)", count: size).joined(separator: ", ")
            try db.each(
                """
                WITH wanted (is_account, subject) AS (VALUES \(placeholders))
                SELECT \(eventColumns), is_account, subject FROM wanted CROSS JOIN claim_events USING (is_account, subject)
                WHERE scope = ?
                """, values + [.integer(scope)]
            ) { row in
                let subject = Subject(scope: scope, isAccount: row.number(3) == 1, identifier: row.text(4) ?? "")
                events[subject, default: []].append(try event(row, from: 0, of: subject))
            }
        }
        return events.mapValues { ClaimHistory($0) }
    }

    private static let eventColumns = "instant, kind, customer"
    private static let subjectsPerQuery = 100

    /// Creates an event from the columns `instant`, `kind` and `customer`.
    static func event(_ row: SQLStatement, from column: Int32, of subject: Subject) throws -> ClaimEvent {
        guard let instant = row.number(column), let kind = row.number(column + 1).flatMap(ClaimEvent.Kind.init),
            let customer = row.text(column + 2)
        else { throw StorageError(.damaged, "the claims of \(subject.identifier) are damaged") }
        return ClaimEvent(at: instant, kind, customer)
    }

    /// Stores claims, and updates the present owners.
    static func add(_ events: some Sequence<ClaimEvent>, to subject: Subject, _ db: Database) throws {
        for event in events {
            try db.run(
                """
                INSERT OR IGNORE INTO claim_events (scope, is_account, subject, instant, kind, customer)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                subject.values + [.integer(event.instant), .integer(event.kind.rawValue), .text(event.customer)])
        }
        try derive(subject, db)
    }

    /// Removes a claim. ``add(_:to:_:)`` updates the present owners.
    static func remove(_ event: ClaimEvent, from subject: Subject, _ db: Database) throws {
        try db.run(
            """
            DELETE FROM claim_events
            WHERE scope = ? AND is_account = ? AND subject = ? AND instant = ? AND kind = ? AND customer = ?
            """,
            subject.values + [.integer(event.instant), .integer(event.kind.rawValue), .text(event.customer)])
    }

    /// Updates the present owners according to the log.
    static func derive(_ subject: Subject, _ db: Database) throws {
        let owners = try derived(subject, db)
        guard try !owners.elementsEqual(presentOwners(of: subject, db), by: { $0.isExactly($1) }) else { return }
        let (table, column) = names(subject)
        let key: [SQLValue] = [.integer(subject.scope), .text(subject.identifier)]
        try db.run("DELETE FROM \(table) WHERE scope = ? AND \(column) = ?", key)
        for owner in owners {
            try db.run(
                "INSERT INTO \(table) (scope, \(column), customer, claimed_at) VALUES (?, ?, ?, ?)",
                key + [.text(owner.customer), .integer(owner.since)])
        }
    }

    /// Returns the owners according to the log.
    static func derived(_ subject: Subject, _ db: Database) throws -> [ClaimHistory.Owner] {
        let history = try history(of: subject, db)
        return subject.isAccount ? history.accountOwner.map { [$0] } ?? [] : history.owners
    }

    /// Returns the owners in the tables of present owners.
    static func presentOwners(of subject: Subject, _ db: Database) throws -> [ClaimHistory.Owner] {
        let (table, column) = names(subject)
        return try db.all(
            "SELECT customer, claimed_at FROM \(table) WHERE scope = ? AND \(column) = ? ORDER BY customer",
            [.integer(subject.scope), .text(subject.identifier)]
        ) { ClaimHistory.Owner(customer: $0.text(0) ?? "", since: $0.number(1) ?? 0) }
    }

    private static func names(_ subject: Subject) -> (table: String, column: String) {
        subject.isAccount ? ("account_claims", "app_transaction_id") : ("claims", "original_id")
    }

    /// The condition that a purchase in `lineages` has a claim.
    static let isClaimed =
        "EXISTS (SELECT 1 FROM claims WHERE claims.scope = lineages.scope AND claims.original_id = lineages.original_id)"

    /// Returns the purchases whose owner follows from their Apple account.
    static func originals(ownedThrough account: String, in scope: Int64, _ db: Database) throws -> [String] {
        let purchases = try purchases(of: account, in: scope, db)
        return try zip(purchases, ownerships(of: purchases, in: scope, db)).filter { $1.followsAccount }
            .map { purchase, _ in purchase.originalTransactionID }
    }

    /// Returns the ownership of a purchase over time.
    static func ownership(of lineage: Lineage, in scope: Int64, _ db: Database) throws -> Ownership {
        try ownerships(of: [lineage], in: scope, db)[0]
    }

    /// Returns the ownership of an Apple account over time.
    static func ownership(ofAccount account: String, in scope: Int64, _ db: Database) throws -> AccountOwnership {
        AccountOwnership(
            claims: try history(of: .account(account, in: scope), db),
            purchases: try ownerships(of: purchases(of: account, in: scope, db), in: scope, db))
    }

    /// Returns the purchases of an Apple account without their facts, sorted by identifier. Does not read their records,
    /// which may be corrupt.
    static func purchases(of account: String, in scope: Int64, _ db: Database) throws -> [Lineage] {
        try db.all(
            """
            SELECT original_id, token FROM lineages INDEXED BY lineages_by_account
            WHERE scope = ? AND app_transaction_id = ? AND app_transaction_id IS NOT NULL ORDER BY original_id
            """, [.integer(scope), .text(account)]
        ) { row in
            Lineage(
                originalTransactionID: row.text(0) ?? "", transactions: [], appAccountToken: row.uuid(1),
                appTransactionID: account)
        }
    }

    /// Returns the ownerships of several purchases, in their order.
    static func ownerships(of lineages: [Lineage], in scope: Int64, _ db: Database) throws -> [Ownership] {
        let subjects = lineages.flatMap { lineage -> [Subject] in
            [.purchase(lineage.originalTransactionID, in: scope)]
                + (lineage.appTransactionID.map { [.account($0, in: scope)] } ?? [])
        }
        let histories = try histories(of: Array(Set(subjects)), in: scope, db)
        return lineages.map { lineage in
            Ownership(
                claims: histories[.purchase(lineage.originalTransactionID, in: scope)] ?? ClaimHistory([]),
                named: lineage.appAccountToken?.text,
                account: lineage.appTransactionID.flatMap { histories[.account($0, in: scope)] } ?? ClaimHistory([]),
                madeAt: lineage.madeAt ?? .min)
        }
    }
}

extension ClaimTables {
    /// The subjects with claims, or with an owner in the tables of present owners, in no particular order.
    private static let subjects = """
        SELECT DISTINCT scope, is_account, subject FROM claim_events
        UNION SELECT scope, 0, original_id FROM claims UNION SELECT scope, 1, app_transaction_id FROM account_claims
        """

    /// Returns the number of subjects, the subjects whose present owners do not match the log, and those whose log is
    /// corrupt.
    static func differences(_ db: Database) throws -> (count: Int, differing: [Subject], damaged: [Subject]) {
        var count = 0
        var (differing, damaged): ([Subject], [Subject]) = ([], [])
        try db.each(subjects, []) { row in
            let subject = Subject(
                scope: row.number(0) ?? 0, isAccount: row.number(1) == 1, identifier: row.text(2) ?? "")
            count += 1
            guard let owners = try StorageError.unlessDamaged({ try derived(subject, db) }) else {
                return damaged.append(subject)
            }
            let isSame = try owners.elementsEqual(presentOwners(of: subject, db)) { $0.isExactly($1) }
            if !isSame { differing.append(subject) }
        }
        return (count, differing, damaged)
    }
}
