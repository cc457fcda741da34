internal import AppStoreModels
internal import AppStoreTrust
package import Entitlements
package import Foundation
package import Ledger

/// The result of a restore.
package struct Restoration: Sendable {
    package var reading: CustomerReading
    /// The state of the App Store's history; nil if no purchase or account was reported.
    package var history: AccountHistory.State?
    /// The identifiers of the transactions that are stored and belong to the customer.
    package var kept: [String] = []
    /// The refused texts with their reasons.
    package var refused: [RefusedText] = []
}

/// Processes purchase reports of apps: stores their facts, claims the purchases for the customer, and completes them
/// from the App Store's history.
package struct RestoreService: Sendable {
    package typealias Storage = LedgerStorage & CustomerStorage & ClaimStorage & OriginalPurchaseStorage
        & ErasureStorage

    let storage: any Storage
    let apps: Apps
    let customers: CustomerReader
    let histories: AccountHistories
    let clock: ServerClock
    /// Called after new events were created.
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

    /// The number of purchases of a history that are claimed in one transaction. An Apple account may have tens of
    /// thousands, most of which the customer owns already, and a notification that arrives meanwhile waits for one
    /// transaction at most.
    static let claimBatch = 200

    /// Stores a report, claims its purchases for the customer, completes them from the App Store's history, and reads
    /// the customer.
    ///
    /// Several calls may run at once for one customer: every step is idempotent.
    ///
    /// - Parameters:
    ///   - accountToken: The app account token of the customer's purchases if it differs from the customer's
    ///     identifier. All purchases signed with this token belong to the customer.
    ///   - session: The Apple account of the app's session, as an app transaction identifier. Purchases of other
    ///     accounts are refused. Nil if the request has no session.
    ///   - age: The age in seconds below which the last fetched history is used without a new request to the App Store.
    package func restore(
        _ reported: VerifiedPurchases, for customer: String, named accountToken: String? = nil,
        inSessionOf session: String? = nil, in appEnvironment: AppEnvironment, _ takeover: Takeover,
        fetchingUnlessYoungerThan age: TimeInterval = 0
    ) async throws -> Restoration {
        // An erasure that happens during this call applies to this report too.
        let erased = try await storage.lastErasure(of: customer, in: appEnvironment) ?? .min
        guard !reported.isEmpty else {
            // The device has nothing, but others of the customer may have bought with the account token.
            if let accountToken {
                try await mergeAccount(
                    accountToken, into: customer, in: appEnvironment, erasuresKnownUntil: erased)
            }
            return Restoration(
                reading: try await customers.customer(customer, in: appEnvironment, at: nil), history: nil)
        }
        let verified = try await restricted(reported, to: session, for: customer, in: appEnvironment)
        let unknown = try await store(verified, in: appEnvironment)
        if let accountToken {
            try await mergeAccount(
                accountToken, into: customer, in: appEnvironment, erasuresKnownUntil: erased)
        }
        let sent = verified.originalTransactionIDs
        let account = verified.appTransaction?.payload.appTransactionId
        let claimed = try await claim(
            sent, account, for: customer, inSessionOf: session, in: appEnvironment, takeover,
            skipsRefused: takeover.skipsRefused(reportsPurchases: !sent.isEmpty),
            needsPurchase: takeover.needsPurchase, erasuresKnownUntil: erased)
        try await storeOriginalPurchases(
            of: verified, for: customer, in: appEnvironment, takeover, erasuresKnownUntil: erased)
        let inUse = Set(sent.map { ExactText($0) }).subtracting(claimed.map { ExactText($0) })
        var history: AccountHistory.State?
        if let ids = sent.isEmpty ? account.map({ [$0] }) : sent {
            let fetched = try await histories.fetch(
                about: ids, in: appEnvironment, because: .restore, unlessYoungerThan: age)
            history = fetched.state
            let relatives = try await storage.identifiersOfSameAccountPurchases(of: sent, in: appEnvironment.id)
            let others = fetched.found.union(relatives.map { ExactText($0) }).subtracting(inUse).sorted()
            for start in stride(from: 0, to: others.count, by: Self.claimBatch) {
                try await claim(
                    others[start...].prefix(Self.claimBatch).map(\.text), nil, for: customer, inSessionOf: session,
                    in: appEnvironment,
                    takeover.ofUnreported, skipsRefused: true, erasuresKnownUntil: erased)
            }
        }
        let (kept, refused) = verified.partitioned(inUse: inUse)
        return Restoration(
            reading: try await customers.customer(customer, in: appEnvironment, at: nil), history: history, kept: kept,
            refused: verified.refused + unknown + refused)
    }

    /// Removes purchases from a session's report that belong to another Apple account according to the ledger. If the
    /// ledger learns this only later, the claims leave them out. Purchases that the customer already owns stay, because
    /// apps send the same report repeatedly.
    private func restricted(
        _ verified: VerifiedPurchases, to session: String?, for customer: String, in appEnvironment: AppEnvironment
    ) async throws -> VerifiedPurchases {
        guard let session else { return verified }
        var known: [Lineage] = []
        for original in verified.unnamedOriginalTransactionIDs {
            if try await storage.owners(of: original, in: appEnvironment.id).containsExactly(customer) { continue }
            if let lineage = try await storage.lineage(original, in: appEnvironment.id) { known.append(lineage) }
        }
        var rest = verified
        try rest.restrict(to: session, knowing: known)
        return rest
    }

    /// Moves purchases signed with the customer's app account token to the customer, whenever there are new ones.
    func mergeAccount(
        _ accountToken: String, into customer: String, in appEnvironment: AppEnvironment,
        erasuresKnownUntil: Milliseconds
    ) async throws {
        guard !accountToken.isExactly(customer),
            !(try await storage.lineages(of: accountToken, in: appEnvironment.id)).isEmpty
        else { return }
        let moved = try await storage.merge(
            accountToken, into: customer, in: appEnvironment.id, at: now.milliseconds,
            erasuresKnownUntil: erasuresKnownUntil)
        guard let moved else { throw ServiceFailure.erased }
        if !moved.isEmpty { wakeWebhooks() }
    }

    /// Stores all verified data except renewal infos of unknown subscriptions, because a renewal info does not name its
    /// app. Returns those renewal infos as refused.
    private func store(_ verified: VerifiedPurchases, in appEnvironment: AppEnvironment) async throws -> [RefusedText] {
        let arrived = now
        let signed = verified.transactions.map { SignedFact($0, in: appEnvironment, at: arrived, origin: .app) }
        let purchases = try verified.receiptFacts.map {
            try SignedFact(receipt: $0, in: appEnvironment, at: arrived, origin: .app)
        }
        _ = try await storage.commit(signed + purchases)
        var renewals: [SignedFact] = []
        var unknown: [RefusedText] = []
        for (renewal, parameter) in verified.renewals {
            let original = renewal.payload.originalTransactionId
            if renewal.payload.environment == appEnvironment.environment,
                try await storage.lineage(original, in: appEnvironment.id)?.transactions.isEmpty == false
            {
                renewals.append(
                    SignedFact(renewal, in: appEnvironment, at: arrived, origin: .app))
            } else {
                unknown.append(RefusedText(parameter: parameter, id: original, code: "unknown_subscription"))
            }
        }
        if !renewals.isEmpty { _ = try await storage.commit(renewals) }
        return unknown
    }

    /// Claims purchases, and all purchases of an Apple account, for a customer under the app's restore policy.
    ///
    /// - Parameter session: The Apple account of the app's session, as an app transaction identifier.
    /// - Returns: The original transaction identifiers that now belong to the customer.
    @discardableResult
    package func claim(
        _ originals: [String], _ account: String?, for customer: String, inSessionOf session: String? = nil,
        in appEnvironment: AppEnvironment, _ takeover: Takeover, skipsRefused: Bool, needsPurchase: Bool = false,
        erasuresKnownUntil: Milliseconds
    ) async throws -> [String] {
        guard !originals.isEmpty || account != nil else { return [] }
        let now = now
        let policy = apps[appEnvironment.bundleID]?.restorePolicy ?? .keepOriginal
        let claim = Claim(
            customer: customer, scope: appEnvironment.id, originalTransactionIDs: originals, appTransactionID: account,
            sessionAccount: session, policy: takeover.policy(policy),
            overridesNamedAccount: takeover.overridesNamedAccount, skipsRefused: skipsRefused,
            needsPurchase: needsPurchase, erasuresKnownUntil: erasuresKnownUntil, claimedAt: now.milliseconds)
        let engine = apps.engine(of: appEnvironment.bundleID)
        let outcome = try await storage.claim(
            claim, givesAccess: { engine.givesAccess($0, now: now) },
            originalGivesAccess: { engine.originalGivesAccess($0, now: now) })
        switch outcome {
        case .granted(let originals):
            wakeWebhooks()
            return originals
        case .inUse(let refusal): throw ServiceFailure(refusal, ofAccountAlone: originals.isEmpty)
        case .overtaken: throw ServiceFailure.erased
        }
    }
}

