internal import Ledger
internal import AppStoreModels
internal import Foundation
internal import GRDB

/// Where claims are kept: all of them for good, and beside them who has what at present, which follows from them.
///
/// What follows is in tables of its own (`claims`, `account_claims`), because who asks for a customer must not have to read
/// a history. Both change in one transaction, and only here.
enum ClaimTables {
    /// What a claim is about.
    struct Subject: Sendable, Hashable {
        var scope: Int64
        /// Whether it is an Apple account, by its app transaction, or else a purchase, by its original transaction.
        var isAccount: Bool
        var identifier: String

        // By their bytes, as in the database.
        static func == (left: Self, right: Self) -> Bool {
            left.scope == right.scope && left.isAccount == right.isAccount
                && left.identifier.isIdentical(to: right.identifier)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(scope)
            hasher.combine(isAccount)
            for byte in identifier.utf8 { hasher.combine(byte) }
        }

        static func purchase(_ original: String, in scope: Int64) -> Self {
            Self(scope: scope, isAccount: false, identifier: original)
        }

        static func account(_ appTransactionID: String, in scope: Int64) -> Self {
            Self(scope: scope, isAccount: true, identifier: appTransactionID)
        }

        var values: [SQLValue] { [.integer(scope), .integer(isAccount ? 1 : 0), .text(identifier)] }
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
                "SELECT instant, kind, customer FROM claim_events WHERE scope = ? AND is_account = ? AND subject = ?",
                subject.values
            ) { row in
                guard let instant = row.number(0), let kind = row.number(1).flatMap(ClaimEvent.Kind.init),
                    let customer = row.text(2)
                else { throw StorageError(.damaged, "the claims of \(subject.identifier) are damaged") }
                return ClaimEvent(at: instant, kind, customer)
            })
    }

    /// Keeps claims, and what follows from them.
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

    /// Makes who has it at present follow from the claims.
    static func derive(_ subject: Subject, _ db: Database) throws {
        let owners = try derived(subject, db)
        guard try !owners.elementsEqual(present(subject, db), by: { $0.isIdentical(to: $1) }) else { return }
        let (table, column) = names(subject)
        let key: [SQLValue] = [.integer(subject.scope), .text(subject.identifier)]
        try db.run("DELETE FROM \(table) WHERE scope = ? AND \(column) = ?", key)
        for owner in owners {
            try db.run(
                "INSERT INTO \(table) (scope, \(column), customer, claimed_at) VALUES (?, ?, ?, ?)",
                key + [.text(owner.customer), .integer(owner.since)])
        }
    }

    /// Who has it by its claims. An Apple account has one customer.
    static func derived(_ subject: Subject, _ db: Database) throws -> [ClaimHistory.Owner] {
        let owners = try history(of: subject, db).owners
        return subject.isAccount ? Array(owners.prefix(1)) : owners
    }

    /// Who has it by the tables that are read.
    static func present(_ subject: Subject, _ db: Database) throws -> [ClaimHistory.Owner] {
        let (table, column) = names(subject)
        return try db.all(
            "SELECT customer, claimed_at FROM \(table) WHERE scope = ? AND \(column) = ? ORDER BY customer",
            [.integer(subject.scope), .text(subject.identifier)]
        ) { ClaimHistory.Owner(customer: $0.text(0) ?? "", since: $0.number(1) ?? 0) }
    }

    private static func names(_ subject: Subject) -> (table: String, column: String) {
        subject.isAccount ? ("account_claims", "app_transaction_id") : ("claims", "original_id")
    }

    /// Whose a purchase was at any instant.
    static func ownership(of lineage: Lineage, in scope: Int64, _ db: Database) throws -> Ownership {
        Ownership(
            claims: try history(of: .purchase(lineage.originalTransactionID, in: scope), db),
            named: lineage.appAccountToken?.text,
            account: try lineage.appTransactionID.map { try history(of: .account($0, in: scope), db) }
                ?? ClaimHistory([]))
    }
}

extension ClaimTables {
    /// Every subject with claims, or with an owner that follows from none, in no particular order.
    private static let subjects = """
        SELECT DISTINCT scope, is_account, subject FROM claim_events
        UNION SELECT scope, 0, original_id FROM claims UNION SELECT scope, 1, app_transaction_id FROM account_claims
        """

    /// The subjects whose owners do not follow from the claims, and how many subjects there are.
    static func differences(_ db: Database) throws -> (count: Int, differing: [Subject]) {
        var count = 0
        var differing: [Subject] = []
        let rows = try Row.fetchCursor(db, sql: subjects)
        while let row = try rows.next() {
            let subject = Subject(
                scope: row.number(0) ?? 0, isAccount: row.number(1) == 1, identifier: row.text(2) ?? "")
            count += 1
            let isSame = try derived(subject, db).elementsEqual(present(subject, db)) { $0.isIdentical(to: $1) }
            if !isSame { differing.append(subject) }
        }
        return (count, differing)
    }
}
