package import Ledger
internal import AppStoreModels
internal import Foundation
internal import GRDB

/// The table of erasures, and the statements that remove names.
enum ErasureTable {
    static let schema = [
        """
        CREATE TABLE erasures (
            scope INTEGER NOT NULL, digest TEXT NOT NULL, instant INTEGER NOT NULL,
            PRIMARY KEY (scope, digest)) WITHOUT ROWID
        """
    ]

    /// Stores an erasure. Of several erasures of one customer the last counts.
    static func store(_ erasure: Erasure, in scope: Int64, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO erasures (scope, digest, instant) VALUES (?, ?, ?)
            ON CONFLICT (scope, digest) DO UPDATE SET instant = max(instant, excluded.instant)
            """, [.integer(scope), .text(erasure.digest), .integer(erasure.instant)])
    }

    /// Returns the last erasure of a customer; nil if there is none.
    static func erasure(of customer: String, in scope: Int64, _ bundleID: String, _ db: Database) throws -> Erasure? {
        let digest = Erasure.digest(of: customer, in: bundleID)
        return try db.first(
            "SELECT instant FROM erasures WHERE scope = ? AND digest = ?", [.integer(scope), .text(digest)]
        ) { Erasure(digest: digest, at: $0.number(0) ?? 0) }
    }

    /// Returns the instant of the last erasure of a customer; nil if there is none.
    static func lastErasure(of customer: String, in scope: Int64, _ db: Database) throws -> Milliseconds? {
        try erasure(of: customer, in: scope, bundleID(of: scope, db), db)?.instant
    }

    /// The customer in an event of a grant. Without the check, SQLite fails the whole query if a content is not JSON.
    private static let namedInGrant = "CASE WHEN json_valid(content) THEN json_extract(content, '$.customer') END"

    /// The former owners in an event of a claim, with the same check.
    private static let formerOwners =
        "json_each(CASE WHEN json_valid(data) THEN data END, '$.from') AS former_owner"

    /// Returns the instant of the newest data of a customer that an erasure covers; nil if there are none.
    static func newest(of customer: String, in scope: Int64, _ db: Database) throws -> Milliseconds? {
        try db.number(
            """
            SELECT max(instant) FROM (
                SELECT max(instant) AS instant FROM claim_events INDEXED BY claim_events_by_customer
                    WHERE scope = ?1 AND customer = ?2
                UNION ALL SELECT max(instant) FROM grant_events
                    WHERE scope = ?1 AND \(namedInGrant) = ?2
                UNION ALL SELECT max(reported_at) FROM usage WHERE scope = ?1 AND customer = ?2)
            """, [.integer(scope), .text(customer)])
    }

    static func bundleID(of scope: Int64, _ db: Database) throws -> String {
        try db.text("SELECT bundle_id FROM scopes WHERE id = ?", [.integer(scope)]) ?? ""
    }

    /// Whether any customer of a scope was erased.
    static func hasErasures(in scope: Int64, _ db: Database) throws -> Bool {
        try db.exists("SELECT 1 FROM erasures WHERE scope = ? LIMIT 1", [.integer(scope)])
    }

    /// Calls `body` for all erasures, in the order of an export.
    static func forEach(_ db: Database, _ body: (Erasure, _ row: SQLStatement) throws -> Void) throws {
        guard try db.tableExists("erasures") else { return }
        try db.each(
            """
            SELECT bundle_id, environment, digest, instant FROM erasures JOIN scopes ON scopes.id = scope
            ORDER BY bundle_id, environment, digest
            """, []
        ) { row in try body(Erasure(digest: row.text(2) ?? "", at: row.number(3) ?? 0), row) }
    }

    /// Returns the erased customers whose names are still stored. Other customers are not collected in memory.
    static func erasedCustomersWithNames(
        in scope: Int64, _ db: Database
    ) throws -> [(name: String, erasure: Erasure)] {
        guard try hasErasures(in: scope, db) else { return [] }
        let bundleID = try Self.bundleID(of: scope, db)
        var found: [(name: String, erasure: Erasure)] = []
        // A customer who appears only in notifications has no claims: in a backup from before the erasure, only events
        // and inquiries contain the name.
        try db.each(
            """
            SELECT DISTINCT customer FROM claim_events WHERE scope = ?1
            UNION SELECT DISTINCT \(namedInGrant) FROM grant_events WHERE scope = ?1
                AND kind <> \(GrantEvent.Kind.revoke.rawValue)
            UNION SELECT DISTINCT customer FROM usage WHERE scope = ?1
            UNION SELECT DISTINCT customer FROM events WHERE scope = ?1
            UNION SELECT DISTINCT customer FROM consumption_requests WHERE scope = ?1
            UNION SELECT DISTINCT name FROM former_owners WHERE scope = ?1
            """, [.integer(scope)]
        ) { row in
            guard let name = row.text(0), !Erasure.isStandIn(name),
                let erasure = try Self.erasure(of: name, in: scope, bundleID, db)
            else { return }
            found.append((name, erasure))
        }
        return found
    }

    /// Returns the purchases whose events or inquiries from before ``FormerOwnerTable`` name these customers.
    ///
    /// A record has only the account token that was signed last. Of a purchase that was signed for another account
    /// since, only the events and inquiries of that time show the earlier one. There is no index of them, so this reads
    /// all events that an older version stored: do not call it in a write transaction.
    static func originals(
        naming customers: [String], in scope: Int64, _ db: Database
    ) throws -> [ExactText: [String]] {
        // All other names are in claims, which are never deleted.
        let tokens = customers.filter { UUID(text: $0) != nil }
        guard !tokens.isEmpty else { return [:] }
        let rows = try db.all(
            """
            WITH named (name) AS (SELECT value FROM json_each(?2))
            SELECT customer, original_id FROM events
            WHERE seq <= (SELECT max(event) FROM former_owners_begin) AND scope = ?1 AND original_id IS NOT NULL
                AND customer IN named
            UNION SELECT former_owner.value, original_id FROM events NOT INDEXED CROSS JOIN \(formerOwners)
            WHERE seq <= (SELECT max(event) FROM former_owners_begin) AND scope = ?1 AND original_id IS NOT NULL
                AND notification IS NULL AND former_owner.value IN named
            UNION SELECT customer, original_id FROM consumption_requests
            WHERE id <= (SELECT max(request) FROM former_owners_begin) AND scope = ?1 AND customer IN named
            """, [.integer(scope), .text(String(decoding: try JSONEncoder().encode(tokens), as: UTF8.self))]
        ) { row in (customer: ExactText(row.text(0) ?? ""), original: row.text(1) ?? "") }
        return Dictionary(grouping: rows, by: \.customer).mapValues { $0.map(\.original) }
    }

    // MARK: - Removing the name

    /// Removes the name from the data of a customer up to the erasure.
    ///
    /// - Parameters:
    ///   - originals: The customer's purchases according to ``originals(naming:in:_:)``.
    ///   - isRepeated: Whether an earlier erasure is applied again, after an import. Then purchases, events and
    ///     inquiries with a later date do not change. For a new erasure all of them change, since clocks differ.
    static func apply(
        _ erasure: Erasure, to customer: String, named originals: [String], in scope: Int64, isRepeated: Bool = false,
        _ db: Database
    ) throws -> ErasureReport {
        var report = ErasureReport()
        // Includes purchases that the customer no longer owns according to present data, because events about them may
        // contain the name.
        let possible = try SQLiteStorage.possiblePurchases(of: customer, in: scope, db)
        let known = Set(possible.map { ExactText($0.record.lineage.originalTransactionID) })
        let former = try FormerOwnerTable.originals(of: customer, in: scope, db)
        let named = try originals + former.filter { try isNamed(customer, inEventsOf: $0, scope, db) }
        let others = try Set(named.map { ExactText($0) }).subtracting(known).sorted().map { original in
            let record = try LineageTable.record(original.text, in: scope, db) ?? LineageRecord(original.text)
            return (record: record, ownership: try ClaimTables.ownership(of: record.lineage, in: scope, db))
        }
        let ever = (possible + others)
            .filter { !isRepeated || erasure.covers($0.record.lineage) }
        let owned = ever.filter { !$0.ownership.spans(of: customer).isEmpty }
        report.purchases = owned.count
        let latest = isRepeated ? erasure.instant : .max
        for subject in Erasure.Subject.allCases {
            switch subject {
            case .claims: report.claims = try renameClaims(of: customer, erasure, scope, db)
            case .grants: report.grants = try removeGrants(of: customer, erasure, scope, db)
            case .formerGrants:
                for id in try grantsNaming(customer, scope, db) { try renameFormer(id, customer, erasure, scope, db) }
            case .usage:
                try db.run(
                    "DELETE FROM usage WHERE scope = ? AND customer = ? AND reported_at <= ?",
                    [.integer(scope), .text(customer), .integer(erasure.instant)])
                report.usage = db.changesCount
            case .storedResponses: try IdempotencyTable.deleteRequests(about: customer, in: scope, db)
            case .purchases:
                for purchase in owned { try assignToStandIn(purchase.record, customer, erasure, scope, db) }
            case .inquiries:
                for purchase in ever {
                    try anonymizeInquiries(about: purchase.record, customer, until: latest, scope, db)
                }
            case .events:
                for purchase in ever {
                    try renameEvents(about: purchase.record, customer, erasure, until: latest, scope, db)
                }
                try db.run(
                    """
                    UPDATE events INDEXED BY account_events_by_customer SET customer = ?
                    WHERE scope = ? AND customer = ? AND original_id IS NULL AND notification IS NOT NULL
                        AND occurred_at <= ?
                    """, [.text(erasure.standIn), .integer(scope), .text(customer), .integer(latest)])
                try db.run(
                    """
                    UPDATE events SET customer = ?, data = NULL
                    WHERE scope = ? AND customer = ? AND notification IS NULL AND occurred_at <= ?
                    """, [.text(erasure.standIn), .integer(scope), .text(customer), .integer(latest)])
            case .deliveries:
                try DeliveryLanes.rename(
                    customer, to: erasure.standIn, about: ever.map(\.record.lineage.originalTransactionID), in: scope,
                    until: latest, db)
            }
        }
        for original in former {
            if try isNamed(customer, inEventsOf: original, scope, db) { continue }
            try FormerOwnerTable.remove(customer, of: original, in: scope, db)
        }
        return report
    }

    /// Whether an event or an inquiry about a purchase names the customer.
    private static func isNamed(
        _ customer: String, inEventsOf original: String, _ scope: Int64, _ db: Database
    ) throws -> Bool {
        let values: [SQLValue] = [.integer(scope), .text(original), .text(customer)]
        let isInInquiry = try db.exists(
            "SELECT 1 FROM consumption_requests WHERE scope = ? AND original_id = ? AND customer = ?", values)
        let isFormerOwner = try db.exists(
            """
            SELECT 1 FROM events CROSS JOIN \(formerOwners)
            WHERE scope = ? AND original_id = ? AND notification IS NULL AND former_owner.value = ?
            """, values)
        let isInClaim = try db.exists(
            "SELECT 1 FROM events WHERE scope = ? AND original_id = ? AND notification IS NULL AND customer = ?", values
        )
        if isInInquiry || isFormerOwner || isInClaim { return true }
        let mentions = try LineageTable.record(original, in: scope, db)?.mentions ?? []
        return try mentions.contains {
            try db.exists(
                "SELECT 1 FROM events WHERE notification = ? AND original_id = ? AND customer = ?",
                [.integer($0.notification)] + values.dropFirst())
        }
    }

    private static func renameClaims(
        of customer: String, _ erasure: Erasure, _ scope: Int64, _ db: Database
    ) throws -> Int {
        let found = try db.all(
            """
            SELECT is_account, subject, instant, kind FROM claim_events INDEXED BY claim_events_by_customer
            WHERE scope = ? AND customer = ?
            """, [.integer(scope), .text(customer)]
        ) { row -> (ClaimTables.Subject, ClaimEvent)? in
            guard let kind = row.number(3).flatMap(ClaimEvent.Kind.init), let subject = row.text(1) else { return nil }
            return (
                ClaimTables.Subject(scope: scope, isAccount: row.number(0) == 1, identifier: subject),
                ClaimEvent(at: row.number(2) ?? 0, kind, customer)
            )
        }
        var count = 0
        for (subject, events) in Dictionary(grouping: found, by: \.0) {
            var renamed: [ClaimEvent] = []
            for (_, event) in events {
                guard let new = erasure.renamed(event, of: customer) else { continue }
                try ClaimTables.remove(event, from: subject, db)
                renamed.append(new)
            }
            if !renamed.isEmpty { try ClaimTables.add(renamed, to: subject, db) }
            count += renamed.count
        }
        return count
    }

    private static func removeGrants(
        of customer: String, _ erasure: Erasure, _ scope: Int64, _ db: Database
    ) throws -> Int {
        let grants = try GrantTables.grants(of: customer, in: scope, db).map(\.grant)
            .filter { erasure.removes($0) }
        for grant in grants {
            for table in ["grant_events", "grants"] {
                try db.run(
                    "DELETE FROM \(table) WHERE scope = ? AND grant_id = ?", [.integer(scope), .text(grant.id)])
            }
        }
        return grants.count
    }

    /// Returns the grants that belonged to the customer before a merge. There is no index, because erasures are rare
    /// and grants are few.
    private static func grantsNaming(_ customer: String, _ scope: Int64, _ db: Database) throws -> [String] {
        try db.texts(
            "SELECT DISTINCT grant_id FROM grant_events WHERE scope = ? AND \(namedInGrant) = ?",
            [.integer(scope), .text(customer)])
    }

    /// Removes the name from the events of a grant from when it was the customer's.
    private static func renameFormer(
        _ id: String, _ customer: String, _ erasure: Erasure, _ scope: Int64, _ db: Database
    ) throws {
        let events = try GrantTables.history(of: id, in: scope, db).events.map {
            erasure.renamed($0, of: customer) ?? $0
        }
        try db.run("DELETE FROM grant_events WHERE scope = ? AND grant_id = ?", [.integer(scope), .text(id)])
        try GrantTables.add(events, to: id, in: scope, emittedUntil: erasure.instant, db)
    }

    /// Assigns a purchase that the customer still owns by the signed account token to the stand-in.
    private static func assignToStandIn(
        _ record: LineageRecord, _ customer: String, _ erasure: Erasure, _ scope: Int64, _ db: Database
    ) throws {
        let ownership = try ClaimTables.ownership(of: record.lineage, in: scope, db)
        guard let claim = erasure.disowningClaim(for: ownership, of: customer) else { return }
        try ClaimTables.add([claim], to: .purchase(record.lineage.originalTransactionID, in: scope), db)
    }

    private static func anonymizeInquiries(
        about record: LineageRecord, _ customer: String, until latest: Milliseconds, _ scope: Int64, _ db: Database
    ) throws {
        try db.run(
            """
            UPDATE consumption_requests SET customer = NULL
            WHERE scope = ? AND original_id = ? AND customer = ? AND requested_at <= ?
            """,
            [.integer(scope), .text(record.lineage.originalTransactionID), .text(customer), .integer(latest)])
    }

    private static func renameEvents(
        about record: LineageRecord, _ customer: String, _ erasure: Erasure, until latest: Milliseconds,
        _ scope: Int64, _ db: Database
    ) throws {
        // The data of these events name former and new owners.
        try db.run(
            """
            UPDATE events SET data = NULL
            WHERE scope = ? AND original_id = ? AND notification IS NULL AND occurred_at <= ?
            """, [.integer(scope), .text(record.lineage.originalTransactionID), .integer(latest)])
        for mention in record.mentions {
            try db.run(
                "UPDATE events SET customer = ? WHERE notification = ? AND customer = ? AND occurred_at <= ?",
                [
                    .text(erasure.standIn), .integer(mention.notification), .text(customer), .integer(latest),
                ])
        }
    }
}

extension SQLiteStorage: ErasureStorage {
    package func erase(_ customer: String, in appEnvironment: AppEnvironment, at now: Milliseconds) async throws
        -> ErasureReport
    {
        let named = try await read { try ErasureTable.originals(naming: [customer], in: appEnvironment.id, $0) }
        return try await write { db in
            let previous = try ErasureTable.erasure(of: customer, in: appEnvironment.id, appEnvironment.bundleID, db)
            let instant = Erasure.instant(
                at: now, newest: try ErasureTable.newest(of: customer, in: appEnvironment.id, db),
                previous: previous?.instant)
            let erasure = Erasure(digest: Erasure.digest(of: customer, in: appEnvironment.bundleID), at: instant)
            try ErasureTable.store(erasure, in: appEnvironment.id, db)
            return try ErasureTable.apply(
                erasure, to: customer, named: named[ExactText(customer)] ?? [], in: appEnvironment.id, db)
        }
    }

    package func lastErasure(of customer: String, in appEnvironment: AppEnvironment) async throws -> Milliseconds? {
        try readInline {
            try ErasureTable.erasure(of: customer, in: appEnvironment.id, appEnvironment.bundleID, $0)?.instant
        }
    }

    /// The number of customers in one transaction.
    private static let customersPerTransaction = 100

    /// Removes the names of erased customers from imported and present data.
    func applyErasures(in scopes: Set<Int64>) async throws {
        for scope in scopes {
            let (erased, named) = try await read { db in
                let erased = try ErasureTable.erasedCustomersWithNames(in: scope, db)
                return (erased, try ErasureTable.originals(naming: erased.map(\.name), in: scope, db))
            }
            var rest = erased[...]
            while !rest.isEmpty {
                let batch = Array(rest.prefix(Self.customersPerTransaction))
                rest = rest.dropFirst(batch.count)
                try await writeBatch { db in
                    for (name, erasure) in batch {
                        _ = try ErasureTable.apply(
                            erasure, to: name, named: named[ExactText(name)] ?? [], in: scope, isRepeated: true, db)
                    }
                }
            }
        }
    }
}
