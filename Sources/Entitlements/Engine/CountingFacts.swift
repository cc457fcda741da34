internal import AppStoreModels
internal import Foundation

/// The facts that count at an instant: of every transaction and every renewal info one version at most.
///
/// A fact has a dozen texts, and to copy it counts each of them once more. So facts stay where they are, and are spoken of by
/// where that is.
struct CountingFacts {
    /// A transaction that counts.
    struct Transaction {
        /// Where the version is that counts, in `facts.transactions`.
        let index: Int
        /// Whether another has taken its place by then.
        var isUpgraded: Bool
        /// Whether it was refunded or revoked by then.
        let isRevoked: Bool
    }

    let facts: CustomerFacts
    let asOf: Date
    /// In the order of their subscription, and in there from the earliest to the latest period.
    private(set) var transactions: [Transaction] = []
    /// Where the versions are that count, in `facts.renewals`, in the order of their subscription.
    private(set) var renewals: [Int] = []

    init(_ facts: CustomerFacts, asOf: Date) {
        self.facts = facts
        self.asOf = asOf
        chooseRenewals()
        let later = chooseTransactions()
        resolveUpgrades(later)
        resolveMigrations()
    }

    func fact(_ transaction: Transaction) -> TransactionFact { facts.transactions[transaction.index] }

    /// The renewal info of a subscription.
    func renewal(of originalTransactionID: String) -> RenewalFact? {
        var low = 0
        var high = renewals.count
        while low < high {
            let middle = (low + high) / 2
            if facts.renewals[renewals[middle]].originalTransactionID < originalTransactionID {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < renewals.count else { return nil }
        let fact = facts.renewals[renewals[low]]
        return fact.originalTransactionID == originalTransactionID ? fact : nil
    }
}

// MARK: - Which version counts

extension CountingFacts {
    /// Chooses of each transaction the version that counts. Gives back those that begin after the instant and are not
    /// there yet.
    private mutating func chooseTransactions() -> [Int] {
        let all = facts.transactions
        // A ledger has them in this order already.
        let isOrdered = all.indices.dropFirst().allSatisfy { all[$0 - 1].transactionID < all[$0].transactionID }
        let order = isOrdered ? Array(all.indices) : all.indices.sorted { Self.precedes(all[$0], all[$1]) }
        transactions.reserveCapacity(order.count)
        var later: [Int] = []
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, all[order[end]].transactionID == all[order[start]].transactionID { end += 1 }
            let chosen = end == start + 1 ? order[start] : choose(order[start..<end]) { all[$0].signedDate }
            if let transaction = transaction(chosen) { transactions.append(transaction) } else { later.append(chosen) }
            start = end
        }
        transactions.sort { Self.comesBefore($0.index, $1.index, in: all) }
        return later
    }

    /// By subscription, and in there from the earliest period to the latest.
    private static func comesBefore(_ one: Int, _ other: Int, in all: [TransactionFact]) -> Bool {
        if all[one].originalTransactionID != all[other].originalTransactionID {
            return all[one].originalTransactionID < all[other].originalTransactionID
        }
        if all[one].purchaseDate != all[other].purchaseDate { return all[one].purchaseDate < all[other].purchaseDate }
        return TransactionFact.identifier(all[one].transactionID, isBefore: all[other].transactionID)
    }

    /// How the version says that a transaction stands at the instant; nil if it is not there yet.
    private func transaction(_ index: Int) -> Transaction? {
        guard facts.transactions[index].signedDate > asOf else {
            return Transaction(
                index: index, isUpgraded: facts.transactions[index].isUpgraded,
                isRevoked: facts.transactions[index].revocationDate != nil)
        }
        let fact = facts.transactions[index]
        if fact.purchaseDate > asOf || isStillOwed(fact) { return nil }
        let isRevoked = fact.revocationDate.map { $0 <= asOf } ?? false
        return Transaction(index: index, isUpgraded: fact.isUpgraded, isRevoked: isRevoked)
    }

    /// What is paid late in a grace period begins when the period before it ended. A renewal info that was signed since
    /// then, and knows nothing of it, tells that it was not paid at the instant.
    private func isStillOwed(_ fact: TransactionFact) -> Bool {
        guard fact.type == .autoRenewableSubscription, let renewal = renewal(of: fact.originalTransactionID),
            renewal.signedDate >= fact.purchaseDate
        else { return false }
        // It names the end of what was paid last. A payment that failed is for what follows, not for that.
        if let end = renewal.renewalDate { return end <= fact.purchaseDate }
        // A receipt does not name it: what was over by then had been paid.
        return renewal.isInBillingRetry && fact.expiresDate.map { $0 > renewal.signedDate } ?? true
    }

    private mutating func chooseRenewals() {
        let all = facts.renewals
        let order = all.indices.sorted { Self.precedes(all[$0], all[$1]) }
        renewals.reserveCapacity(order.count)
        for (position, index) in order.enumerated() where all[index].signedDate <= asOf {
            let next = position + 1 < order.count ? all[order[position + 1]] : nil
            let isLast = next.map {
                $0.originalTransactionID != all[index].originalTransactionID || $0.signedDate > asOf
            }
            if isLast ?? true { renewals.append(index) }
        }
    }

    /// Of versions in the order of their signing the last one signed by the instant, or else the first one.
    private func choose(_ versions: ArraySlice<Int>, _ signedDate: (Int) -> Date) -> Int {
        if let last = versions.last(where: { signedDate($0) <= asOf }) { return last }
        // Of several signed at the same time the same one counts as when they are in the past: the last.
        let first = versions[versions.startIndex]
        return versions.last { signedDate($0) == signedDate(first) } ?? first
    }

    static func precedes(_ one: TransactionFact, _ other: TransactionFact) -> Bool {
        if one.transactionID != other.transactionID { return one.transactionID < other.transactionID }
        if one.signedDate != other.signedDate { return one.signedDate < other.signedDate }
        return one != other && one.content.lexicographicallyPrecedes(other.content)
    }

    static func precedes(_ one: RenewalFact, _ other: RenewalFact) -> Bool {
        if one.originalTransactionID != other.originalTransactionID {
            return one.originalTransactionID < other.originalTransactionID
        }
        if one.signedDate != other.signedDate { return one.signedDate < other.signedDate }
        return one != other && one.content.lexicographicallyPrecedes(other.content)
    }
}

// MARK: - What is taken back

extension CountingFacts {
    /// The transaction that says that a purchase was refunded or revoked; nil if none does. Not for auto-renewable
    /// subscriptions, whose periods are paid one by one.
    ///
    /// A non-consumable that was restored can be a transaction of its own, with the key of the original. It was paid once, so it
    /// is taken back as a whole. A refund of the original takes everything that was restored until then, and a refund of
    /// anything else what was not signed again after it. What was bought later stays.
    ///
    /// - Parameter revoked: The transactions with the same key that were refunded or revoked, in order.
    func revocation(of own: Transaction, among revoked: [Transaction]) -> TransactionFact? {
        if own.isRevoked { return fact(own) }
        guard facts.transactions[own.index].type == .nonConsumable else { return nil }
        let others = revoked.filter { takesBack($0, own) }
        // The last one before it tells, or else the first one after it.
        let before = others.last { Self.comesBefore($0.index, own.index, in: facts.transactions) }
        return (before ?? others.first).map { fact($0) }
    }

