internal import AppStoreModels
package import Entitlements
internal import Foundation
package import Ledger

extension MemoryLedger: ClaimStorage {
    package func claim(
        _ claim: Claim, givesAccess: @escaping @Sendable (SucceededPurchase) -> Bool,
        originalGivesAccess: @escaping @Sendable (OriginalPurchaseFact) -> Bool
    ) async throws -> ClaimOutcome {
        try write { state in
            var changed = state
            var claim = claim
            let erasure = state.lastErasure(of: claim.customer, in: claim.scope)
            if claim.isOvertaken(by: erasure) { return .overtaken }
            claim.claimedAt = Erasure.instant(ofChangeAt: claim.claimedAt, afterErasure: erasure)
            do {
                let granted = try changed.apply(claim, givesAccess, originalGivesAccess)
                state = changed
                return .granted(granted)
            } catch let refusal as ClaimRefusal { return .inUse(refusal) }
        }
    }

    package func merge(
        _ from: String, into customer: String, in scope: Int64, at now: Milliseconds, erasuresKnownUntil: Milliseconds
    ) async throws -> Set<String>? {
        try write { state in
            let erasure = state.lastErasure(of: customer, in: scope)
            guard !Erasure.isNew(erasure, since: erasuresKnownUntil) else { return nil }
            let instant = Erasure.instant(ofChangeAt: now, afterErasure: erasure)
            return try state.merge(from, into: customer, in: scope, at: instant)
        }
    }

    package func sameAccountPurchases(of originalTransactionIDs: [String], in scope: Int64) async throws -> [Lineage] {
        try read { state in
            try state.sameAccountPurchases(of: originalTransactionIDs, in: scope)
                .compactMap { try state.readable($0, in: scope)?.lineage }
        }
    }

    package func identifiersOfSameAccountPurchases(
        of originalTransactionIDs: [String], in scope: Int64
    ) async throws -> [String] {
        try read { $0.sameAccountPurchases(of: originalTransactionIDs, in: scope) }
    }

    package func purchases(ownedBy customer: String, in scope: Int64) async throws -> [OwnedPurchase] {
        try read { state in
            try state.purchases(ownedBy: customer, in: scope).map {
                OwnedPurchase(lineage: $0.record.lineage, ownership: $0.ownership)
            }
        }
    }
}

extension MemoryLedger.State {
    func sameAccountPurchases(of originals: [String], in scope: Int64) -> [String] {
        var all = Set(originals.map { ExactText($0) })
        let accounts = all.compactMap { records[.init(scope, $0.text)]?.lineage.appTransactionID }
        for lineage in lineages(in: scope) {
            guard let account = lineage.appTransactionID, accounts.containsExactly(account) else { continue }
            all.insert(ExactText(lineage.originalTransactionID))
        }
        return all.sorted().map(\.text)
    }

    mutating func add(_ events: [ClaimEvent], to subject: MemoryLedger.Subject) {
        claims[subject] = ClaimHistory(history(subject).events + events)
    }

    /// Applies a claim. Returns the purchases that the customer owns afterwards, or throws a ``ClaimRefusal``.
    fileprivate mutating func apply(
        _ claim: Claim, _ givesAccess: (SucceededPurchase) -> Bool,
        _ originalGivesAccess: (OriginalPurchaseFact) -> Bool
    ) throws -> [String] {
        let granted = try claimPurchases(claim, givesAccess)
        guard let account = claim.appTransactionID else { return granted }
        let more = try claimAccount(account, claim, givesAccess, originalGivesAccess)
        return Set((granted + more).map { ExactText($0) }).sorted().map(\.text)
    }

    /// Claims the named purchases. Returns those that the customer owns afterwards.
    private mutating func claimPurchases(
        _ claim: Claim, _ givesAccess: (SucceededPurchase) -> Bool
    ) throws -> [String] {
        var granted: [String] = []
        var skipped: ClaimRefusal?
        for original in Set(claim.originalTransactionIDs.map { ExactText($0) }).sorted().map(\.text) {
            let lineage = try readable(original, in: claim.scope)?.lineage
            let ownership = ownership(of: original, in: claim.scope)
            let step = claim.step(
                purchase: lineage, ownership, givesAccess: { givesAccess(succeeded($0, in: claim.scope)) })
            let subject = MemoryLedger.Subject(isAccount: false, key: .init(claim.scope, original))
            if let refusal = try apply(step, claim, subject, moving: [original]) {
                skipped = skipped ?? refusal
            } else {
                granted.append(original)
            }
        }
        if let refusal = claim.refusal(granting: granted, skipping: skipped) { throw refusal }
        return granted
    }