extension ServiceFailure {
    fileprivate static let inUse = "receipt_already_in_use"

    /// - Parameter isOfAccountAlone: Whether the report had no purchase, only an Apple account.
    fileprivate init(_ refusal: ClaimRefusal, ofAccountAlone isOfAccountAlone: Bool) {
        let reason =
            switch refusal {
            case .signedForAnotherCustomer:
                "because the App Store signed it for that customer and nobody asked to restore it (`restore`)"
            case .boughtByAnotherAccount: "because another Apple account bought it"
            case .policy: "by the app's restore policy"
            case .ownerChangeLimit: "because it changed its owner too often today"
            }
        let subject = isOfAccountAlone ? "The Apple account" : "A purchase"
        self.init(.conflict, Self.inUse, "\(subject) belongs to another customer, and stays there \(reason).")
    }

    /// The app must not repeat the report at once: that would undo the erasure.
    fileprivate static let erased = ServiceFailure(
        .conflict, "customer_erased",
        """
        The customer was erased while this report was processed, and nothing was claimed for them. Sign them out; if they use \
        the app again, report their purchases again.
        """)
}

extension VerifiedPurchases {
    /// Returns the transactions stored for the customer, and those of purchases that stay with another customer.
    fileprivate func partitioned(inUse: Set<ExactText>) -> (kept: [String], refused: [RefusedText]) {
        var refused: Set<ExactText> = []
        for transaction in transactions where inUse.contains(ExactText(transaction.payload.originalTransactionId)) {
            refused.insert(ExactText(transaction.payload.transactionId))
        }
        for fact in receiptFacts where inUse.contains(ExactText(fact.originalTransactionID)) {
            refused.insert(ExactText(fact.transactionID))
        }
        let all = transactionIDs
        return (
            all.filter { !refused.contains(ExactText($0)) },
            all.filter { refused.contains(ExactText($0)) }.map { RefusedText(id: $0, code: ServiceFailure.inUse) }
        )
    }
}

