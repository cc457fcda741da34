package import Ledger
internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB

/// When the customers of Apple accounts first got the app: for each account the text that says so, and what it says.
enum OriginalPurchaseTable {
    static let schema = [
        """
        CREATE TABLE original_purchases (
            scope INTEGER NOT NULL, subject TEXT NOT NULL, kind INTEGER NOT NULL, version TEXT, purchased_at INTEGER,
            signed_date INTEGER NOT NULL, received_at INTEGER NOT NULL, origin INTEGER NOT NULL, text BLOB NOT NULL,
            PRIMARY KEY (scope, subject)) WITHOUT ROWID
        """
    ]

    /// Keeps one, unless what is there is ahead of it. Which, ``OriginalPurchase/isAhead(of:isLater:)`` says.
    static func put(_ new: OriginalPurchase, _ text: PackedText, _ db: Database) throws {
        let key: [SQLValue] = [.integer(new.scope), .text(new.subject)]
        let known = try db.first(
            "SELECT kind, signed_date, text FROM original_purchases WHERE scope = ? AND subject = ?", key
        ) { row in
            (
                kind: row.number(0).flatMap(OriginalPurchase.Kind.init) ?? .receipt, signedDate: row.number(1) ?? 0,
                text: Array(row.blob(2) ?? Data())
            )
        }
        let isAhead =
            known.map { known in
                new.isAhead(
                    of: (known.kind, known.signedDate),
                    isLater: known.text.lexicographicallyPrecedes(Array(text.bytes)))
            } ?? true
        guard isAhead else { return }
        try db.run(
            """
            INSERT OR REPLACE INTO original_purchases
                (scope, subject, kind, version, purchased_at, signed_date, received_at, origin, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            key + [
                .integer(new.kind.rawValue), .init(new.fact.applicationVersion),
                .init(new.fact.purchaseDate?.milliseconds), .integer(new.fact.signedDate.milliseconds),
                .integer(new.receivedAt), .integer(new.origin.rawValue), .blob(text.bytes),
            ])
    }

    /// One from the columns `subject`, `version`, `purchased_at` and `signed_date`.
    static func fact(_ row: SQLStatement, from column: Int32, in scope: Scope) -> OriginalPurchaseFact {
        fact(
            subject: row.text(column), version: row.text(column + 1), purchasedAt: row.number(column + 2),
            signedDate: row.number(column + 3), isTestData: scope.environment != .production)
    }

    static func fact(
        subject: String?, version: String?, purchasedAt: Milliseconds?, signedDate: Milliseconds?, isTestData: Bool
    ) -> OriginalPurchaseFact {
        OriginalPurchaseFact(
            applicationVersion: version, purchaseDate: purchasedAt.map { Date(milliseconds: $0) },
            appTransactionID: subject.flatMap { OriginalPurchase.appTransactionID(ofSubject: $0) },
            signedDate: Date(milliseconds: signedDate ?? 0), isTestData: isTestData)
    }

    /// Whether a scope is of a test environment.
    static func isTest(_ scope: Int64, _ db: Database) throws -> Bool {
        try db.first("SELECT environment FROM scopes WHERE id = ?", [.integer(scope)]) { $0.text(0) }
            != AppStoreEnvironment.production.rawValue
    }

    static func held(
        by customer: String, in scope: Int64, _ headers: HeaderRegistry, _ db: Database
    ) throws -> [HeldOriginalPurchase] {
        let accounts = try db.all(
            """
            SELECT DISTINCT subject FROM claim_events INDEXED BY claim_events_by_customer
            WHERE scope = ? AND customer = ? AND is_account = 1 ORDER BY subject
            """, [.integer(scope), .text(customer)]
        ) { $0.text(0) }
        return try held(by: customer, among: accounts, in: scope, headers, db)
    }

    /// The original purchases of those of the accounts that ever were the customer's.
    static func held(
        by customer: String, among subjects: [String], in scope: Int64, _ headers: HeaderRegistry, _ db: Database
    ) throws -> [HeldOriginalPurchase] {
        guard !subjects.isEmpty else { return [] }
        let isTest = try isTest(scope, db)
        return try subjects.compactMap { subject in
            let ownership = Ownership(
                claims: ClaimHistory([]), named: nil,
                account: try ClaimTables.history(of: .account(subject, in: scope), db))
            guard !ownership.spans(of: customer).isEmpty else { return nil }
            return try db.first(
                """
                SELECT kind, version, purchased_at, signed_date, origin, received_at, text FROM original_purchases
                WHERE scope = ? AND subject = ?
                """, [.integer(scope), .text(subject)]
            ) { row in
                guard let kind = row.number(0).flatMap(OriginalPurchase.Kind.init),
                    let text = row.blob(6).flatMap({ headers.unpack($0) })
                else { throw StorageError(.damaged, "the app transaction \(subject) is damaged") }
                return HeldOriginalPurchase(
                    subject: subject, kind: kind,
                    fact: fact(
                        subject: subject, version: row.text(1), purchasedAt: row.number(2),
                        signedDate: row.number(3), isTestData: isTest),
                    origin: row.number(4).flatMap(Origin.init) ?? .imported, receivedAt: row.number(5) ?? 0,
                    text: text, ownership: ownership)
            }
        }
    }
}

extension SQLiteStorage: OriginalPurchaseStorage {
    package func keep(_ purchases: [OriginalPurchase]) async throws {
        let texts = purchases.map { headers.pack($0.text) }
        try await write(texts) { db in
            for (purchase, text) in zip(purchases, texts) { try OriginalPurchaseTable.put(purchase, text, db) }
        }
    }

    package func originalPurchasesHeld(
        by customer: String, in scope: Int64
    ) async throws -> [HeldOriginalPurchase] {
        try await read { try OriginalPurchaseTable.held(by: customer, in: scope, self.headers, $0) }
    }
}
