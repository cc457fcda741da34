internal import AppStoreModels
package import Entitlements
internal import Foundation

/// All that is kept of one subscription or purchase, and the law by which it changes.
///
/// What the App Store signed of a transaction stays before what a receipt says of it. Of two versions of one fact the newer
/// one stays, of two with one date the one that counts when both are folded, and of
/// two that say the same the one from the text that goes first (``Source``), so that any order and any number of
/// deliveries ends in the same record.
package struct LineageRecord: Sendable, Hashable {
    /// A notification about it.
    package struct Mention: Sendable, Hashable {
        /// The notification's number.
        package var notification: Int64
        package var signedDate: Milliseconds

        package init(notification: Int64, signedDate: Milliseconds) {
            self.notification = notification
            self.signedDate = signedDate
        }
    }

    /// What became of a fact.
    package struct Outcome {
        /// Whether it is here now, and was not before.
        package var isNews: Bool
        /// Where the version was from that it has replaced.
        package var replaced: Int64?

        package static let ignored = Outcome(isNews: false)
    }

    /// The text that a fact is from.
    package struct Source {
        /// Its ``FactSource/code``.
        package var id: Int64
        /// Whether a fact is from here, rather than from the text with this number, when both say the same. Numbers hang
        /// on the order of arrival, so they do not say.
        package var isAhead: (_ of: Int64) throws -> Bool
        /// Whether it is a receipt.
        package var isReceipt: Bool
        /// Whether the text with this number is a receipt.
        package var wasReceipt: (_ other: Int64) throws -> Bool

        package init(
            id: Int64, isReceipt: Bool = false, wasReceipt: @escaping (_ other: Int64) throws -> Bool = { _ in false },
            isAhead: @escaping (_ of: Int64) throws -> Bool
        ) {
            self.id = id
            self.isReceipt = isReceipt
            self.wasReceipt = wasReceipt
            self.isAhead = isAhead
        }
    }

    /// The transactions in the order of their identifiers, and whose they all are.
    package private(set) var lineage: Lineage
    /// Where each transaction is from, by ``FactSource/code``.
    package private(set) var sources: [Int64]
    /// Where the renewal info is from.
    package private(set) var renewalSource: Int64?
    /// In the order of their numbers.
    package private(set) var mentions: [Mention]

    package init(_ originalTransactionID: String) {
        lineage = Lineage(originalTransactionID: originalTransactionID, transactions: [])
        (sources, mentions) = ([], [])
    }

    /// What was read; nil when it does not fit together.
    package init?(_ lineage: Lineage, sources: [Int64], renewalSource: Int64?, mentions: [Mention]) {
        guard sources.count == lineage.transactions.count, (renewalSource == nil) == (lineage.renewal == nil) else {
            return nil
        }
        self.lineage = lineage
        self.sources = sources
        self.renewalSource = renewalSource
        self.mentions = mentions
    }

    /// Where facts are from.
    package func sources(
        of wanted: WantedFacts, notifications: Bool
    ) -> [(kind: KeptStatement.Kind, source: FactSource)] {
        var codes = zip(lineage.transactions, sources)
            .filter { wanted.transactions?.contains($0.0.transactionID) ?? true }
            .map { (KeptStatement.Kind.transaction, $0.1) }
        if wanted.renewal, let renewalSource { codes.append((.renewal, renewalSource)) }
        return codes.compactMap { kind, code in FactSource(code: code).map { (kind, $0) } }
            .filter { notifications || $0.1.statement != nil }
    }

    /// What the App Store told of it while it was a customer's.
    package func mentions(for customer: String, _ ownership: Ownership) -> [Mention] {
        let spans = ownership.spans(of: customer)
        return mentions.filter { mention in spans.contains { $0.contains(mention.signedDate) } }
    }

    /// How many facts there are, and notifications about them.
    package var count: Int { sources.count + (renewalSource == nil ? 0 : 1) + mentions.count }

    /// Whether a notification about it is known that was signed after an instant: what was signed then is late.
    package func isLate(signedDate: Milliseconds) -> Bool { mentions.contains { $0.signedDate > signedDate } }

    // MARK: - Changes

    /// Records that there is a notification about it; false when that was known.
    package mutating func addMention(of notification: Int64, signedDate: Milliseconds) -> Bool {
        // The newest is nearly always the last.
        let place = (mentions.lastIndex { $0.notification <= notification }).map { $0 + 1 } ?? 0
        if place > 0, mentions[place - 1].notification == notification {
            mentions[place - 1].signedDate = max(mentions[place - 1].signedDate, signedDate)
            return false
        }
        mentions.insert(Mention(notification: notification, signedDate: signedDate), at: place)
        return true
    }

    /// Puts in a fact of either kind.
    package mutating func put(_ fact: Statement.Fact, _ source: Source) throws -> Outcome {
        switch fact {
        case .transaction(let fact): try put(fact, source)
        case .renewal(let fact): try put(fact, source)
        }
    }

    /// Puts in a transaction, and whose the purchase is by what it says.
    package mutating func put(_ fact: TransactionFact, _ source: Source) throws -> Outcome {
        let place = place(of: fact.transactionID)
        guard place < sources.count, !fact.transactionID.precedes(lineage.transactions[place].transactionID) else {
            lineage.transactions.insert(fact, at: place)
            sources.insert(source.id, at: place)
            setOwner()
            return Outcome(isNews: true)
        }
        let known = lineage.transactions[place]
        let wasReceipt = try source.wasReceipt(sources[place])
        guard
            try source.isReceipt != wasReceipt
                ? wasReceipt
                : Self.wins(
                    fact.signedDate, over: known.signedDate, source, sources[place],
                    yields: { (known.yields(to: fact), fact.yields(to: known)) })
        else { return .ignored }
        let replaced = sources[place]
        (lineage.transactions[place], sources[place]) = (fact, source.id)
        setOwner()
        return Outcome(isNews: true, replaced: replaced)
    }

    /// Puts in a renewal info.
    package mutating func put(_ fact: RenewalFact, _ source: Source) throws -> Outcome {
        let replaced = renewalSource
        if let known = lineage.renewal, let replaced {
            guard
                try Self.wins(
                    fact.signedDate, over: known.signedDate, source, replaced,
                    yields: { (known.yields(to: fact), fact.yields(to: known)) })
            else { return .ignored }
        }
        (lineage.renewal, renewalSource) = (fact, source.id)
        return Outcome(isNews: true, replaced: replaced)
    }

    /// Whether a version takes the place of the one that is there.
    ///
    /// - Parameter yields: Which of the two the engine would choose, so that the ledger agrees with what is folded from the
    ///   notifications: the App Store signs a cancellation and the end it brings about at once.
    private static func wins(
        _ date: Date, over known: Date, _ source: Source, _ present: Int64,
        yields: () -> (known: Bool, new: Bool)
    ) throws -> Bool {
        guard date.milliseconds == known.milliseconds else { return date > known }
        let yields = yields()
        if yields.known != yields.new { return yields.known }
        return try source.isAhead(present)
    }

    /// Where a transaction is, or would be.
    private func place(of transactionID: String) -> Int {
        var (low, high) = (0, lineage.transactions.count)
        // New ones are nearly always the last.
        if let last = lineage.transactions.last, last.transactionID.precedes(transactionID) { return high }
        while low < high {
            let middle = low + (high - low) / 2
            if lineage.transactions[middle].transactionID.precedes(transactionID) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Whose a purchase is follows from the versions that stay and from nothing else: what was replaced has no say, or it
    /// would matter what came first. Of several transactions with an account the latest purchase counts.
    private mutating func setOwner() {
        var owner: Int?
        var account: String?
        let transactions = lineage.transactions
        // By their places: a fact is dear to copy.
        for place in transactions.indices {
            if let other = transactions[place].appTransactionID, account?.precedes(other) ?? true { account = other }
            guard transactions[place].appAccountToken != nil else { continue }
            // In the order of their identifiers: of two at the same time the later one.
            if let owner, transactions[place].isBought(before: transactions[owner]) { continue }
            owner = place
        }
        (lineage.appAccountToken, lineage.appTransactionID) = (
            owner.flatMap { transactions[$0].appAccountToken }, account
        )
    }
}

extension TransactionFact {
    /// In the order of their dates of purchase, and then of signing.
    fileprivate func isBought(before other: TransactionFact) -> Bool {
        (purchaseDate, signedDate) < (other.purchaseDate, other.signedDate)
    }
}

extension String {
    /// The order of their bytes, which is the database's.
    fileprivate func precedes(_ other: String) -> Bool {
        // Nearly always the same account as before.
        !isExactly(other) && utf8.lexicographicallyPrecedes(other.utf8)
    }
}