extension EntitlementEngine {
    /// Whether a subscription or purchase gives access now on its own.
    package func givesAccess(_ purchase: SucceededPurchase, now: Date) -> Bool {
        let states = currentState(of: purchase.facts, now: now)
        return states.purchases.contains(where: \.hasAccess)
            || states.subscriptions.contains {
                $0.hasAccess && $0.originalTransactionID.isExactly(purchase.lineage.originalTransactionID)
            }
    }

    /// Whether the date at which a customer first got the app gives access now.
    func originalGivesAccess(_ fact: OriginalPurchaseFact, now: Date) -> Bool {
        currentState(of: CustomerFacts(originalPurchases: [fact]), now: now).entitlements.contains(where: \.isActive)
    }
}

extension [Lineage] {
    /// Returns the lineages with additional transactions, without those that they already contain.
    ///
    /// The check uses these lineages and not the ledger, because recovery may have added some of the transactions since
    /// they were read.
    func adding(_ facts: [TransactionFact]) -> [Lineage] {
        var lineages = self
        let known = Set(lineages.flatMap { $0.transactions.map { ExactText($0.transactionID) } })
        let facts = facts.filter { !known.contains(ExactText($0.transactionID)) }
        let purchases = Dictionary(grouping: facts) { ExactText($0.originalTransactionID) }
        let indices = Dictionary(
            enumerated().map { (ExactText($1.originalTransactionID), $0) }, uniquingKeysWith: { first, _ in first })
        for (original, facts) in purchases.sorted(by: { $0.key < $1.key }) {
            if let index = indices[original] {
                lineages[index].transactions += facts
            } else {
                lineages.append(Lineage(originalTransactionID: original.text, transactions: facts))
            }
        }
        return lineages
    }
}