    /// Claims the named Apple account. Returns the purchases that move with it.
    private mutating func claimAccount(
        _ account: String, _ claim: Claim, _ givesAccess: (SucceededPurchase) -> Bool,
        _ originalGivesAccess: (OriginalPurchaseFact) -> Bool
    ) throws -> [String] {
        let bought = lineages(in: claim.scope).filter { $0.appTransactionID?.isExactly(account) ?? false }.map {
            OwnedPurchase(lineage: $0, ownership: ownership(of: $0.originalTransactionID, in: claim.scope))
        }
        let original = originalPurchases[.init(claim.scope, account)]?.fact
        let step = claim.step(
            account: history(ofAccount: account, in: claim.scope), bought: { bought },
            givesAccess: { givesAccess(succeeded($0, in: claim.scope)) },
            originalGivesAccess: { original.map(originalGivesAccess) ?? false })
        let moving = bought.filter(\.ownership.followsAccount).map(\.lineage.originalTransactionID)
        let subject = MemoryLedger.Subject(isAccount: true, key: .init(claim.scope, account))
        return try apply(step, claim, subject, moving: moving) == nil ? moving : []
    }

    private func succeeded(_ lineage: Lineage, in scope: Int64) -> SucceededPurchase {
        SucceededPurchase(lineage: lineage, successors: successors(of: lineage.originalTransactionID, in: scope))
    }

    /// Applies one step of a claim. Returns why the present owners keep the subject; nil if the customer owns it
    /// afterwards.
    private mutating func apply(
        _ step: ClaimStep, _ claim: Claim, _ subject: MemoryLedger.Subject, moving originals: [String]
    ) throws -> ClaimRefusal? {
        switch step {
        case .isOwned: return nil
        case .isSkipped(let refusal): return refusal
        case .refusesClaim(let refusal): throw refusal
        case .moves(let events, let owners):
            add(events, to: subject)
            for original in originals {
                rescheduleInquiries(at: claim.claimedAt, about: [original], in: claim.scope)
                add(
                    LedgerEvent(
                        of: events, to: claim.customer, on: original, from: owners, learned: claim.claimedAt,
                        in: claim.scope))
            }
            return nil
        }
    }

    fileprivate mutating func merge(
        _ from: String, into customer: String, in scope: Int64, at now: Milliseconds
    ) throws -> Set<String> {
        var moved: Set<String> = []
        let claimed = claims.filter { subject, history in
            !subject.isAccount && subject.key.scope == scope
                && history.owners.contains { $0.customer.isExactly(from) }
        }.keys.map(\.key.name)
        let owned = lineages(in: scope).map(\.originalTransactionID).filter {
            owners(of: $0, in: scope).containsExactly(from)
        }.map { ExactText($0) }
        for original in Set(claimed + owned).sorted().map(\.text) {
            _ = try readable(original, in: scope)
            guard
                case .moves(let events, let owners) = ClaimDecision.merge(
                    ownership(of: original, in: scope), from: from, into: customer, at: now)
            else { continue }
            add(events, to: .init(isAccount: false, key: .init(scope, original)))
            rescheduleInquiries(at: now, about: [original], in: scope)
            add(LedgerEvent(of: events, to: customer, on: original, from: owners, learned: now, in: scope))
            moved.insert(original)
        }
        for account in accounts(of: from, in: scope) {
            let decision = ClaimDecision.merge(
                account: history(ofAccount: account, in: scope), from: from, into: customer, at: now)
            if case .moves(let events, _) = decision {
                add(events, to: .init(isAccount: true, key: .init(scope, account)))
            }
        }
        for grant in grants(of: from, in: scope) {
            let key = MemoryLedger.Key(scope, grant.id)
            guard let move = grants[key]?.move(to: customer, at: now) else { continue }
            record([move], of: key, emittedUntil: now)
        }
        moveUsage(of: from, to: customer, at: now, in: scope)
        return moved
    }
}
