internal import AppStoreModels
package import Entitlements
internal import Foundation
package import Ledger

extension MemoryLedger: SegmentStorage {
    package func members(_ query: SegmentQuery) async throws -> (items: [SegmentMember], next: SegmentPosition?) {
        try read { state in
            let (after, last) = query.range
            let rows = state.segments(query.segment, in: query.scope)
                .filter { $0.position > after && $0.position.number <= last }.sorted { $0.position < $1.position }
            let found = rows.enumerated().filter {
                query.matches($0.element.row)
                    && !state.isDamaged($0.element.lineage.originalTransactionID, in: query.scope)
            }.prefix(query.limit)
            let items = found.map { _, entry in
                SegmentMember(
                    lineage: entry.lineage,
                    owners: state.owners(of: entry.lineage.originalTransactionID, in: query.scope),
                    reason: entry.row.reason.map { StateDetail(rawValue: $0) },
                    until: entry.row.ends == .max ? nil : entry.row.ends, since: entry.row.since)
            }
            guard found.count == query.limit, let end = found.last, end.offset < rows.count - 1 else {
                return (items, nil)
            }
            return (items, end.element.position)
        }
    }

    package func count(
        of segment: Segment, in scope: Int64, at now: Milliseconds, limit: Int
    ) async throws -> Int {
        let first = SegmentQuery(segment, in: scope, at: now, limit: limit).range.after
        return try read { state in
            min(limit, state.segments(segment, in: scope).count { $0.position > first && $0.row.includes(now) })
        }
    }
}

extension MemoryLedger.State {
    typealias SegmentEntry = (position: SegmentPosition, row: SegmentRow, lineage: Lineage)

    fileprivate func segments(_ segment: Segment, in scope: Int64) -> [SegmentEntry] {
        let lineages = lineages(in: scope)
        return lineages.flatMap { lineage in
            let successors = lineages.successors(of: lineage.originalTransactionID)
            return Set(lineage.segments(successors: successors)).filter { $0.segment == segment }.map {
                (
                    SegmentPosition(number: $0.positionNumber, originalTransactionID: lineage.originalTransactionID),
                    $0, lineage
                )
            }
        }
    }
}

extension [Lineage] {
    /// The transactions of other lineages that continue a subscription.
    func successors(of original: String) -> [TransactionFact] {
        filter { !$0.originalTransactionID.isExactly(original) }.flatMap(\.transactions).filter {
            $0.previousOriginalTransactionID?.isExactly(original) ?? false
        }
    }
}

extension MemoryLedger: UnclaimedStorage {
    package func unclaimedPurchases(
        in scope: Int64, after original: String, limit: Int
    ) async throws -> (items: [Lineage], next: String?) {
        try read { state in
            let unnamed = state.lineages(in: scope).filter {
                $0.appAccountToken == nil && ExactText($0.originalTransactionID) > ExactText(original)
            }
            let found = unnamed.filter {
                $0.isPaid && state.ownership(of: $0.originalTransactionID, in: scope).owners.isEmpty
                    && !state.isDamaged($0.originalTransactionID, in: scope)
            }
            let items = Array(found.prefix(limit))
            let isOver =
                items.count < limit || items.last?.originalTransactionID == unnamed.last?.originalTransactionID
            return (items, isOver ? nil : items.last?.originalTransactionID)
        }
    }
}

extension MemoryLedger: OriginalPurchaseStorage {
    package func store(_ purchases: [OriginalPurchase]) async throws {
        try write { state in
            for new in purchases {
                let key = Key(new.scope, new.subject)
                let isAhead =
                    state.originalPurchases[key].map { known in
                        new.replaces((known.kind, known.fact.signedDate.milliseconds)) { known.text }
                    } ?? true
                if isAhead { state.originalPurchases[key] = new }
            }
        }
    }

    package func originalPurchases(
        ownedBy customer: String, in scope: Int64
    ) async throws -> [OwnedOriginalPurchase] {
        try read { $0.ownedOriginalPurchases(by: customer, in: scope) }
    }
}

extension MemoryLedger.State {
    func ownedOriginalPurchases(by customer: String, in scope: Int64) -> [OwnedOriginalPurchase] {
        let accounts = claims.keys.filter { $0.isAccount && $0.key.scope == scope }.map(\.key).sorted()
        return accounts.compactMap { key in
            let ownership = Ownership(
                claims: ClaimHistory([]), named: nil, account: history(ofAccount: key.name.text, in: scope))
            guard !ownership.spans(of: customer).isEmpty, let stored = originalPurchases[key] else { return nil }
            return OwnedOriginalPurchase(stored, ownership)
        }
    }
}

extension MemoryLedger: EntitlementContextStorage {
    package func snapshot(
        of customer: String, in appEnvironment: AppEnvironment
    ) async throws -> (lineages: [Lineage], context: EntitlementContext) {
        try read {
            (
                try $0.lineages(of: customer, in: appEnvironment.id),
                $0.entitlementContext(of: customer, in: appEnvironment.id)
            )
        }
    }

    package func entitlementContext(of customer: String, in appEnvironment: AppEnvironment) async throws
        -> EntitlementContext
    {
        try read { $0.entitlementContext(of: customer, in: appEnvironment.id) }
    }
}

extension MemoryLedger.State {
    fileprivate func entitlementContext(of customer: String, in scope: Int64) -> EntitlementContext {
        var context = EntitlementContext()
        context.originalPurchases = accounts(of: customer, in: scope).compactMap {
            originalPurchases[.init(scope, $0)]?.fact
        }
        context.grants = grants(of: customer, in: scope).map {
            GrantFact(
                id: $0.id, entitlement: $0.entitlement, createdAt: $0.createdAt, until: $0.until,
                revokedAt: $0.revocation?.instant)
        }
        context.groups = Set(productGroups.filter { $0.key.scope == scope }.values)
        return context
    }
}
