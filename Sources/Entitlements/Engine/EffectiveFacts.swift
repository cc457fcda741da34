internal import AppStoreModels
internal import Foundation

/// The facts that are in effect at an instant: at most one version of each transaction and of each renewal info.
///
/// A fact has a dozen strings, and each copy of it retains all of them. The facts therefore stay in `facts` and are
/// referred to by their indices.
struct EffectiveFacts {
    /// A transaction that is in effect.
    struct Transaction {
        /// The index of the version in effect, in `facts.transactions`.
        let index: Int
        /// Whether another transaction had replaced it by the instant, before it was over.
        var isUpgraded: Bool
        /// When its subscription continued under another original transaction; nil if it had not by the instant.
        fileprivate(set) var migratedAt: Date?
        /// Whether it was refunded or revoked by the instant.
        let isRevoked: Bool
        /// Whether it is a renewal that was paid for in advance, and replaced before it began.
        fileprivate(set) var wasReplacedAhead = false

        /// Whether it no longer gives access because another transaction does, maybe of another subscription.
        var isSuperseded: Bool { isUpgraded || migratedAt != nil }
    }

    let facts: CustomerFacts
    let asOf: Date
    /// Sorted by original transaction, then from the earliest to the latest period.
    private(set) var transactions: [Transaction] = []
    /// The indices of the versions in effect, in `facts.renewals`, sorted by original transaction.
    private(set) var renewals: [Int] = []

    init(_ facts: CustomerFacts, asOf: Date) {
        self.facts = facts
        self.asOf = asOf
        chooseRenewals()
        let pending = chooseTransactions(among: facts.transactions)
        resolveUpgrades(pending)
        resolveMigrations()
    }

    func fact(_ transaction: Transaction) -> TransactionFact { facts.transactions[transaction.index] }

    /// Returns the renewal info of a subscription.
    func renewal(of originalTransactionID: String) -> RenewalFact? {
        let index = renewals.partitioningIndex {
            !facts.renewals[$0].originalTransactionID.precedesExactly(originalTransactionID)
        }
        guard index < renewals.count else { return nil }
        let fact = facts.renewals[renewals[index]]
        return fact.originalTransactionID.isExactly(originalTransactionID) ? fact : nil
    }
}

// MARK: - Choosing a version

extension EffectiveFacts {
    /// Chooses the version in effect of each transaction. Returns the indices of transactions that begin after the
    /// instant and are not in effect yet.
    ///
    /// - Parameter all: `facts.transactions`. A parameter, because each access to an array in a property that may
    ///   change retains and releases it.
    private mutating func chooseTransactions(among all: [TransactionFact]) -> [Int] {
        let chosen = chooseVersions(of: all)
        transactions.reserveCapacity(chosen.count)
        var pending: [Int] = []
        for index in chosen {
            if let transaction = transaction(index, in: all) {
                transactions.append(transaction)
            } else {
                pending.append(index)
            }
        }
        transactions.sort { Self.comesBefore($0.index, $1.index, in: all) }
        markReplacedAhead(in: all)
        return pending
    }

    /// Marks the renewals that the last period that began replaced before they began.
    private mutating func markReplacedAhead(in all: [TransactionFact]) {
        guard var last = transactions.first?.index else { return }
        for position in transactions.indices.dropFirst() {
            let index = transactions[position].index
            if all[index].wasReplacedAhead(by: all[last]),
                all[index].originalTransactionID.isExactly(all[last].originalTransactionID)
            {
                transactions[position].wasReplacedAhead = true
            } else {
                last = index
            }
        }
    }

