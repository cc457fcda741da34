internal import Basics
package import Foundation
internal import GRDB
internal import Ledger

/// The ledger as JSON lines, sorted, so that two exports of one ledger are the same file. `docs/operations-backup.md`
/// describes the objects and their members.
///
/// The last line shows that a file is complete. Claims are the whole history, see ``ClaimHistory``; version 1 contains
/// only the claims that were in effect, without `kind`. Original purchases and grants exist since version 3.
package struct LedgerExport {
    /// The version that is written. Older versions can be imported.
    package static let version = 3

    /// The beginning of every export, of any version.
    package static let beginning = #"{"object":"ledger_export","#

    /// The numbers of exported items.
    package struct Count: Sendable, Hashable, Codable {
        package var notifications = 0
        /// The notifications that were not processed yet.
        package var pending = 0
        package var signedFacts = 0
        package var claims = 0
        package var erasures = 0
        package var originalPurchases = 0
        package var grantEvents = 0
    }

    private let headers: HeaderRegistry
    private let path: String
    private let write: (Data) throws -> Void
    private var buffer: [UInt8] = []
    private(set) var count = Count()

    /// Exports one snapshot of a ledger; the server may write to it meanwhile.
    ///
    /// - Returns: The numbers of items, and the ledger's digest.
    package static func make(
        of storage: SQLiteStorage, to write: @escaping @Sendable (Data) throws -> Void
    ) async throws -> (count: Count, digest: String) {
        try await storage.read { db in
            var export = LedgerExport(headers: storage.headers, path: storage.path, write: write)
            try storage.headers.load(from: db)
            let digest = try LedgerDigest.make(db, storage.headers, path: storage.path)
            try export.line { json in
                json.member("object", "ledger_export")
                json.member("version", Self.version)
            }
            try export.erasures(db)
            try export.notifications(db)
            try export.signedFacts(db)
            try export.claims(isAccount: false, "claim", "original_transaction_id", db)
            try export.claims(isAccount: true, "account_claim", "app_transaction_id", db)
            try export.originalPurchases(db)
            try export.grants(db)
            try export.end(digest)
            return (export.count, digest)
        }
    }

    private mutating func erasures(_ db: Database) throws {
        try ErasureTable.forEach(db) { erasure, row in
            count.erasures += 1
            try line("erasure", row) { json in
                json.member("digest", erasure.digest)
                json.member("at", erasure.instant)
            }
        }
    }

    private mutating func notifications(_ db: Database) throws {
        // A left join, so that SQLite reads along the index and does not sort.
        try db.each(
            """
            SELECT bundle_id, environment, uuid, received_at, origin, text,
                EXISTS (SELECT 1 FROM inbox WHERE inbox.id = notifications.id)
            FROM notifications LEFT JOIN scopes ON scopes.id = scope ORDER BY uuid
            """, []
        ) { try notification($0) }
        try db.each(
            """
            SELECT bundle_id, environment, uuid, other_texts.received_at, other_texts.origin, other_texts.text,
                EXISTS (SELECT 1 FROM inbox WHERE inbox.id = -other_texts.id)
            FROM other_texts JOIN notifications ON notifications.id = notification
                LEFT JOIN scopes ON scopes.id = scope
            ORDER BY uuid, other_texts.text
            """, []
        ) { try notification($0) }
    }

    private mutating func notification(_ row: SQLStatement) throws {
        let text = try text(row, 5)
        count.notifications += 1
        if row.number(6) == 1 { count.pending += 1 }
        try line("notification", row) { json in
            json.member("uuid", StoredUUID.text(row.value(2)))
            json.member("received_at", row.number(3) ?? 0)
            json.member("origin", row.origin(4).name)
            json.member("signed_payload", text)
        }
    }

    private mutating func signedFacts(_ db: Database) throws {
        try db.each(
            """
            SELECT bundle_id, environment, kind, received_at, origin, text
            FROM statements JOIN scopes ON scopes.id = scope
            ORDER BY bundle_id, environment, original_id, kind, key, text
            """, []
        ) { row in
            let text = try text(row, 5)
            let kind = row.number(2).flatMap(SignedFact.Kind.init) ?? .renewal
            count.signedFacts += 1
            try line("statement", row) { json in
                json.member("kind", kind.exportName)
                json.member("received_at", row.number(3) ?? 0)
                json.member("origin", row.origin(4).name)
                guard kind == .receipt else { return json.member("signed_text", text) }
                json.value("purchase") { $0.raw(text.utf8) }
            }
        }
    }

    private mutating func claims(
        isAccount: Bool, _ object: String, _ name: StaticString, _ db: Database
    ) throws {
        try db.each(
            """
            SELECT bundle_id, environment, subject, customer, kind, instant
            FROM claim_events JOIN scopes ON scopes.id = scope WHERE is_account = ?
            ORDER BY bundle_id, environment, subject, instant, kind, customer
            """, [.init(isAccount)]
        ) { row in
            guard let kind = row.number(4).flatMap(ClaimEvent.Kind.init) else {
                throw StorageError(.damaged, "a claim in \(path) is damaged")
            }
            count.claims += 1
            try line(object, row) { json in
                json.member(name, row.text(2) ?? "")
                json.member("customer", row.text(3) ?? "")
                json.member("kind", kind.name)
                json.member("claimed_at", row.number(5) ?? 0)
            }
        }
    }

    private mutating func originalPurchases(_ db: Database) throws {
        try OriginalPurchaseTable.forEach(headers, db, damaged: { throw $0 }) { purchase, row in
            count.originalPurchases += 1
            try line("original_purchase", row) { json in
                purchase.write(to: &json)
            }
        }
    }

    private mutating func grants(_ db: Database) throws {
        try GrantTables.forEach(db) { id, event, row in
            count.grantEvents += 1
            try line("grant_event", row) { json in
                json.member("grant", id)
                json.member("kind", event.kind.name)
                json.member("at", event.instant)
                json.member("customer", event.content.customer)
                json.member("entitlement", event.content.entitlement)
                json.member("until", event.content.until)
                json.member("reason", event.content.reason)
                json.member("actor", event.content.actor)
            }
        }
    }

    private mutating func end(_ digest: String) throws {
        let count = count
        try line { json in
            json.member("object", "end")
            json.member("notifications", count.notifications)
            json.member("pending", count.pending)
            json.member("statements", count.signedFacts)
            json.member("claims", count.claims)
            json.member("erasures", count.erasures)
            json.member("original_purchases", count.originalPurchases)
            json.member("grant_events", count.grantEvents)
            json.member("digest", digest)
        }
        try write(Data(buffer))
        buffer = []
    }

    private func text(_ row: SQLStatement, _ column: Int32) throws -> String {
        guard let text = row.blob(column).flatMap({ headers.unpack($0) }) else {
            throw StorageError(.damaged, "a signed text in \(path) is damaged")
        }
        return text
    }

    /// Adds a line about an object, from a row that begins with its app and environment.
    private mutating func line(
        _ object: String, _ row: SQLStatement, _ members: (inout JSONWriter) -> Void
    ) throws {
        try line { json in
            json.member("object", object)
            json.member("bundle_id", row.text(0) ?? "")
            json.member("environment", row.text(1) ?? "")
            members(&json)
        }
    }

    private mutating func line(_ members: (inout JSONWriter) -> Void) throws {
        var json = JSONWriter()
        json.object(members)
        buffer += json.bytes
        buffer.append(UInt8(ascii: "\n"))
        guard buffer.count > 1 << 16 else { return }
        try write(Data(buffer))
        buffer.removeAll(keepingCapacity: true)
    }
}

extension SQLiteStorage {
    /// Whether the ledger has nothing that an export would contain.
    package func isEmpty() async throws -> Bool {
        let tables = [
            "erasures", "notifications", "statements", "claim_events", "original_purchases", "grant_events",
        ]
        return try await read { db in try tables.allSatisfy { try !db.exists("SELECT 1 FROM \($0) LIMIT 1", []) } }
    }
}

extension SignedFact.Kind {
    /// The name in exports.
    fileprivate var exportName: String {
        switch self {
        case .renewal: "renewal_info"
        case .transaction: "transaction"
        case .receipt: "receipt"
        }
    }
}
