package import Ledger
internal import Foundation
internal import GRDB

extension SQLiteStorage: GrantStorage {
    package func createGrant(
        _ id: String, _ content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantCreation {
        try await write { db in
            if let known = try GrantTables.history(of: id, in: scope, db).grant(id) {
                let isSame = content.customer.map { $0.isIdentical(to: known.customer) } ?? false
                return isSame ? .created(known) : .isTaken
            }
            // An erasure leaves the event: a second of its name would not be told.
            let event = LedgerEvent.identifier(.grantCreated, ofGrant: id)
            guard try OutboxTable.number(of: event, db) == nil else { return .isTaken }
            let others = try GrantTables.grants(of: content.customer ?? "", in: scope, db).map(\.grant)
            guard GrantDecision.mayCreate(beside: others, at: now) else { return .refused }
            // One that ends is told when it does, even if that is at once.
            try GrantTables.add([GrantEvent(.create, at: now, content)], to: id, in: scope, emittedUntil: .min, db)
            guard let grant = try GrantTables.history(of: id, in: scope, db).grant(id) else { return .refused }
            try GrantTables.emit(.grantCreated, grant, in: scope, at: grant.createdAt, learned: now, db)
            return .created(grant)
        }
    }

    package func revokeGrant(
        _ id: String, of customer: String, because content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantRevocation {
        try await write { db in
            guard let grant = try GrantTables.history(of: id, in: scope, db).grant(id),
                grant.customer.isIdentical(to: customer)
            else { return .unknown }
            switch GrantDecision.revocation(of: grant, at: now) {
            case .isRevoked: return .revoked(grant)
            case .isOver: return .isOver(grant)
            case .revokes: break
            }
            try GrantTables.add([GrantEvent(.revoke, at: now, content)], to: id, in: scope, emittedUntil: .min, db)
            guard let revoked = try GrantTables.history(of: id, in: scope, db).grant(id),
                let instant = revoked.revocation?.instant
            else { return .unknown }
            try GrantTables.emit(.grantRevoked, revoked, in: scope, at: instant, learned: now, db)
            return .revoked(revoked)
        }
    }

    package func grants(of customer: String, in scope: Int64) async throws -> [Grant] {
        try await read { try GrantTables.grants(of: customer, in: scope, $0).map(\.grant) }
    }

    package func emitExpiredGrants(at now: Milliseconds, limit: Int) async throws -> Int {
        let isAny = try await read { db in
            try db.first(
                "SELECT EXISTS (SELECT 1 FROM grants WHERE due IS NOT NULL AND due <= ?)", [.integer(now)]
            ) { $0.number(0) == 1 } ?? false
        }
        guard isAny else { return 0 }
        let (count, damage) = try await write { db -> (Int, StorageError?) in
            let due = try db.all(
                "SELECT scope, grant_id FROM grants WHERE due IS NOT NULL AND due <= ? ORDER BY due LIMIT ?",
                [.integer(now), .init(limit)]
            ) { row in row.number(0).flatMap { scope in row.text(1).map { (scope: scope, id: $0) } } }
            var damage: StorageError?
            for (scope, id) in due {
                do { try Self.emitExpiry(of: id, in: scope, at: now, db) } catch let error as StorageError
                    where error.code == .damaged
                {
                    damage = error
                    try Self.setDue(.integer(now + Self.retryOfDamaged), of: id, in: scope, db)
                }
            }
            return (due.count, damage)
        }
        if let damage { throw damage }
        return count
    }

    /// After how long a grant that cannot be read is looked at again.
    private static let retryOfDamaged: Milliseconds = 3_600_000

    private static func emitExpiry(of id: String, in scope: Int64, at now: Milliseconds, _ db: Database) throws {
        let grant = try GrantTables.history(of: id, in: scope, db).grant(id)
        try setDue(.null, of: id, in: scope, db)
        guard let grant, let end = grant.until else { return }
        try GrantTables.emit(.grantExpired, grant, in: scope, at: end, learned: now, db)
    }

    private static func setDue(_ due: SQLValue, of id: String, in scope: Int64, _ db: Database) throws {
        try db.run("UPDATE grants SET due = ? WHERE scope = ? AND grant_id = ?", [due, .integer(scope), .text(id)])
    }
}
