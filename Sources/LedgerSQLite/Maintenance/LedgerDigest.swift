internal import AppStoreModels
internal import Basics
internal import Crypto
internal import Foundation
internal import GRDB
internal import Ledger

/// Computes the digest of a ledger. Two ledgers with the same digest contain the same facts from the same texts, and
/// the same claims, grants and original purchases with the same instants. The digest does not depend on the order or
/// the time of arrival, nor on row identifiers.
///
/// It is a SHA-256 over all rows in the order of their keys; each value is preceded by its type and length.
struct LedgerDigest {
    private var hash = SHA256()
    /// Called for each corrupt record or text. If it does not throw, the corrupt bytes are hashed instead.
    private let damaged: (StorageError) throws -> Void

    /// Returns the digest of the ledger in hexadecimal. Reads the ledger once, row by row.
    ///
    /// - Parameter version: The version of the exports that the digest is comparable with. It includes the history of
    ///   claims since version 2, and original purchases and grants since version 3.
    static func make(
        _ db: Database, _ headers: HeaderRegistry, path: String, version: Int = LedgerExport.version,
        damaged: @escaping (StorageError) throws -> Void = { throw $0 }
    ) throws -> String {
        var digest = LedgerDigest(damaged: damaged)
        let scopes = try db.all("SELECT id, bundle_id, environment FROM scopes ORDER BY 2, 3", []) { $0.values }
        for scope in scopes { try digest.addLineages(scope, db) }
        try digest.addNotifications(db, headers, path)
        for table in ["claims", "account_claims"] + (version > 1 ? ["claim_events"] : []) {
            try digest.addClaims(table, scopes, db)
        }
        if version > 2 {
            try digest.addOriginalPurchases(db, headers)
            try ErasureTable.forEach(db) { erasure, row in
                digest.add(
                    "erasure", nil,
                    [row.value(0), row.value(1), .text(erasure.digest), .integer(erasure.instant)])
            }
            try digest.addClaims("grant_events", scopes, db)
        }
        return digest.hash.finalize().hexadecimal
    }

    private mutating func addLineages(_ scope: [SQLValue], _ db: Database) throws {
        try db.each(
            "SELECT \(LineageTable.reading) FROM lineages WHERE scope = ? ORDER BY original_id", Array(scope.prefix(1))
        ) { row in
            let record: LineageRecord
            do { record = try LineageTable.record(row) } catch let error as StorageError where error.code == .damaged {
                try damaged(error)
                return add("lineage", scope, row.values)
            }
            let (lineage, bytes) = (record.lineage, row.blob(3) ?? Data())
            // The stored form without row identifiers, followed by the texts that the identifiers denote. Without
            // prices and ended grace periods, which follow from these texts and from the notifications: a record from
            // before they were stored is the same purchase, and the digests in exports and backups of that time must
            // still match.
            add(
                "lineage", scope,
                [
                    .text(lineage.originalTransactionID), .init(lineage.appAccountToken?.bytes),
                    .init(lineage.appTransactionID), .blob(PackedLineage.pack(record.anonymous, version: 1)),
                    .init(PackedLineage.pack(record, version: bytes.first ?? PackedLineage.version) == bytes),
                ])
            let sources = try (record.sources + [record.renewalSource].compactMap(\.self)).map { try text($0, db) }
            add("sources", nil, sources)
            let mentions = try record.mentions.map { mention in
                (name: StoredUUID.text(try text(mention.notification, db)), date: mention.signedDate)
            }
            for mention in mentions.sorted(by: { $0.name.precedesExactly($1.name) }) {
                add("mention", nil, [.text(mention.name), .integer(mention.date)])
            }
        }
    }

    /// Returns the UUID or text that a source code denotes: of a notification or a signed fact.
    private func text(_ source: Int64, _ db: Database) throws -> SQLValue {
        switch FactSource(code: source) {
        case nil: return .null
        case .signedFact(let number):
            return try db.first("SELECT text FROM statements WHERE id = ?", [.integer(number)]) { $0.value(0) } ?? .null
        case .notification(let number):
            return try db.first("SELECT uuid FROM notifications WHERE id = ?", [.integer(number)]) { $0.value(0) }
                ?? .null
        }
    }

