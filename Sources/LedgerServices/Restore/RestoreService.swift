package import Ledger
internal import AppStoreModels
internal import AppStoreTrust
package import Entitlements
package import Foundation

/// What came of a restore.
package struct Restoration: Sendable {
    package var reading: CustomerReading
    /// Nil when there was nothing to ask about.
    package var history: AccountHistory.State?
    /// The transactions that are kept and the customer's.
    package var kept: [String] = []
    /// What is not, and why.
    package var refused: [RefusedText] = []
}

/// Takes in what apps send about their customers' purchases: keeps it, gives it to the customer, and completes it from the
/// App Store.
package struct RestoreService: Sendable {
    package typealias Storage = LedgerStorage & CustomerStorage & ClaimStorage & OriginalPurchaseStorage
        & ErasureStorage

    let storage: any Storage
    let apps: Apps
    let customers: CustomerReader
    let histories: AccountHistories
    let clock: ServerClock
    /// Is called after there are new events.
    let wakeWebhooks: @Sendable () -> Void

    package init(
        storage: any Storage, apps: Apps, customers: CustomerReader, histories: AccountHistories, clock: ServerClock,
        wakeWebhooks: @escaping @Sendable () -> Void
    ) {
        self.storage = storage
        self.apps = apps
        self.customers = customers
        self.histories = histories
        self.clock = clock
        self.wakeWebhooks = wakeWebhooks
    }

    var now: Date { clock.now() }

    /// Keeps what an app sent, gives it to the customer, completes it from the App Store's history, and reads the customer.
    ///
    /// Any number may run at once for one customer: every step can be taken twice.
    ///
    /// - Parameters:
    ///   - accountToken: The account that the customer's purchases name, if that is not the customer's identifier: what was
    ///     signed for it is the customer's.
    ///   - session: The Apple account that the app's session is of, by its app transaction: it gets nothing that another
    ///     one bought. Nil if no session asks.
    ///   - age: If the App Store was asked about the Apple account not so long ago, in seconds, it is not again.
    package func restore(
        _ reported: ProvenPurchases, for customer: String, named accountToken: String? = nil,
        inSessionOf session: String? = nil, in scope: Scope, _ takeover: Takeover,
        askingUnlessYoungerThan age: TimeInterval = 0
    ) async throws -> Restoration {
        guard !reported.isEmpty else {
            return Restoration(reading: try await customers.customer(customer, in: scope, at: nil), history: nil)
        }
        // An erasure that comes while this waits is about this report too.
        let erased = try await storage.lastErasure(of: customer, in: scope) ?? .min
        let proven = try await limited(reported, to: session, for: customer, in: scope)
        let unknown = try await keep(proven, in: scope)
        if let accountToken { try await adopt(accountToken, for: customer, in: scope) }
        let sent = proven.originalTransactionIDs
        let account = proven.appTransaction?.payload.appTransactionId
        let claimed = try await claim(
            sent, account, for: customer, inSessionOf: session, in: scope, takeover,
            skipsRefused: takeover == .nothing || !sent.isEmpty,
            needsPurchase: takeover != .nothing, erasuresKnownUntil: erased)
        try await keepOriginalPurchases(of: proven, for: customer, in: scope, takeover, erasuresKnownUntil: erased)
        let inUse = Set(sent).subtracting(claimed)
        var history: AccountHistory.State?
        if let ids = sent.isEmpty ? account.map({ [$0] }) : sent {
            let fetched = try await histories.ask(about: ids, in: scope, because: .restore, unlessYoungerThan: age)
            history = fetched.state
            let relatives = try await storage.identifiersOfRelatives(of: sent, in: scope.id)
            let others = fetched.found.union(relatives).subtracting(inUse)
            try await claim(
                Array(others), nil, for: customer, inSessionOf: session, in: scope,
                takeover == .everything ? .everything : .nothing, skipsRefused: true, erasuresKnownUntil: erased)
        }
        let (kept, refused) = proven.sorted(inUse)
        return Restoration(
            reading: try await customers.customer(customer, in: scope, at: nil), history: history, kept: kept,
            refused: proven.refused + unknown + refused)
    }

    /// Leaves out of what a session sent what the ledger knows to be of another Apple account. What it learns of that later,
    /// the claims leave out. What the customer has already, they keep: the same report comes again and again.
    private func limited(
        _ proven: ProvenPurchases, to session: String?, for customer: String, in scope: Scope
    ) async throws -> ProvenPurchases {
        guard let session else { return proven }
        var known: [Lineage] = []
        for original in proven.unnamedOriginalTransactionIDs {
            if try await storage.owners(of: original, in: scope.id).containsExactly(customer) { continue }
            if let lineage = try await storage.lineage(original, in: scope.id) { known.append(lineage) }
        }
        var rest = proven
        try rest.limit(to: session, knowing: known)
        return rest
    }

    /// Gives a customer what was signed for the account that their backend names, as often as something new has come.
    private func adopt(_ accountToken: String, for customer: String, in scope: Scope) async throws {
        guard !accountToken.isExactly(customer),
            !(try await storage.lineages(of: accountToken, in: scope.id)).isEmpty
        else { return }
        let moved = try await storage.merge(accountToken, into: customer, in: scope.id, at: now.milliseconds)
        if !moved.isEmpty { wakeWebhooks() }
    }

    /// Keeps everything that was proven; what is left out are renewal infos of subscriptions that nobody knows, since such an
    /// info does not say which app it is of.
    private func keep(_ proven: ProvenPurchases, in scope: Scope) async throws -> [RefusedText] {
        let arrived = now
        _ = try await storage.commit(
            proven.transactions.map {
                Statement($0, scope: scope, at: arrived, origin: .app)
            })
        try await keep(proven.receipt?.facts ?? [], in: scope)
        var renewals: [Statement] = []
        var unknown: [RefusedText] = []
        for (renewal, parameter) in proven.renewals {
            let original = renewal.payload.originalTransactionId
            if renewal.payload.environment == scope.environment,
                try await storage.lineage(original, in: scope.id)?.transactions.isEmpty == false
            {
                renewals.append(
                    Statement(renewal, scope: scope, at: arrived, origin: .app))
            } else {
                unknown.append(RefusedText(parameter: parameter, id: original, code: "unknown_subscription"))
            }
        }
        if !renewals.isEmpty { _ = try await storage.commit(renewals) }
        return unknown
    }

    /// Keeps what a receipt says and is not known as new. One and the same is sent again and again.
    private func keep(_ facts: [TransactionFact], in scope: Scope) async throws {
        var news: [Statement] = []
        for (original, facts) in Dictionary(grouping: facts, by: \.originalTransactionID) {
            let known = Dictionary(
                (try await storage.lineage(original, in: scope.id)?.transactions ?? []).map {
                    ($0.transactionID, $0.signedDate.milliseconds)
                }, uniquingKeysWith: { first, _ in first })
            for fact in facts where known[fact.transactionID].map({ $0 < fact.signedDate.milliseconds }) ?? true {
                news.append(
                    try Statement(receipt: fact, scope: scope, at: now, origin: .app))
            }
        }
        if !news.isEmpty { _ = try await storage.commit(news) }
    }

    /// Claims purchases, and whatever an Apple account buys, under the app's restore policy.
    ///
    /// - Parameter session: The Apple account that the app's session is of.
    /// - Returns: What is the customer's now.
    @discardableResult
    package func claim(
        _ originals: [String], _ account: String?, for customer: String, inSessionOf session: String? = nil,
        in scope: Scope, _ takeover: Takeover, skipsRefused: Bool, needsPurchase: Bool = false,
        erasuresKnownUntil: Milliseconds
    ) async throws -> Set<String> {
        guard !originals.isEmpty || account != nil else { return [] }
        let now = now
        let policy = apps[scope.bundleID]?.restorePolicy ?? .keepOriginal
        let claim = Claim(
            customer: customer, scope: scope.id, originalTransactionIDs: originals, appTransactionID: account,
            sessionAccount: session, policy: takeover == .nothing ? .keepOriginal : policy,
            takesNamed: takeover == .everything, skipsRefused: skipsRefused, needsPurchase: needsPurchase,
            erasuresKnownUntil: erasuresKnownUntil, claimedAt: now.milliseconds)
        let engine = apps.engine(of: scope.bundleID)
        let outcome = try await storage.claim(
            claim, givesAccess: { engine.givesAccess($0, now: now) },
            originalGivesAccess: { engine.originalGivesAccess($0, now: now) })
        switch outcome {
        case .granted(let originals):
            wakeWebhooks()
            return originals
        case .inUse: throw ServiceFailure.inUse
        case .overtaken: throw ServiceFailure.erased
        }
    }
}

