internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Entitlements
internal import Foundation
internal import GRDB
internal import Ledger

/// Exports and verifies the rows of ``OriginalPurchaseTable``.
extension OriginalPurchaseTable {
    /// Calls `body` for all rows in the order of an export.
    ///
    /// - Parameter damaged: Called for each corrupt row, which is omitted unless the closure throws.
    static func forEach(
        _ headers: HeaderRegistry, _ db: Database, damaged: (StorageError) throws -> Void,
        _ body: (OriginalPurchase, _ row: SQLStatement) throws -> Void
    ) throws {
        // A backup may be older than the table.
        guard try db.tableExists("original_purchases") else { return }
        try db.each(
            """
            SELECT bundle_id, environment, scope, \(columns)
            FROM original_purchases JOIN scopes ON scopes.id = scope ORDER BY bundle_id, environment, subject
            """, []
        ) { row in
            let stored: OriginalPurchase
            do throws(StorageError) {
                stored = try purchase(
                    row, from: 3, in: row.number(2) ?? 0,
                    isTestData: row.text(1) != AppStoreEnvironment.production.rawValue, headers)
            } catch { return try damaged(error) }
            try body(stored, row)
        }
    }

    /// A page of rows, in the order of their keys.
    struct Page: Sendable {
        var purchases: [OriginalPurchase] = []
        /// The errors of corrupt rows.
        var damages: [StorageError] = []
        /// The key of the last row; nil if there are none.
        var last: [SQLValue]?

        /// The key before the first row.
        static let start: [SQLValue] = [.integer(.min), .text("")]
    }

    static func page(
        after key: [SQLValue], limit: Int, _ scopes: AppEnvironmentRegistry, _ headers: HeaderRegistry, _ db: Database
    ) throws -> Page {
        var page = Page()
        try db.each(
            """
            SELECT scope, \(columns) FROM original_purchases WHERE (scope, subject) > (?, ?)
            ORDER BY scope, subject LIMIT ?
            """, key + [.init(limit)]
        ) { row in
            page.last = [row.value(0), row.value(1)]
            let scope = row.number(0) ?? 0
            let isTestData = scopes[id: scope]?.environment != .production
            do throws(StorageError) {
                page.purchases.append(try purchase(row, from: 1, in: scope, isTestData: isTestData, headers))
            } catch {
                page.damages.append(error)
            }
        }
        return page
    }

    /// The verified fact of a row whose columns differ from the text.
    struct Difference: Sendable {
        var scope: Int64
        var subject: String
        var fact: OriginalPurchaseFact
    }

    /// Corrects the columns of a row according to its text.
    static func correct(_ difference: Difference, _ db: Database) throws {
        let fact = difference.fact
        try db.run(
            """
            UPDATE original_purchases SET version = ?, purchased_at = ?, signed_date = ?
            WHERE scope = ? AND subject = ?
            """,
            [
                .init(fact.applicationVersion), .init(fact.purchaseDate?.milliseconds),
                .integer(fact.signedDate.milliseconds), .integer(difference.scope), .text(difference.subject),
            ])
    }
}

extension OriginalPurchase {
    /// Writes the members of an export line.
    func write(to json: inout JSONWriter) {
        json.member("subject", subject)
        json.member("kind", kind.name)
        json.member("received_at", receivedAt)
        json.member("origin", origin.name)
        guard kind == .receipt else { return json.member("signed_text", text) }
        json.value("first_purchase") { $0.raw(text.utf8) }
    }

    /// Whether the columns match the text.
    func agrees(with fact: OriginalPurchaseFact) -> Bool {
        self.fact.applicationVersion == fact.applicationVersion
            && self.fact.purchaseDate?.milliseconds == fact.purchaseDate?.milliseconds
            && self.fact.signedDate.milliseconds == fact.signedDate.milliseconds
    }

    /// Verifies the text of an Apple account and returns the fact in it.
    static func verifiedFact(
        _ text: String, _ kind: Kind, of subject: String, in appEnvironment: AppEnvironment,
        by verifier: SignedDataVerifier
    ) async throws(VerificationError) -> OriginalPurchaseFact {
        switch kind {
        case .receipt:
            guard let text = OriginalPurchaseText(text: text) else {
                throw VerificationError(
                    .malformedReceipt, "the stored contents of the receipt are not an original purchase")
            }
            return text.fact(isTestData: appEnvironment.environment != .production)
        case .appTransaction:
            let payload = try await verifier.appTransaction(text).payload
            try appEnvironment.requireMatch(payload.bundleId, payload.receiptType)
            guard payload.appTransactionId.map({ $0.isExactly(subject) }) ?? true else {
                throw VerificationError(.badJSON, "the app transaction belongs to another Apple account")
            }
            return OriginalPurchaseFact(payload)
        }
    }
}
