internal import AppStoreModels
internal import GRDB
internal import Ledger

/// Removes the name of an erased customer, within a database transaction.
struct ErasureTransaction {
    let erasure: Erasure
    let customer: String
    let scope: Int64
    /// Whether an earlier erasure is applied again, after an import: see ``Erasure/reach(isRepeated:)``.
    var isRepeated = false
    let db: Database

    /// Deliveries, events and inquiries that are later do not change.
    private var latest: Milliseconds { erasure.reach(isRepeated: isRepeated) }

    /// Removes the name from the data of the customer up to the erasure.
    ///
    /// - Parameter originals: The customer's purchases according to ``ErasureTable/originals(naming:in:_:)``.
    func apply(named originals: [String]) throws -> ErasureReport {
        var report = ErasureReport()
        // Includes purchases that the customer no longer owns according to present data, because events about them may
        // contain the name.
        let possible = try SQLiteStorage.possiblePurchases(of: customer, in: scope, db)
        let known = Set(possible.map { ExactText($0.record.lineage.originalTransactionID) })
        let former = try FormerOwnerTable.originals(of: customer, in: scope, db)
        let named = try originals + former.filter { try isNamed(inEventsOf: $0) }
        let others = try Set(named.map { ExactText($0) }).subtracting(known).sorted().map { original in
            let record = try LineageTable.record(original.text, in: scope, db) ?? LineageRecord(original.text)
            return (record: record, ownership: try ClaimTables.ownership(of: record.lineage, in: scope, db))
        }
        let ever = (possible + others)
            .filter { erasure.covers($0.record.lineage, isRepeated: isRepeated) }
        let owned = ever.filter { !$0.ownership.spans(of: customer).isEmpty }
        report.purchases = owned.count
        for subject in Erasure.Subject.allCases {
            switch subject {
            case .claims: report.claims = try renameClaims()
            case .grants: report.grants = try removeGrants()
            case .formerGrants:
                for id in try ErasureTable.grantsNaming(customer, scope, db) { try renameFormer(id) }
            case .usage: report.usage = try removeUsage()
            case .storedResponses: try IdempotencyTable.deleteRequests(about: customer, in: scope, db)
            case .purchases:
                for purchase in owned { try assignToStandIn(purchase.record.lineage) }
            case .inquiries:
                for purchase in ever { try anonymizeInquiries(about: purchase.record) }
            case .events:
                for purchase in ever { try renameEvents(about: purchase.record) }
                try renameOtherEvents()
            case .deliveries:
                try DeliveryLanes.rename(
                    customer, to: erasure.standIn, about: ever.map(\.record.lineage.originalTransactionID), in: scope,
                    until: latest, db)
            }
        }
        for original in former {
            if try isNamed(inEventsOf: original) { continue }
            try FormerOwnerTable.remove(customer, of: original, in: scope, db)
        }
        return report
    }