    private mutating func addNotifications(_ db: Database, _ headers: HeaderRegistry, _ path: String) throws {
        try db.each(
            """
            SELECT bundle_id, environment, uuid, text, notifications.id FROM notifications
            LEFT JOIN scopes ON scopes.id = scope ORDER BY uuid
            """, []
        ) { row in
            let others = try db.all(
                "SELECT text FROM other_texts WHERE notification = ?", [.init(row.number(4))]
            ) { $0.value(0) }
            var (texts, unreadable): ([String], [SQLValue]) = ([], [])
            for packed in [row.value(3)] + others {
                if case .blob(let bytes) = packed, let text = headers.unpack(bytes) {
                    texts.append(text)
                } else {
                    try damaged(
                        StorageError(
                            .damaged, "the text of notification \(StoredUUID.text(row.value(2))) in \(path) is damaged")
                    )
                    unreadable.append(packed)
                }
            }
            add(
                "notification", nil,
                [row.value(0), row.value(1), row.value(2)] + texts.sorted().map { .text($0) } + unreadable)
        }
    }

    private mutating func addClaims(_ table: String, _ scopes: [[SQLValue]], _ db: Database) throws {
        // A backup may be older than the table.
        guard try db.tableExists(table) else { return }
        let names = try db.columns(in: table).map(\.name).filter { $0 != "scope" && $0 != "claimed_at" }
        let columns = names.joined(separator: ", ")
        for scope in scopes {
            try db.each(
                "SELECT \(columns) FROM \(table) WHERE scope = ? ORDER BY \(columns)", Array(scope.prefix(1))
            ) { add(table, scope, $0.values) }
        }
    }

    private mutating func addOriginalPurchases(_ db: Database, _ headers: HeaderRegistry) throws {
        try OriginalPurchaseTable.forEach(headers, db, damaged: damaged) { purchase, row in
            add(
                "original_purchase", nil,
                [
                    row.value(0), row.value(1), .text(purchase.subject), .integer(purchase.kind.rawValue),
                    .text(purchase.text),
                ])
        }
    }

    private mutating func add(_ kind: String, _ scope: [SQLValue]?, _ values: [SQLValue]) {
        add(0x54, Data(kind.utf8))
        if let scope { for value in scope.dropFirst() { add(value) } }
        for value in values { add(value) }
    }

    private mutating func add(_ value: SQLValue) {
        switch value {
        case .null: add(0x4E, Data())
        case .integer(let number): add(0x49, withUnsafeBytes(of: number.bigEndian) { Data($0) })
        case .real(let number): add(0x44, withUnsafeBytes(of: number.bitPattern.bigEndian) { Data($0) })
        case .text(let text): add(0x53, Data(text.utf8))
        case .blob(let bytes): add(0x42, bytes)
        }
    }

    private mutating func add(_ type: UInt8, _ bytes: Data) {
        var head = Data([type])
        withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { head.append(contentsOf: $0) }
        hash.update(data: head)
        hash.update(data: bytes)
    }
}

extension LineageRecord {
    /// The record without row identifiers.
    fileprivate var anonymous: LineageRecord {
        LineageRecord(
            lineage, sources: sources.map { _ in 0 }, renewalSource: renewalSource.map { _ in 0 }, mentions: [])
            ?? self
    }
}

extension HeaderRegistry {
    /// Loads the headers in the file. Another process may have added some since the file was opened.
    func load(from db: Database) throws {
        try db.each("SELECT id, text FROM headers", []) { row in
            if let number = row.number(0), let text = row.text(1) { load(number, text) }
        }
    }
}

extension SQLiteStorage: DigestStorage {
    package func digest() async throws -> String { try await digest(ofExportVersion: LedgerExport.version) }

    /// Returns the digest of the present ledger while the server may write to it: see ``LedgerDigest``.
    ///
    /// Reads everything in constant memory, which takes about a minute for ten million transactions.
    ///
    /// - Parameter version: The version of the export that the digest is compared with.
    package func digest(ofExportVersion version: Int) async throws -> String {
        try await read { db in
            try self.headers.load(from: db)
            return try LedgerDigest.make(db, self.headers, path: self.path, version: version)
        }
    }
}
