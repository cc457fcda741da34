package import Ledger
internal import Foundation
internal import GRDB

/// Who was erased, and how what is kept loses the name.
enum ErasureTable {
    static let schema = [
        """
        CREATE TABLE erasures (
            scope INTEGER NOT NULL, digest TEXT NOT NULL, instant INTEGER NOT NULL,
            PRIMARY KEY (scope, digest)) WITHOUT ROWID
        """
    ]

    /// Keeps an erasure. Of several of one customer the last counts.
    static func put(_ erasure: Erasure, in scope: Int64, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO erasures (scope, digest, instant) VALUES (?, ?, ?)
            ON CONFLICT (scope, digest) DO UPDATE SET instant = max(instant, excluded.instant)
            """, [.integer(scope), .text(erasure.digest), .integer(erasure.instant)])
    }

    /// The erasure of a customer; nil when there was none.
    static func erasure(of customer: String, in scope: Int64, _ bundleID: String, _ db: Database) throws -> Erasure? {
        let digest = Erasure.digest(of: customer, in: bundleID)
        return try db.first(
            "SELECT instant FROM erasures WHERE scope = ? AND digest = ?", [.integer(scope), .text(digest)]
        ) { Erasure(digest: digest, at: $0.number(0) ?? 0) }
    }

    /// The customer whom an event of a grant names. SQLite refuses the whole question where a content is no JSON.
    private static let namedInGrant = "CASE WHEN json_valid(content) THEN json_extract(content, '$.customer') END"

    /// When the last was said of a customer that an erasure takes the name from; nil when nothing was.
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

    /// Whether anybody of an app was ever erased.
    static func isAny(in scope: Int64, _ db: Database) throws -> Bool {
        try db.exists("SELECT 1 FROM erasures WHERE scope = ? LIMIT 1", [.integer(scope)])
    }

    /// Walks through all of them, in the order of an export.
    static func forEach(_ db: Database, _ body: (Erasure, _ row: SQLStatement) throws -> Void) throws {
        guard try db.tableExists("erasures") else { return }
        try db.each(
            """
            SELECT bundle_id, environment, digest, instant FROM erasures JOIN scopes ON scopes.id = scope
            ORDER BY bundle_id, environment, digest
            """, []
        ) { row in try body(Erasure(digest: row.text(2) ?? "", at: row.number(3) ?? 0), row) }
    }

    /// The customers who were erased and whose names are still somewhere: of all others nothing is kept in memory.
    static func namedThoughErased(
        in scope: Int64, _ db: Database
    ) throws -> [(name: String, erasure: Erasure)] {
        guard try isAny(in: scope, db) else { return [] }
        let bundleID = try Self.bundleID(of: scope, db)
        var found: [(name: String, erasure: Erasure)] = []
        // Whom the App Store's notifications name need have no claims: in a backup from before the erasure events and
        // questions have the name alone.
        try db.each(
            """
            SELECT DISTINCT customer FROM claim_events WHERE scope = ?1
            UNION SELECT DISTINCT \(namedInGrant) FROM grant_events WHERE scope = ?1
                AND kind <> \(GrantEvent.Kind.revoke.rawValue)
            UNION SELECT DISTINCT customer FROM usage WHERE scope = ?1
            UNION SELECT DISTINCT customer FROM events WHERE scope = ?1
            UNION SELECT DISTINCT customer FROM consumption_requests WHERE scope = ?1
            """, [.integer(scope)]
        ) { row in
            guard let name = row.text(0), !Erasure.isStandIn(name),
                let erasure = try Self.erasure(of: name, in: scope, bundleID, db)
            else { return }
            found.append((name, erasure))
        }
        return found
    }

    // MARK: - Taking the name away

    /// Takes the name from all that is kept of a customer until the erasure.
    ///
    /// - Parameter isAgain: Whether the erasure may be of long ago. Then what was bought, told or asked since is left
    ///   alone, by its date. Where somebody is being erased nothing is, since clocks differ.
    static func apply(
        _ erasure: Erasure, to customer: String, in scope: Int64, isAgain: Bool = false, _ db: Database
    ) throws -> ErasureReport {
        var report = ErasureReport()
        // What was told of a purchase while it was the customer's has the name, whoever has it by what is known now.
        let ever = try SQLiteStorage.ever(of: customer, in: scope, db)
            .filter { !isAgain || erasure.covers($0.record.lineage) }
        let held = ever.filter { !$0.ownership.spans(of: customer).isEmpty }
        report.purchases = held.count
        let latest = isAgain ? erasure.instant : .max
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
            case .rememberedAnswers: try IdempotencyTable.forget(customer, in: scope, db)
            case .purchases: for purchase in held { try disown(purchase.record, customer, erasure, scope, db) }
            case .refundQuestions:
                for purchase in ever { try unnameQuestions(about: purchase.record, customer, until: latest, scope, db) }
            case .events:
                for purchase in ever {
                    try renameEvents(about: purchase.record, customer, erasure, until: latest, scope, db)
                }
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
        return report
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

    /// Those that were the customer's once, and are another's since a merge. There is no index: people are rarely erased, and a
    /// team gives few grants.
    private static func grantsNaming(_ customer: String, _ scope: Int64, _ db: Database) throws -> [String] {
        try db.texts(
            "SELECT DISTINCT grant_id FROM grant_events WHERE scope = ? AND \(namedInGrant) = ?",
            [.integer(scope), .text(customer)])
    }

    /// Takes the name from what happened to a grant while it was the customer's.
    private static func renameFormer(
        _ id: String, _ customer: String, _ erasure: Erasure, _ scope: Int64, _ db: Database
    ) throws {
        let events = try GrantTables.history(of: id, in: scope, db).events.map {
            erasure.renamed($0, of: customer) ?? $0
        }
        try db.run("DELETE FROM grant_events WHERE scope = ? AND grant_id = ?", [.integer(scope), .text(id)])
        try GrantTables.add(events, to: id, in: scope, emittedUntil: erasure.instant, db)
    }

    /// A purchase that is still found by the name, since the App Store signed the account that the app named, becomes
    /// nobody's.
    private static func disown(
        _ record: LineageRecord, _ customer: String, _ erasure: Erasure, _ scope: Int64, _ db: Database
    ) throws {
        let ownership = try ClaimTables.ownership(of: record.lineage, in: scope, db)
        guard let claim = erasure.disowning(ownership, of: customer) else { return }
        try ClaimTables.add([claim], to: .purchase(record.lineage.originalTransactionID, in: scope), db)
    }

    private static func unnameQuestions(
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
        // Who had it before and who has it since are named there.
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
    package func erase(_ customer: String, in scope: Scope, at now: Milliseconds) async throws -> ErasureReport {
        try await write { db in
            let previous = try ErasureTable.erasure(of: customer, in: scope.id, scope.bundleID, db)
            let instant = Erasure.instant(
                at: now, newest: try ErasureTable.newest(of: customer, in: scope.id, db), previous: previous?.instant)
            let erasure = Erasure(digest: Erasure.digest(of: customer, in: scope.bundleID), at: instant)
            try ErasureTable.put(erasure, in: scope.id, db)
            return try ErasureTable.apply(erasure, to: customer, in: scope.id, db)
        }
    }

    package func lastErasure(of customer: String, in scope: Scope) async throws -> Milliseconds? {
        try readAtOnce { try ErasureTable.erasure(of: customer, in: scope.id, scope.bundleID, $0)?.instant }
    }

    /// How many customers lose their names in one transaction.
    private static let erasedTogether = 100

    /// Takes the names of erased customers from what another ledger still had, and from what is here.
    func applyErasures(in scopes: Set<Int64>) async throws {
        for scope in scopes {
            var rest = try await read { try ErasureTable.namedThoughErased(in: scope, $0) }[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(Self.erasedTogether))
                rest = rest.dropFirst(piece.count)
                try await writePiece { db in
                    for (name, erasure) in piece {
                        _ = try ErasureTable.apply(erasure, to: name, in: scope, isAgain: true, db)
                    }
                }
            }
        }
    }
}