    private func takesBack(_ other: Transaction, _ own: Transaction) -> Bool {
        let (one, two) = (other.index, own.index)
        guard let date = facts.transactions[one].revocationDate,
            date > facts.transactions[two].purchaseDate
        else { return false }
        return facts.transactions[one].transactionID == facts.transactions[one].originalTransactionID
            || facts.transactions[one].signedDate >= facts.transactions[two].signedDate
    }
}

// MARK: - What took whose place, and when

extension CountingFacts {
    /// That a transaction was upgraded has no date. Where only a later version says so, the transaction that took its
    /// place tells.
    private mutating func resolveUpgrades(_ later: [Int]) {
        for position in transactions.indices where transactions[position].isUpgraded {
            let fact = fact(transactions[position])
            guard fact.signedDate > asOf, let successor = successor(of: fact, among: later) else { continue }
            transactions[position].isUpgraded = successor <= asOf
        }
    }

    /// When the next period began, of the same subscription or else in the same group.
    private func successor(of fact: TransactionFact, among later: [Int]) -> Date? {
        let others = transactions.lazy.map { self.fact($0) } + later.lazy.map { self.facts.transactions[$0] }
        var sameSubscription: Date?
        var sameGroup: Date?
        for other in others where other.purchaseDate > fact.purchaseDate {
            if other.originalTransactionID == fact.originalTransactionID {
                sameSubscription = min(sameSubscription ?? other.purchaseDate, other.purchaseDate)
            } else if let group = fact.subscriptionGroupIdentifier, other.subscriptionGroupIdentifier == group {
                sameGroup = min(sameGroup ?? other.purchaseDate, other.purchaseDate)
            }
        }
        return sameSubscription ?? sameGroup
    }

    /// A subscription that goes on under another key gives no access any more, whether or not a later version of its last
    /// transaction was signed that says so.
    private mutating func resolveMigrations() {
        var began: [String: Date] = [:]
        for transaction in transactions {
            guard let old = facts.transactions[transaction.index].previousOriginalTransactionID else { continue }
            let fact = fact(transaction)
            guard old != fact.originalTransactionID else { continue }
            began[old] = max(began[old] ?? fact.purchaseDate, fact.purchaseDate)
        }
        guard !began.isEmpty else { return }
        for position in transactions.indices {
            let fact = fact(transactions[position])
            guard let date = began[fact.originalTransactionID], fact.purchaseDate <= date else { continue }
            transactions[position].isUpgraded = true
        }
    }
}
