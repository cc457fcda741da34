internal import AppStoreModels
internal import Ledger
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Entitlements
internal import Foundation
internal import GRDB

/// Exports and proves again what ``OriginalPurchaseTable`` keeps.
extension OriginalPurchaseTable {
    /// A row with its text.
    struct Kept {
        var scope: Int64
        var subject: String
        var kind: OriginalPurchase.Kind
        var version: String?
        var purchasedAt: Milliseconds?
        var signedDate: Milliseconds
        var receivedAt: Milliseconds
        var origin: Origin
        var text: String
    }

    /// Walks through all of them, in the order of an export.
    ///
    /// - Parameter damaged: Is told of one that cannot be read, and goes past it unless it throws.
    static func forEach(
        _ headers: HeaderRegistry, _ db: Database, damaged: (StorageError) throws -> Void,
        _ body: (Kept, _ row: SQLStatement) throws -> Void
    ) throws {
        // A backup may be older than the table.
        guard try db.tableExists("original_purchases") else { return }
        try db.each(
            """
            SELECT bundle_id, environment, scope, subject, kind, version, purchased_at, signed_date, received_at,
                origin, text
            FROM original_purchases JOIN scopes ON scopes.id = scope ORDER BY bundle_id, environment, subject
            """, []
        ) { row in
            let subject = row.text(3) ?? ""
            guard let kind = row.number(4).flatMap(OriginalPurchase.Kind.init),
                let text = row.blob(10).flatMap({ headers.unpack($0) })
            else { return try damaged(StorageError(.damaged, "the app transaction \(subject) is damaged")) }
            try body(
                Kept(
                    scope: row.number(2) ?? 0, subject: subject, kind: kind, version: row.text(5),
                    purchasedAt: row.number(6), signedDate: row.number(7) ?? 0, receivedAt: row.number(8) ?? 0,
                    origin: row.number(9).flatMap(Origin.init) ?? .imported, text: text), row)
        }
    }
}

extension OriginalPurchaseTable.Kept {
    /// The members of a line of an export.
    func write(to json: inout JSONWriter) {
        json.member("subject", subject)
        json.member("kind", kind.name)
        json.member("received_at", receivedAt)
        json.member("origin", origin.name)
        guard kind == .receipt else { return json.member("signed_text", text) }
        json.key("first_purchase")
        json.raw(text.utf8)
    }

    /// Whether the columns say what the text says.
    fileprivate func agrees(with fact: OriginalPurchaseFact) -> Bool {
        version == fact.applicationVersion && purchasedAt == fact.purchaseDate?.milliseconds
            && signedDate == fact.signedDate.milliseconds
    }

    /// What the text says, its signature verified again.
    fileprivate func fact(
        in scope: Scope, by verifier: SignedDataVerifier
    ) async throws(VerificationError) -> OriginalPurchaseFact {
        switch kind {
        case .receipt:
            guard let text = OriginalPurchaseText(text: text) else {
                throw VerificationError(.malformedReceipt, "what a receipt said of the first purchase cannot be read")
            }
            return text.fact(isTestData: scope.environment != .production)
        case .appTransaction:
            let payload = try await verifier.appTransaction(text).payload
            try scope.requireMatch(payload.bundleId, payload.receiptType)
            guard payload.appTransactionId.map({ $0.isExactly(subject) }) ?? true else {
                throw VerificationError(.badJSON, "the app transaction is of another account")
            }
            return OriginalPurchaseFact(payload)
        }
    }
}

extension SQLiteStorage {
    /// What came of proving again when customers first got the app.
    struct OriginalPurchaseFindings: Sendable {
        var count = 0
        /// Those whose columns say something else than their texts.
        var differing: [OriginalPurchase] = []
        /// The names of those that cannot be believed, with the reason's code.
        var refused: [String] = []
    }

    func originalPurchaseFindings(
        _ scopes: ScopeRegistry, by verifier: SignedDataVerifier
    ) async throws -> OriginalPurchaseFindings {
        let (all, damages) = try await read { db in
            var (all, damages): ([OriginalPurchaseTable.Kept], [StorageError]) = ([], [])
            try OriginalPurchaseTable.forEach(self.headers, db, damaged: { damages.append($0) }) { kept, _ in
                all.append(kept)
            }
            return (all, damages)
        }
        var findings = OriginalPurchaseFindings(count: all.count, refused: damages.map(\.logReason))
        for kept in all {
            guard let scope = scopes[id: kept.scope] else { continue }
            do throws(VerificationError) {
                let fact = try await kept.fact(in: scope, by: verifier)
                guard !kept.agrees(with: fact) else { continue }
                findings.differing.append(
                    OriginalPurchase(
                        scope: kept.scope, subject: kept.subject, kind: kept.kind, fact: fact, origin: kept.origin,
                        receivedAt: kept.receivedAt, text: kept.text))
            } catch {
                findings.refused.append("app transaction \(kept.subject): \(error.code)")
            }
        }
        return findings
    }

    /// Makes the columns say what the texts say.
    func correct(_ purchases: [OriginalPurchase]) async throws {
        let texts = purchases.map { headers.pack($0.text) }
        try await write(texts) { db in
            for (purchase, text) in zip(purchases, texts) {
                try db.run(
                    "DELETE FROM original_purchases WHERE scope = ? AND subject = ?",
                    [.integer(purchase.scope), .text(purchase.subject)])
                try OriginalPurchaseTable.put(purchase, text, db)
            }
        }
    }
}
