internal import AppStoreModels
internal import Entitlements
internal import Foundation
package import Ledger

extension MemoryLedger: GrantStorage {
    package func createGrant(
        _ id: String, _ content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantCreation {
        try write { state in
            let event = LedgerEvent.identifier(.grantCreated, ofGrant: id)
            let known = state.grants[Key(scope, id)]
            let decision = GrantDecision.creation(
                of: content, known: known?.grant(id),
                hasEvents: known?.events.isEmpty == false || state.events.contains { $0.id.isExactly(event) },
                beside: state.grants(of: content.customer ?? "", in: scope), at: now)
            if let decision { return decision }
            let erasure = content.customer.flatMap { state.lastErasure(of: $0, in: scope) }
            let instant = Erasure.instant(ofChangeAt: now, afterErasure: erasure)
            state.record([GrantEvent(.create, at: instant, content)], of: Key(scope, id), emittedUntil: .min)
            guard let grant = state.grants[Key(scope, id)]?.grant(id) else { return .refused }
            state.add(LedgerEvent(.grantCreated, of: grant, at: grant.createdAt, learned: now, in: scope))
            return .created(grant)
        }
    }

    package func revokeGrant(
        _ id: String, of customer: String, because content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantRevocation {
        try write { state in
            let key = Key(scope, id)
            guard let grant = state.grants[key]?.grant(id), grant.customer.isExactly(customer) else { return .unknown }
            if let decision = GrantDecision.revocation(of: grant, at: now) { return decision }
            state.record([GrantEvent(.revoke, at: now, content)], of: key, emittedUntil: .min)
            guard let revoked = state.grants[key]?.grant(id), let instant = revoked.revocation?.instant else {
                return .unknown
            }
            state.add(LedgerEvent(.grantRevoked, of: revoked, at: instant, learned: now, in: scope))
            return .revoked(revoked)
        }
    }

    package func grants(of customer: String, in scope: Int64) async throws -> [Grant] {
        try read { $0.grants(of: customer, in: scope) }
    }

    package func grantedEntitlements(in scope: Int64, at now: Milliseconds) async throws -> [String] {
        try read { state in
            let running = state.grants.compactMap { key, history in
                key.scope == scope ? history.grant(key.name.text) : nil
            }.filter { $0.state(at: now) == .running }
            return Set(running.map { ExactText($0.entitlement) }).sorted().map(\.text)
        }
    }

    package func emitExpiredGrants(at now: Milliseconds, limit: Int) async throws -> ExpiredGrants {
        try write { state in
            let due = state.endsToEmit.filter { $0.value <= now }
                .sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(limit)
            for (key, _) in due {
                state.endsToEmit[key] = nil
                guard let grant = state.grants[key]?.grant(key.name.text), let end = grant.until else { continue }
                state.add(LedgerEvent(.grantExpired, of: grant, at: end, learned: now, in: key.scope))
            }
            return ExpiredGrants(count: due.count)
        }
    }
}

extension MemoryLedger.State {
    /// The grants of a customer, the earliest created first.
    func grants(of customer: String, in scope: Int64) -> [Grant] {
        grants.compactMap { key, history in
            key.scope == scope ? history.grant(key.name.text) : nil
        }.filter { $0.customer.isExactly(customer) }.sorted {
            ($0.createdAt, ExactText($0.id)) < ($1.createdAt, ExactText($1.id))
        }
    }

    /// Appends events to the history of a grant.
    ///
    /// - Parameter emittedUntil: No expiry event will be emitted for a new grant that ends by this instant.
    mutating func record(_ events: [GrantEvent], of key: MemoryLedger.Key, emittedUntil: Milliseconds) {
        let id = key.name.text
        let before = grants[key]?.grant(id)
        let history = GrantHistory((grants[key]?.events ?? []) + events)
        grants[key] = history
        guard let grant = history.grant(id), grant != before else { return }
        let wasDue = before == nil ? nil : endsToEmit[key] != nil
        endsToEmit[key] = grant.expiryEventDate(wasDue: wasDue, emittedUntil: emittedUntil)
    }
}
