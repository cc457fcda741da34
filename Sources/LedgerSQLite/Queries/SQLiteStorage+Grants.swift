internal import AppStoreModels
internal import GRDB
package import Ledger

extension SQLiteStorage: GrantStorage {
    package func createGrant(
        _ id: String, _ content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantCreation {
        try await write { db in
            let known = try GrantTables.history(of: id, in: scope, db)
            let created = LedgerEvent.identifier(.grantCreated, ofGrant: id)
            let decision = try GrantDecision.creation(
                of: content, known: known.grant(id),
                hasEvents: !known.events.isEmpty || OutboxTable.number(of: created, db) != nil,
                beside: GrantTables.runningGrants(of: content.customer ?? "", in: scope, at: now, db), at: now)
            if let decision { return decision }
            let erasure = try content.customer.flatMap { try ErasureTable.lastErasure(of: $0, in: scope, db) }
            let event = GrantEvent(.create, at: Erasure.instant(ofChangeAt: now, afterErasure: erasure), content)
            // A grant that has already ended gets its event `grant.expired` at once.
            try GrantTables.add([event], to: id, in: scope, emittedUntil: .min, db)
            guard let grant = try GrantTables.history(of: id, in: scope, db).grant(id) else { return .refused }
            try OutboxTable.add(
                LedgerEvent(.grantCreated, of: grant, at: grant.createdAt, learned: now, in: scope), db)
            return .created(grant)
        }
    }

    package func revokeGrant(
        _ id: String, of customer: String, because content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantRevocation {
        try await write { db in
            guard let grant = try GrantTables.history(of: id, in: scope, db).grant(id),
                grant.customer.isExactly(customer)
            else { return .unknown }
            if let decision = GrantDecision.revocation(of: grant, at: now) { return decision }
            try GrantTables.add([GrantEvent(.revoke, at: now, content)], to: id, in: scope, emittedUntil: .min, db)
            guard let revoked = try GrantTables.history(of: id, in: scope, db).grant(id),
                let instant = revoked.revocation?.instant
            else { return .unknown }
            try OutboxTable.add(LedgerEvent(.grantRevoked, of: revoked, at: instant, learned: now, in: scope), db)
            return .revoked(revoked)
        }
    }

    package func grants(of customer: String, in scope: Int64) async throws -> [Grant] {
        try await read { try GrantTables.grants(of: customer, in: scope, $0) }
    }

    package func grantedEntitlements(in scope: Int64, at now: Milliseconds) async throws -> [String] {
        try await read { db in
            try db.texts(
                """
                SELECT DISTINCT entitlement FROM grants
                WHERE scope = ? AND revoked_at IS NULL AND (ends_at IS NULL OR ends_at > ?) ORDER BY entitlement
                """, [.integer(scope), .integer(now)])
        }
    }

    package func emitExpiredGrants(at now: Milliseconds, limit: Int) async throws -> ExpiredGrants {
        let isDue = try await read { db in
            try db.exists("SELECT 1 FROM grants WHERE due IS NOT NULL AND due <= ?", [.integer(now)])
        }
        guard isDue else { return ExpiredGrants(count: 0) }
        return try await write { db in
            let due = try db.all(
                """
                SELECT scope, grant_id FROM grants WHERE due IS NOT NULL AND due <= ?
                ORDER BY due, scope, grant_id LIMIT ?
                """, [.integer(now), .init(limit)]
            ) { row in row.number(0).flatMap { scope in row.text(1).map { (scope: scope, id: $0) } } }
            var expired = ExpiredGrants(count: due.count)
            for (scope, id) in due {
                do { try Self.emitExpiry(of: id, in: scope, at: now, db) } catch let error as StorageError
                    where error.code == .damaged
                {
                    expired.damaged.append(id)
                    try Self.setDue(.integer(now + GrantDecision.retryOfDamaged), of: id, in: scope, db)
                }
            }
            return expired
        }
    }

    private static func emitExpiry(of id: String, in scope: Int64, at now: Milliseconds, _ db: Database) throws {
        let grant = try GrantTables.history(of: id, in: scope, db).grant(id)
        try setDue(.null, of: id, in: scope, db)
        guard let grant, let end = grant.until else { return }
        try OutboxTable.add(LedgerEvent(.grantExpired, of: grant, at: end, learned: now, in: scope), db)
    }

    private static func setDue(_ due: SQLValue, of id: String, in scope: Int64, _ db: Database) throws {
        try db.run("UPDATE grants SET due = ? WHERE scope = ? AND grant_id = ?", [due, .integer(scope), .text(id)])
    }
}
