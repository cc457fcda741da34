internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import AppStoreTrust

/// What came of a restore.
struct Restoration: Sendable {
    var reading: CustomerReading
    /// Nil when there was nothing to ask about.
    var history: HistoryState?
}

extension ServerCore {
    /// Keeps what an app sent, gives it to the customer, completes it from the App Store's history, and reads the customer.
    ///
    /// Any number may run at once for one customer: every step can be taken twice.
    func restore(
        _ proven: ProvenPurchases, for customer: String, in scope: Scope, _ takeover: Takeover
    ) async throws -> Restoration {
        guard proven.audience != nil else {
            return Restoration(reading: try await self.customer(customer, in: scope, at: nil), history: nil)
        }
        let arrived = now
        _ = try await storage.commit(
            proven.transactions.map {
                Statement($0, scope: scope, at: arrived, origin: .app, headers: storage.headers)
            })
        let sent = proven.originalTransactionIds
        let account = proven.appTransaction?.payload.appTransactionId
        var granted = try await claim(
            sent, account, for: customer, in: scope, takes: takeover != .nothing, skipsRefused: takeover == .nothing)
        var history: HistoryState?
        if let ids = sent.isEmpty ? account.map({ [$0] }) : sent {
            let fetched = try await fetchHistory(of: ids, in: scope, because: .restore)
            history = fetched.state
            let relatives = try await storage.relatives(of: sent, in: scope.id).map(\.originalTransactionId)
            granted.formUnion(
                try await claim(
                    Array(fetched.found.union(relatives)), nil, for: customer, in: scope,
                    takes: takeover == .everything,
                    skipsRefused: true))
        }
        let lineages = try await storage.lineages(of: customer, in: scope.id)
        let added = (proven.receipt?.facts ?? []).filter { granted.contains($0.originalTransactionId) }
        return Restoration(
            reading: try await reading(customer, scope, lineages.adding(added), at: nil), history: history)
    }

    private func claim(
        _ originals: [String], _ account: String?, for customer: String, in scope: Scope, takes: Bool,
        skipsRefused: Bool
    ) async throws -> Set<String> {
        guard !originals.isEmpty || account != nil else { return [] }
        let now = now
        let policy = configuration.app(scope.bundleId)?.restorePolicy ?? .keepOriginal
        let claim = Claim(
            customer: customer, scope: scope.id, originalTransactionIds: originals, appTransactionId: account,
            policy: takes ? policy : .keepOriginal, skipsRefused: skipsRefused, claimedAt: now.milliseconds)
        let engine = engines[scope.bundleId] ?? EntitlementEngine(catalogue: ProductCatalogue())
        switch try await storage.claim(claim, givesAccess: { engine.givesAccess($0, asOf: now) }) {
        case .granted(let originals):
            webhooks.wake()
            return originals
        case .inUse:
            throw APIFailure(
                .conflict, "receipt_already_in_use",
                "A purchase belongs to another customer, and the app's restore policy leaves it there.")
        }
    }
}

extension EntitlementEngine {
    /// Whether a subscription or purchase by itself gives access.
    func givesAccess(_ lineage: Lineage, asOf: Date) -> Bool {
        let facts = CustomerFacts(transactions: lineage.transactions, renewals: lineage.renewal.map { [$0] } ?? [])
        let states = state(of: facts, asOf: asOf)
        return states.subscriptions.contains(where: \.hasAccess) || states.purchases.contains(where: \.hasAccess)
    }
}

extension [Lineage] {
    /// The same with more transactions, of those that are not in it.
    ///
    /// It is what was read that counts: recovery may have put some of them into the ledger since.
    func adding(_ facts: [TransactionFact]) -> [Lineage] {
        var lineages = self
        let known = Set(lineages.flatMap { $0.transactions.map(\.transactionId) })
        let facts = facts.filter { !known.contains($0.transactionId) }
        for (original, facts) in Dictionary(grouping: facts, by: \.originalTransactionId).sorted(by: { $0.key < $1.key }
        ) {
            if let index = lineages.firstIndex(where: { $0.originalTransactionId == original }) {
                lineages[index].transactions += facts
            } else {
                lineages.append(Lineage(originalTransactionId: original, transactions: facts))
            }
        }
        return lineages
    }
}
