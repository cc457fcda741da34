internal import AppStoreModels
internal import GRDB
package import Ledger

/// Reads the texts that contain facts, with four queries for any number of facts.
extension SQLiteStorage {
    package func sources(
        of wanted: [FactSelection], notifications: Bool, in scope: Int64
    ) async throws -> [FactText] {
        guard !wanted.isEmpty else { return [] }
        return try await read { db in
            let records = try Self.records(of: wanted.map(\.originalTransactionID), in: scope, db)
            let sources = wanted.flatMap { wanted in
                (records[ExactText(wanted.originalTransactionID)]?.sources(of: wanted, notifications: notifications)
                    ?? [])
                    .map { (original: wanted.originalTransactionID, kind: $0.kind, source: $0.source) }
            }
            let storedNotifications = try self.notifications(
                numbered: Set(sources.compactMap(\.source.notification)), db)
            let uuids = Dictionary(storedNotifications.map { ($0.id, $0.uuid) }) { first, _ in first }
            let others = try self.otherTexts(ofAny: storedNotifications, limit: FactSelection.maximumOtherTexts, db)
            let texts = Dictionary(grouping: storedNotifications + others, by: \.uuid)
            let signedFacts = try self.signedFacts(Set(sources.compactMap(\.source.signedFact)), db)
            return sources.flatMap { original, kind, source -> [FactText] in
                switch source {
                case .notification(let number):
                    let stored = uuids[number].flatMap { texts[$0] } ?? []
                    return stored.map { FactText(original, .notification($0, holding: kind)) }
                case .signedFact(let number):
                    return signedFacts[number].map { [FactText(original, .signedFact($0))] } ?? []
                }
            }
        }
    }

    private static func records(
        of originals: [String], in scope: Int64, _ db: Database
    ) throws -> [ExactText: LineageRecord] {
        try db.dictionary(
            """
            SELECT \(LineageTable.reading) FROM lineages
            WHERE scope = ? AND original_id IN (\(originals.placeholders))
            """, [.integer(scope)] + originals.map { .text($0) }, isCached: false
        ) { row in
            let record = try LineageTable.record(row)
            return (ExactText(record.lineage.originalTransactionID), record)
        }
    }

    /// Returns signed facts by row identifier, without receipts. A corrupt text is empty, as for notifications, so that
    /// the other texts can be verified.
    private func signedFacts(_ numbers: Set<Int64>, _ db: Database) throws -> [Int64: StoredSignedFact] {
        guard !numbers.isEmpty else { return [:] }
        return try db.dictionary(
            """
            SELECT id, kind, origin, received_at, text FROM statements
            WHERE id IN (\(numbers.sqlList))
                AND kind <> \(SignedFact.Kind.receipt.rawValue)
            """, [], isCached: false
        ) { row in
            (
                row.number(0) ?? 0,
                StoredSignedFact(
                    kind: row.number(1) == SignedFact.Kind.renewal.rawValue ? .renewal : .transaction,
                    origin: row.origin(2), receivedAt: row.number(3) ?? 0,
                    text: row.blob(4).flatMap { headers.unpack($0) } ?? "")
            )
        }
    }
}
