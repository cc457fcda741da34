package import Ledger
internal import Foundation
internal import GRDB

extension SQLiteStorage: GrantStorage {
    package func createGrant(
        _ id: String, _ content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantCreation {
        try await write { db in
            let others = try GrantTables.grants(of: content.customer ?? "", in: scope, db).map(\.grant)
            guard GrantDecision.mayCreate(beside: others, at: now) else { return .refused }
            let event = GrantEvent(.create, at: now, content)
            // One that ends is told when it does, even if that is at once.
            try GrantTables.add([event], to: id, in: scope, emittedUntil: .min, db)
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
        return try await write { db in
            let due = try db.all(
                "SELECT scope, grant_id FROM grants WHERE due IS NOT NULL AND due <= ? ORDER BY due LIMIT ?",
                [.integer(now), .init(limit)]
            ) { row in row.number(0).flatMap { scope in row.text(1).map { (scope: scope, id: $0) } } }
            for (scope, id) in due {
                try db.run(
                    "UPDATE grants SET due = NULL WHERE scope = ? AND grant_id = ?", [.integer(scope), .text(id)])
                guard let grant = try GrantTables.history(of: id, in: scope, db).grant(id), let end = grant.until
                else { continue }
                try GrantTables.emit(.grantExpired, grant, in: scope, at: end, learned: now, db)
            }
            return due.count
        }
    }
}