    /// Returns the index of the version in effect of each transaction.
    private func chooseVersions(of all: [TransactionFact]) -> [Int] {
        // A ledger returns each transaction once, in this order.
        let isOrdered = all.indices.dropFirst().allSatisfy {
            all[$0 - 1].transactionID.precedesExactly(all[$0].transactionID)
        }
        guard !isOrdered else { return Array(all.indices) }
        let order = all.indices.sorted { all[$0].precedes(all[$1]) }
        var chosen: [Int] = []
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, all[order[end]].transactionID.isExactly(all[order[start]].transactionID) {
                end += 1
            }
            chosen.append(version(among: order[start..<end], of: all))
            start = end
        }
        return chosen
    }

    /// Orders by original transaction, then from the earliest to the latest period.
    private static func comesBefore(
        _ one: Int, _ other: Int, in all: [TransactionFact]
    ) -> Bool {
        if !all[one].originalTransactionID.isExactly(all[other].originalTransactionID) {
            return all[one].originalTransactionID.precedesExactly(all[other].originalTransactionID)
        }
        if all[one].purchaseDate != all[other].purchaseDate { return all[one].purchaseDate < all[other].purchaseDate }
        return TransactionFact.identifier(all[one].transactionID, isBefore: all[other].transactionID)
    }

    /// Returns the status of a transaction at the instant, according to one version of it. Returns nil if the
    /// transaction was not in effect yet.
    private func transaction(_ index: Int, in all: [TransactionFact]) -> Transaction? {
        guard all[index].signedDate > asOf else {
            return Transaction(
                index: index, isUpgraded: all[index].isUpgraded, isRevoked: all[index].revocationDate != nil)
        }
        let fact = all[index]
        if fact.purchaseDate > asOf || wasUnpaid(fact) { return nil }
        let isRevoked = fact.revocationDate.map { $0 <= asOf } ?? false
        return Transaction(index: index, isUpgraded: fact.isUpgraded, isRevoked: isRevoked)
    }

    /// Whether the period of a transaction was still unpaid at the instant. A period that is paid late, in a grace
    /// period, begins at the end of the previous one. A renewal info that was signed after that and does not include
    /// the period shows that it was still unpaid.
    private func wasUnpaid(_ fact: TransactionFact) -> Bool {
        guard fact.type == .autoRenewableSubscription, let renewal = renewal(of: fact.originalTransactionID),
            renewal.signedDate >= fact.purchaseDate
        else { return false }
        // `renewalDate` is the end of the period that was paid last. A failed payment is for the next period.
        if let end = renewal.renewalDate { return end <= fact.purchaseDate }
        // Receipts have no `renewalDate`. A period that was over when the renewal info was signed had been paid.
        return renewal.isInBillingRetry && fact.expiresDate.map { $0 > renewal.signedDate } ?? true
    }

    private mutating func chooseRenewals() {
        let all = facts.renewals
        let order = all.indices.sorted { all[$0].precedes(all[$1]) }
        renewals.reserveCapacity(order.count)
        for (position, index) in order.enumerated() where all[index].signedDate <= asOf {
            let next = position + 1 < order.count ? all[order[position + 1]] : nil
            let isLast = next.map {
                !$0.originalTransactionID.isExactly(all[index].originalTransactionID) || $0.signedDate > asOf
            }
            if isLast ?? true { renewals.append(index) }
        }
    }

    /// Returns the last version that was signed at or before the instant, or else the first one. `versions` are in the
    /// order of signing.
    private func version(among versions: ArraySlice<Int>, of all: [TransactionFact]) -> Int {
        if let last = versions.last(where: { all[$0].signedDate <= asOf }) { return last }
        // If several were signed at the same time, choose the last, as for an instant after all of them.
        let first = versions[versions.startIndex]
        return versions.last { all[$0].signedDate == all[first].signedDate } ?? first
    }
}

// MARK: - Revocations

extension EffectiveFacts {
    /// Returns the transaction that shows that a purchase was refunded or revoked; nil if there is none. Not for
    /// auto-renewable subscriptions, whose periods are paid separately.
    ///
    /// A restored non-consumable can have a transaction of its own, with the `originalTransactionId` of the original.
    /// The customer paid once, so all transactions of the purchase are revoked together: a refund of the original
    /// revokes every copy that was restored before the refund. A refund of another transaction revokes the copies that
    /// were not signed again after it. Purchases after the refund are not affected.
    ///
    /// - Parameter revoked: The transactions with the same `originalTransactionId` that were refunded or revoked, in
    ///   order.
    func revocation(of own: Transaction, among revoked: [Transaction]) -> TransactionFact? {
        if own.isRevoked { return fact(own) }
        guard facts.transactions[own.index].type == .nonConsumable else { return nil }
        let others = revoked.filter { revokes($0, own) }
        // Return the last one before this transaction, or else the first one after it.
        let before = others.last { Self.comesBefore($0.index, own.index, in: facts.transactions) }
        return (before ?? others.first).map { fact($0) }
    }

    private func revokes(_ other: Transaction, _ own: Transaction) -> Bool {
        let (one, two) = (other.index, own.index)
        guard let date = facts.transactions[one].revocationDate,
            date > facts.transactions[two].purchaseDate
        else { return false }
        return facts.transactions[one].transactionID.isExactly(facts.transactions[one].originalTransactionID)
            || facts.transactions[one].signedDate >= facts.transactions[two].signedDate
    }
}

// MARK: - Upgrades and migrations

extension EffectiveFacts {
    /// Corrects `isUpgraded` where only a version signed after the instant says so. An upgrade has no date: it counts
    /// from the purchase of the transaction that replaced the upgraded one.
    private mutating func resolveUpgrades(_ pending: [Int]) {
        var dates: PurchaseDates?
        for position in transactions.indices where transactions[position].isUpgraded {
            let fact = fact(transactions[position])
            guard fact.signedDate > asOf, !transactions[position].wasReplacedAhead else { continue }
            let all = dates ?? PurchaseDates(of: transactions.map(\.index) + pending, in: facts.transactions)
            dates = all
            guard let successor = all.successor(of: fact) else { continue }
            transactions[position].isUpgraded = successor <= asOf
        }
    }

    /// Marks the transactions of migrated subscriptions. A subscription that continues under another original
    /// transaction gives no access, even if no later version of its last transaction says so. The migration replaced
    /// only the periods that were not over.
    private mutating func resolveMigrations() {
        let all = facts.transactions
        let isMigrated = all.indices.contains { all[$0].previousOriginalTransactionID != nil }
        guard isMigrated else { return }
        let began = transactions.map { fact($0) }.migrationDates
        guard !began.isEmpty else { return }
        for position in transactions.indices {
            let fact = fact(transactions[position])
            guard let date = began[ExactText(fact.originalTransactionID)], fact.purchaseDate <= date else { continue }
            transactions[position].migratedAt = date
            if fact.expiresDate.map({ $0 > date }) ?? true { transactions[position].isUpgraded = true }
        }
    }
}
