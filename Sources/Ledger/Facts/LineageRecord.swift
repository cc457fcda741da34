internal import AppStoreModels
package import Entitlements
internal import Foundation

/// The stored record of one subscription or purchase, and the rules that merge new facts into it.
///
/// A transaction that the App Store signed has priority over the same transaction in a receipt. Of two versions of a
/// fact, the newer one stays. With equal dates, the version stays that `Entitlements` prefers. Of two equal versions,
/// the one from the text that has priority stays (``Source``). So any order and any number of deliveries gives the same
/// record.
package struct LineageRecord: Sendable, Hashable {
    /// A notification about the purchase.
    package struct Mention: Sendable, Hashable {
        /// The row identifier of the notification.
        package var notification: Int64
        package var signedDate: Milliseconds

        package init(notification: Int64, signedDate: Milliseconds) {
            self.notification = notification
            self.signedDate = signedDate
        }
    }

    /// The result of adding a fact.
    package struct Outcome {
        /// Whether the record contains the fact now and did not before.
        package var isNew: Bool
        /// The ``FactSource/code`` of the version that was replaced.
        package var replaced: Int64?

        package static let ignored = Outcome(isNew: false)
    }

    /// The text that contains a fact.
    package struct Source {
        /// The ``FactSource/code`` of the text.
        package var id: Int64
        /// Whether this text has priority over the text with the given code, if both contain the same fact. The codes
        /// cannot decide it, because they depend on the order of arrival.
        package var precedes: (_ other: Int64) throws -> Bool
        /// Whether the text is from a receipt.
        package var isReceipt: Bool
        /// Whether the text with the given code is from a receipt.
        package var wasReceipt: (_ other: Int64) throws -> Bool

        package init(
            id: Int64, isReceipt: Bool = false, wasReceipt: @escaping (_ other: Int64) throws -> Bool = { _ in false },
            precedes: @escaping (_ other: Int64) throws -> Bool
        ) {
            self.id = id
            self.isReceipt = isReceipt
            self.wasReceipt = wasReceipt
            self.precedes = precedes
        }

        /// Creates the source of a text. A notification has priority over a signed fact, because it is stored anyway.
        /// Of two notifications the greater UUID has priority, of two signed facts the greater text, both by their
        /// bytes. Every text has priority over one that the ledger lacks.
        ///
        /// - Parameters:
        ///   - key: The UUID of the notification, or the text of the signed fact.
        ///   - keyOfSame: Returns the key of another text of this kind, by its row identifier; nil if the ledger lacks
        ///     it, or if it is corrupt.
        package init(
            _ source: FactSource, key: String, isReceipt: Bool = false,
            wasReceipt: @escaping (_ other: Int64) throws -> Bool,
            keyOfSame: @escaping (_ other: Int64) throws -> String?
        ) {
            self.init(id: source.code, isReceipt: isReceipt, wasReceipt: wasReceipt) { other in
                switch (source, FactSource(code: other)) {
                case (_, nil), (.notification, .signedFact): return true
                case (.signedFact, .notification): return false
                case (.notification, .notification(let number)), (.signedFact, .signedFact(let number)):
                    return try keyOfSame(number)?.precedesExactly(key) ?? true
                }
            }
        }
    }

    /// The transactions sorted by identifier, and the account data that follow from them.
    package private(set) var lineage: Lineage
    /// The ``FactSource/code`` of each transaction.
    package private(set) var sources: [Int64]
    /// The ``FactSource/code`` of the renewal info.
    package private(set) var renewalSource: Int64?
    /// The notifications, sorted by row identifier.
    package private(set) var mentions: [Mention]

    package init(_ originalTransactionID: String) {
        lineage = Lineage(originalTransactionID: originalTransactionID, transactions: [])
        (sources, mentions) = ([], [])
    }

    /// Creates a record from stored values; nil if they are inconsistent.
    package init?(_ lineage: Lineage, sources: [Int64], renewalSource: Int64?, mentions: [Mention]) {
        guard sources.count == lineage.transactions.count, (renewalSource == nil) == (lineage.renewal == nil) else {
            return nil
        }
        self.lineage = lineage
        self.sources = sources
        self.renewalSource = renewalSource
        self.mentions = mentions
    }

    /// Returns the sources of facts.
    package func sources(
        of wanted: FactSelection, notifications: Bool
    ) -> [(kind: StoredSignedFact.Kind, source: FactSource)] {
        var codes = zip(lineage.transactions, sources)
            .filter { wanted.transactions?.contains($0.0.transactionID) ?? true }
            .map { (StoredSignedFact.Kind.transaction, $0.1) }
        if wanted.renewal, let renewalSource { codes.append((.renewal, renewalSource)) }
        return codes.compactMap { kind, code in FactSource(code: code).map { (kind, $0) } }
            .filter { notifications || $0.1.signedFact != nil }
    }

    /// Returns the notifications that were signed while the customer owned the purchase.
    package func mentions(for customer: String, _ ownership: Ownership) -> [Mention] {
        let spans = ownership.spans(of: customer)
        return mentions.filter { mention in spans.contains { $0.contains(mention.signedDate) } }
    }

    /// The number of facts and notifications.
    package var count: Int { sources.count + (renewalSource == nil ? 0 : 1) + mentions.count }

    /// Whether the record contains a notification that was signed later.
    package func isLate(signedDate: Milliseconds) -> Bool { mentions.contains { $0.signedDate > signedDate } }

    // MARK: - Changes

    /// Adds a notification; returns false if the record already contained it.
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

    /// Adds a fact of either kind.
    package mutating func add(_ fact: SignedFact.Fact, _ source: Source) throws -> Outcome {
        switch fact {
        case .transaction(let fact): try add(fact, source)
        case .renewal(let fact): try add(fact, source)
        }
    }

    /// Adds a transaction, and updates the account data of the purchase.
    package mutating func add(_ fact: TransactionFact, _ source: Source) throws -> Outcome {
        let place = index(of: fact.transactionID)
        guard place < sources.count, !fact.transactionID.precedesExactly(lineage.transactions[place].transactionID)
        else {
            lineage.transactions.insert(fact, at: place)
            sources.insert(source.id, at: place)
            setOwner()
            return Outcome(isNew: true)
        }
        let known = lineage.transactions[place]
        let wasReceipt = try source.wasReceipt(sources[place])
        guard
            try source.isReceipt != wasReceipt
                ? wasReceipt : Self.replaces(fact, over: known, source, sources[place])
        else { return .ignored }
        let replaced = sources[place]
        (lineage.transactions[place], sources[place]) = (fact, source.id)
        setOwner()
        return Outcome(isNew: true, replaced: replaced)
    }

    /// Adds a renewal info, and the grace period that it names.
    package mutating func add(_ fact: RenewalFact, _ source: Source) throws -> Outcome {
        addGracePeriod(of: fact, source)
        let replaced = renewalSource
        if let known = lineage.renewal, let replaced, try !Self.replaces(fact, over: known, source, replaced) {
            return .ignored
        }
        (lineage.renewal, renewalSource) = (fact, source.id)
        return Outcome(isNew: true, replaced: replaced)
    }

    /// Adds the grace period of a renewal info, whether or not that is replaced; the latest one stays. Only of
    /// notifications: other texts are deleted when a newer one replaces them, so the order of arrival would matter.
    private mutating func addGracePeriod(of fact: RenewalFact, _ source: Source) {
        guard var period = fact.gracePeriod, FactSource(code: source.id)?.notification != nil else { return }
        period.start = Date(milliseconds: period.start.milliseconds)
        period.end = Date(milliseconds: period.end.milliseconds)
        if let known = lineage.gracePeriod, (known.start, known.end) >= (period.start, period.end) { return }
        lineage.gracePeriod = period
    }

    /// Whether a version replaces the present one. Of two versions with the same date, the ledger keeps the one that
    /// `Entitlements` chooses, so that both agree: the App Store signs a cancellation and the expiry that follows at the
    /// same instant.
    private static func replaces<Fact: VersionedFact>(
        _ fact: Fact, over known: Fact, _ source: Source, _ present: Int64
    ) throws -> Bool {
        let (date, other) = (fact.signedDate, known.signedDate)
        guard date.milliseconds == other.milliseconds else { return date > other }
        if known.isReplaced(by: fact) { return true }
        return try !fact.isReplaced(by: known) && source.precedes(present)
    }

    /// Returns the index of a transaction, or the index at which to insert it.
    private func index(of transactionID: String) -> Int {
        let places = lineage.transactions.indices
        // A new transaction is nearly always the last.
        if let last = lineage.transactions.last, last.transactionID.precedesExactly(transactionID) {
            return places.endIndex
        }
        // Searches indices because copying a fact is expensive.
        return places.partitioningIndex {
            !lineage.transactions[$0].transactionID.precedesExactly(transactionID)
        }
    }

    /// Sets the account data from the present versions alone. If replaced versions counted, the order of arrival would
    /// matter. Of several transactions with an account token, the latest purchase counts.
    private mutating func setOwner() {
        var owner: Int?
        var account: String?
        let transactions = lineage.transactions
        // Iterates over indices because copying a fact is expensive.
        for place in transactions.indices {
            if let other = transactions[place].appTransactionID, account?.precedesExactly(other) ?? true {
                account = other
            }
            guard transactions[place].appAccountToken != nil else { continue }
            // The transactions are sorted by identifier: of two purchases at the same time the later one counts.
            if let owner, transactions[place].isBought(before: transactions[owner]) { continue }
            owner = place
        }
        (lineage.appAccountToken, lineage.appTransactionID) = (
            owner.flatMap { transactions[$0].appAccountToken }, account
        )
    }
}

extension TransactionFact {
    /// Whether the transaction precedes another one by purchase date, then by signing date.
    fileprivate func isBought(before other: TransactionFact) -> Bool {
        (purchaseDate, signedDate) < (other.purchaseDate, other.signedDate)
    }
}