    /// Whether an event or an inquiry about a purchase names the customer.
    private func isNamed(inEventsOf original: String) throws -> Bool {
        let values: [SQLValue] = [.integer(scope), .text(original), .text(customer)]
        let isInInquiry = try db.exists(
            "SELECT 1 FROM consumption_requests WHERE scope = ? AND original_id = ? AND customer = ?", values)
        let isFormerOwner = try db.exists(
            """
            SELECT 1 FROM events CROSS JOIN \(ErasureTable.formerOwners)
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

    private func renameClaims() throws -> Int {
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

    private func removeUsage() throws -> Int {
        let key: [SQLValue] = [.integer(scope), .text(customer)]
        let removed = try db.all(
            "SELECT transaction_id, product_id, reported_at FROM usage WHERE scope = ? AND customer = ?", key
        ) { row -> [SQLValue]? in
            erasure.removes(UsageReport(reportedAt: row.number(2) ?? 0)) ? [row.value(0), row.value(1)] : nil
        }
        for subject in removed {
            try db.run(
                "DELETE FROM usage WHERE scope = ? AND customer = ? AND transaction_id = ? AND product_id = ?",
                key + subject)
        }
        return removed.count
    }

    private func removeGrants() throws -> Int {
        let grants = try GrantTables.grants(of: customer, in: scope, db).filter { erasure.removes($0) }
        for grant in grants { try ErasureTable.removeGrant(grant.id, erasure.standIn, scope, db) }
        return grants.count
    }

    /// Removes the name from the events of a grant from when it was the customer's.
    private func renameFormer(_ id: String) throws {
        let events = try GrantTables.history(of: id, in: scope, db).events.map {
            erasure.renamed($0, of: customer) ?? $0
        }
        try db.run("DELETE FROM grant_events WHERE scope = ? AND grant_id = ?", [.integer(scope), .text(id)])
        try GrantTables.add(events, to: id, in: scope, emittedUntil: erasure.instant, db)
    }

    /// Assigns a purchase that the customer still owns by the signed account token to the stand-in.
    fileprivate func assignToStandIn(_ lineage: Lineage) throws {
        let ownership = try ClaimTables.ownership(of: lineage, in: scope, db)
        guard let claim = erasure.disowningClaim(for: ownership, of: customer) else { return }
        try ClaimTables.add([claim], to: .purchase(lineage.originalTransactionID, in: scope), db)
    }

    private func anonymizeInquiries(about record: LineageRecord) throws {
        try db.run(
            """
            UPDATE consumption_requests SET customer = NULL
            WHERE scope = ? AND original_id = ? AND customer = ? AND requested_at <= ?
            """,
            [.integer(scope), .text(record.lineage.originalTransactionID), .text(customer), .integer(latest)])
    }

    private func renameEvents(about record: LineageRecord) throws {
        try renameEvents(
            "events WHERE scope = ? AND original_id = ? AND notification IS NULL AND occurred_at <= ?",
            [.integer(scope), .text(record.lineage.originalTransactionID), .integer(latest)])
        for mention in record.mentions {
            try renameEvents(
                "events WHERE notification = ? AND occurred_at <= ?",
                [.integer(mention.notification), .integer(latest)])
        }
    }

    /// Removes the name from the events about the customer's Apple accounts and grants, and about the customer.
    private func renameOtherEvents() throws {
        let values: [SQLValue] = [.integer(scope), .text(customer), .integer(latest)]
        let ofAccounts = """
            events INDEXED BY account_events_by_customer WHERE scope = ? AND customer = ?
            AND original_id IS NULL AND notification IS NOT NULL AND occurred_at <= ?
            """
        let own = "events WHERE scope = ? AND customer = ? AND notification IS NULL AND occurred_at <= ?"
        for events in [ofAccounts, own] { try renameEvents(events, values) }
    }

    /// Removes the name from some events.
    ///
    /// - Parameter events: The part of the query after `FROM`.
    private func renameEvents(_ events: String, _ values: [SQLValue]) throws {
        let renamed = try db.all("SELECT \(OutboxTable.columns), seq FROM \(events)", values) { row in
            erasure.renamed(OutboxTable.event(row), of: customer).map { (number: row.number(11) ?? 0, event: $0) }
        }
        for (number, event) in renamed {
            try db.run(
                "UPDATE events SET customer = ?, data = ? WHERE seq = ?",
                [.init(event.customer), .init(event.data), .integer(number)])
        }
    }
}

extension ErasureTable {
    /// Deletes a grant, except for ``GrantHistory/remnant(for:)``.
    fileprivate static func removeGrant(_ id: String, _ standIn: String, _ scope: Int64, _ db: Database) throws {
        let remnant = try GrantTables.history(of: id, in: scope, db).remnant(for: standIn)
        try db.run("DELETE FROM grant_events WHERE scope = ? AND grant_id = ?", [.integer(scope), .text(id)])
        try GrantTables.add([remnant].compactMap(\.self), to: id, in: scope, emittedUntil: .max, db)
    }

    /// Deletes the grants of erased customers that an older export has brought back.
    static func removeGrantsOfStandIns(in scope: Int64, _ db: Database) throws {
        for (id, standIn) in try grantsOfStandIns(in: scope, db) { try removeGrant(id, standIn, scope, db) }
    }

    static func grantsOfStandIns(in scope: Int64, _ db: Database) throws -> [(id: String, standIn: String)] {
        let first = Erasure.standInPrefix
        return try db.all(
            "SELECT grant_id, customer FROM grants WHERE scope = ? AND customer >= ? AND customer < ?",
            [.integer(scope), .text(first), .text(first + "g")]
        ) { row in row.text(0).flatMap { id in row.text(1).map { (id: id, standIn: $0) } } }
    }

    /// Returns the grants that belonged to the customer before a merge.
    static func grantsNaming(_ customer: String, _ scope: Int64, _ db: Database) throws -> [String] {
        try db.texts(
            "SELECT DISTINCT grant_id FROM grant_events WHERE scope = ? AND \(namedInGrant) = ?",
            [.integer(scope), .text(customer)])
    }

    /// Assigns a purchase to the stand-in if its account token names a customer who was erased after the purchase. The
    /// ledger may learn of the purchase later, from a notification that it had missed.
    static func disown(_ lineage: Lineage, in scope: Int64, _ db: Database) throws {
        guard let customer = lineage.appAccountToken?.text, try hasErasures(in: scope, db),
            let erasure = try Self.erasure(of: customer, in: scope, bundleID(of: scope, db), db),
            erasure.covers(lineage)
        else { return }
        try ErasureTransaction(erasure: erasure, customer: customer, scope: scope, db: db).assignToStandIn(lineage)
    }
}
