internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB
package import Ledger

/// The table of original purchases of the app: for each Apple account the signed text, and its contents.
enum OriginalPurchaseTable {
    static let schema = [
        """
        CREATE TABLE original_purchases (
            scope INTEGER NOT NULL, subject TEXT NOT NULL, kind INTEGER NOT NULL, version TEXT, purchased_at INTEGER,
            signed_date INTEGER NOT NULL, received_at INTEGER NOT NULL, origin INTEGER NOT NULL, text BLOB NOT NULL,
            PRIMARY KEY (scope, subject)) WITHOUT ROWID
        """
    ]

    /// Stores an original purchase, unless the stored one has priority
    /// (``OriginalPurchase/replaces(_:withText:)``).
    static func store(
        _ new: OriginalPurchase, _ text: PackedText, _ headers: HeaderRegistry, _ db: Database
    ) throws {
        let key: [SQLValue] = [.integer(new.scope), .text(new.subject)]
        let known = try db.first(
            "SELECT kind, signed_date, text FROM original_purchases WHERE scope = ? AND subject = ?", key
        ) { row in
            (
                kind: row.number(0).flatMap(OriginalPurchase.Kind.init) ?? .receipt, signedDate: row.number(1) ?? 0,
                text: row.blob(2)
            )
        }
        let replacesKnown =
            known.map { known in
                new.replaces((known.kind, known.signedDate)) { known.text.flatMap { headers.unpack($0) } }
            } ?? true
        guard replacesKnown else { return }
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

    /// Returns the fact of an Apple account; nil if there is none.
    static func fact(of subject: String, in scope: Int64, _ db: Database) throws -> OriginalPurchaseFact? {
        try db.first(
            """
            SELECT subject, version, purchased_at, signed_date, environment
            FROM original_purchases CROSS JOIN scopes ON scopes.id = scope WHERE scope = ? AND subject = ?
            """, [.integer(scope), .text(subject)]
        ) { fact($0, from: 0, isTestData: $0.text(4) != AppStoreEnvironment.production.rawValue) }
    }

    /// Creates a fact from the columns `subject`, `version`, `purchased_at` and `signed_date`.
    static func fact(_ row: SQLStatement, from column: Int32, isTestData: Bool) -> OriginalPurchaseFact {
        OriginalPurchaseFact(
            applicationVersion: row.text(column + 1),
            purchaseDate: row.number(column + 2).map { Date(milliseconds: $0) },
            appTransactionID: row.text(column).flatMap { OriginalPurchase.appTransactionID(ofSubject: $0) },
            signedDate: Date(milliseconds: row.number(column + 3) ?? 0), isTestData: isTestData)
    }

    /// The columns for ``purchase(_:from:in:isTestData:_:)``.
    static let columns = "subject, version, purchased_at, signed_date, kind, received_at, origin, text"

    /// Reads an original purchase from the ``columns``.
    static func purchase(
        _ row: SQLStatement, from column: Int32, in scope: Int64, isTestData: Bool, _ headers: HeaderRegistry
    ) throws(StorageError) -> OriginalPurchase {
        let subject = row.text(column) ?? ""
        guard let kind = row.number(column + 4).flatMap(OriginalPurchase.Kind.init),
            let text = row.blob(column + 7).flatMap({ headers.unpack($0) })
        else { throw StorageError(.damaged, "the app transaction \(subject) is damaged") }
        return OriginalPurchase(
            scope: scope, subject: subject, kind: kind, fact: fact(row, from: column, isTestData: isTestData),
            origin: row.origin(column + 6), receivedAt: row.number(column + 5) ?? 0,
            text: text)
    }

    /// The query for all Apple accounts that ever belonged to a customer (`?2`) in a scope (`?1`), for ``Found``: the
    /// claims of each account and its original purchase. The first column is the kind of row.
    static let eventsOfCustomer = """
        SELECT 1, subject, instant, kind, customer, NULL, NULL, NULL, NULL, NULL FROM claim_events
            WHERE scope = ?1 AND is_account = 1 AND subject IN (\(accountsOfCustomer))
        UNION ALL
        SELECT 2, \(columns), environment
            FROM original_purchases CROSS JOIN scopes ON scopes.id = scope
            WHERE scope = ?1 AND subject IN (\(accountsOfCustomer))
        """

    /// The query for the Apple accounts that were ever claimed for a customer.
    static let accountsOfCustomer = """
        SELECT subject FROM claim_events INDEXED BY claim_events_by_customer
        WHERE scope = ?1 AND customer = ?2 AND is_account = 1
        """

    /// Collects original purchases with the claims of their accounts from rows of ``eventsOfCustomer``.
    struct Found {
        private var claims: [ExactText: [ClaimEvent]] = [:]
        private var purchases: [OriginalPurchase] = []

        mutating func add(_ row: SQLStatement, in scope: Int64, _ headers: HeaderRegistry) throws {
            guard let subject = row.text(1) else { return }
            if row.number(0) == 1 {
                let event = try ClaimTables.event(row, from: 2, of: .account(subject, in: scope))
                claims[ExactText(subject), default: []].append(event)
                return
            }
            purchases.append(
                try purchase(
                    row, from: 1, in: scope, isTestData: row.text(9) != AppStoreEnvironment.production.rawValue, headers
                ))
        }

        /// Returns the original purchases that belong or ever belonged to a customer, sorted by account.
        func owned(by customer: String) -> [OwnedOriginalPurchase] {
            purchases.sorted { $0.subject.precedesExactly($1.subject) }.compactMap { purchase in
                let ownership = Ownership(
                    claims: ClaimHistory([]), named: nil,
                    account: ClaimHistory(claims[ExactText(purchase.subject)] ?? []))
                return ownership.spans(of: customer).isEmpty ? nil : OwnedOriginalPurchase(purchase, ownership)
            }
        }
    }
}

extension SQLiteStorage: OriginalPurchaseStorage {
    package func store(_ purchases: [OriginalPurchase]) async throws {
        let texts = purchases.map { headers.pack($0.text) }
        try await write(texts) { db in
            for (purchase, text) in zip(purchases, texts) {
                try OriginalPurchaseTable.store(purchase, text, self.headers, db)
            }
        }
    }

    package func originalPurchases(
        ownedBy customer: String, in scope: Int64
    ) async throws -> [OwnedOriginalPurchase] {
        try await read { db in
            var found = OriginalPurchaseTable.Found()
            try db.each(OriginalPurchaseTable.eventsOfCustomer, [.integer(scope), .text(customer)]) {
                try found.add($0, in: scope, self.headers)
            }
            return found.owned(by: customer)
        }
    }
}
