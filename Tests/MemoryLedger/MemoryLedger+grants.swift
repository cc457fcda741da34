internal import AppStoreModels
internal import Entitlements
internal import Foundation
package import Ledger

extension MemoryLedger: GrantStorage {
    package func createGrant(
        _ id: String, _ content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantCreation {
        try write { state in
            let others = state.grants(of: content.customer ?? "", in: scope)
            guard GrantDecision.mayCreate(beside: others, at: now) else { return .refused }
            state.keep([GrantEvent(.create, at: now, content)], of: Key(scope, id), toldUntil: .min)
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
            switch GrantDecision.revocation(of: grant, at: now) {
            case .isRevoked: return .revoked(grant)
            case .isOver: return .isOver(grant)
            case .revokes: break
            }
            state.keep([GrantEvent(.revoke, at: now, content)], of: key, toldUntil: .min)
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

    package func tellExpiredGrants(at now: Milliseconds, limit: Int) async throws -> Int {
        try write { state in
            let due = state.endsToTell.filter { $0.value <= now }
                .sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(limit)
            for (key, _) in due {
                state.endsToTell[key] = nil
                guard let grant = state.grants[key]?.grant(key.name.text), let end = grant.until else { continue }
                state.add(LedgerEvent(.grantExpired, of: grant, at: end, learned: now, in: key.scope))
            }
            return due.count
        }
    }
}

extension MemoryLedger.State {
    /// The first that was made first.
    func grants(of customer: String, in scope: Int64) -> [Grant] {
        grants.compactMap { key, history in
            key.scope == scope ? history.grant(key.name.text) : nil
        }.filter { $0.customer.isExactly(customer) }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Keeps what happened to a grant.
    ///
    /// - Parameter toldUntil: That it ended by then is not told any more.
    mutating func keep(_ events: [GrantEvent], of key: MemoryLedger.Key, toldUntil: Milliseconds) {
        let id = key.name.text
        let before = grants[key]?.grant(id)
        let history = GrantHistory((grants[key]?.events ?? []) + events)
        grants[key] = history
        guard let grant = history.grant(id), grant != before else { return }
        let isOpen = before == nil ? grant.until.map { $0 > toldUntil } ?? false : endsToTell[key] != nil
        endsToTell[key] = grant.revocation == nil && isOpen ? grant.until : nil
    }

    /// What happened to a customer's grants, with whether the end was told.
    func isEndTold(_ grant: Grant, in scope: Int64) -> Bool {
        endsToTell[.init(scope, grant.id)] == nil && grant.until != nil && grant.revocation == nil
    }
}

extension MemoryLedger: ErasureStorage {
    package func erase(_ customer: String, in scope: Scope, at now: Milliseconds) async throws -> ErasureReport {
        try write { state in
            let erasure = Erasure(digest: Erasure.digest(of: customer, in: scope.bundleID), at: now)
            let key = Key(scope.id, erasure.digest)
            state.erasures[key] = max(state.erasures[key] ?? .min, now)
            return state.apply(erasure, to: customer, in: scope.id)
        }
    }
}

extension MemoryLedger.State {
    fileprivate mutating func apply(_ erasure: Erasure, to customer: String, in scope: Int64) -> ErasureReport {
        var report = ErasureReport()
        let held = held(by: customer, in: scope)
        report.purchases = held.count
        for (subject, history) in claims where subject.key.scope == scope {
            var events = history.events
            for index in events.indices where erasure.covers(events[index].instant) {
                guard events[index].customer.isExactly(customer) else { continue }
                events[index].customer = erasure.standIn
                report.claims += 1
            }
            claims[subject] = ClaimHistory(events)
        }
        for grant in grants(of: customer, in: scope) where erasure.covers(grant.createdAt) {
            (grants[.init(scope, grant.id)], endsToTell[.init(scope, grant.id)]) = (nil, nil)
            report.grants += 1
        }
        for (key, history) in grants where key.scope == scope {
            var events = history.events
            for index in events.indices where erasure.covers(events[index].instant) {
                guard events[index].content.customer?.isExactly(customer) ?? false else { continue }
                events[index].content.customer = erasure.standIn
            }
            grants[key] = GrantHistory(events)
        }
        for (key, kept) in usage where key.customer == .init(scope, customer) && erasure.covers(kept.reportedAt) {
            usage[key] = nil
            report.usage += 1
        }
        requests = requests.filter { !($0.value.customer?.isExactly(customer) ?? false) }
        for purchase in held { rename(purchase.record, customer, erasure, in: scope) }
        for index in events.indices where events[index].scope == scope && events[index].notification == nil {
            guard events[index].customer?.isExactly(customer) ?? false else { continue }
            (events[index].customer, events[index].data) = (erasure.standIn, nil)
        }
        return report
    }

    /// A purchase that is still found by the name becomes nobody's; and what was told of it loses the name.
    private mutating func rename(
        _ record: LineageRecord, _ customer: String, _ erasure: Erasure, in scope: Int64
    ) {
        let original = record.lineage.originalTransactionID
        let ownership = ownership(of: original, in: scope)
        if ownership.owners.containsName(customer) {
            let instant = ownership.claims.next(after: erasure.instant)
            add(
                [ClaimEvent(at: instant, .take, erasure.standIn)],
                to: .init(isAccount: false, key: .init(scope, original)))
        }
        for index in inquiries.indices where inquiries[index].inquiry.scope == scope {
            let inquiry = inquiries[index].inquiry
            guard inquiry.originalTransactionID.isExactly(original), inquiry.customer?.isExactly(customer) ?? false
            else { continue }
            inquiries[index].inquiry.customer = nil
        }
        let mentions = Set(record.mentions.map(\.notification))
        for index in events.indices {
            let event = events[index]
            if let notification = event.notification {
                guard mentions.contains(notification), event.customer?.isExactly(customer) ?? false else { continue }
                events[index].customer = erasure.standIn
            } else if event.scope == scope, event.originalTransactionID?.isExactly(original) ?? false {
                events[index].data = nil
            }
        }
    }
}