extension ServiceFailure {
    fileprivate static let inUse = ServiceFailure(
        .conflict, "receipt_already_in_use",
        """
        A purchase belongs to another customer, and stays there: by the app's restore policy, or because the App Store \
        signed it for that customer and nobody asked to restore it.
        """)

    /// Not to be sent again at once: that would undo the erasure.
    fileprivate static let erased = ServiceFailure(
        .conflict, "customer_erased",
        """
        The customer was erased while this report was processed, and nothing was claimed for them. Sign them out; if they use \
        the app again, report their purchases again.
        """)
}

extension ProvenPurchases {
    /// The transactions that are kept for the customer, and those of purchases that stay another's.
    fileprivate func sorted(_ inUse: Set<String>) -> (kept: [String], refused: [RefusedText]) {
        let taken = Set(
            transactions.filter { inUse.contains($0.payload.originalTransactionId) }.map(\.payload.transactionId)
                + (receipt?.facts ?? []).filter { inUse.contains($0.originalTransactionID) }.map(\.transactionID))
        let all = transactionIDs
        return (
            all.filter { !taken.contains($0) },
            all.filter { taken.contains($0) }.map { RefusedText(id: $0, code: ServiceFailure.inUse.code) }
        )
    }
}

extension EntitlementEngine {
    /// Whether a subscription or purchase by itself gives access now.
    ///
    /// - Parameter successors: The transactions of other subscriptions that go on with it: since then it gives nothing.
    package func givesAccess(
        _ lineage: Lineage, succeededBy successors: [TransactionFact] = [], now: Date
    ) -> Bool {
        let facts = CustomerFacts(
            transactions: lineage.transactions + successors, renewals: lineage.renewal.map { [$0] } ?? [])
        let states = currentState(of: facts, now: now)
        return states.purchases.contains(where: \.hasAccess)
            || states.subscriptions.contains {
                $0.hasAccess && $0.originalTransactionID.isExactly(lineage.originalTransactionID)
            }
    }

    /// Whether it gives access now that a customer first got the app when they did.
    func originalGivesAccess(_ fact: OriginalPurchaseFact, now: Date) -> Bool {
        currentState(of: CustomerFacts(originalPurchases: [fact]), now: now).entitlements.contains(where: \.isActive)
    }
}

extension [Lineage] {
    /// The same with more transactions, of those that are not in it.
    ///
    /// It is what was read that counts: recovery may have put some of them into the ledger since.
    func adding(_ facts: [TransactionFact]) -> [Lineage] {
        var lineages = self
        let known = Set(lineages.flatMap { $0.transactions.map(\.transactionID) })
        let facts = facts.filter { !known.contains($0.transactionID) }
        for (original, facts) in Dictionary(grouping: facts, by: \.originalTransactionID).sorted(by: { $0.key < $1.key }
        ) {
            if let index = lineages.firstIndex(where: { $0.originalTransactionID == original }) {
                lineages[index].transactions += facts
            } else {
                lineages.append(Lineage(originalTransactionID: original, transactions: facts))
            }
        }
        return lineages
    }
}
