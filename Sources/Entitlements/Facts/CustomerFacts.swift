public import Foundation

/// All that is known of a customer in one app and one environment.
///
/// The order of the facts does not matter. A transaction or a renewal info may be there in several versions, one for each
/// time it was signed. At an instant the version counts that was signed last before or at it. Of several signed at the same
/// time it is the refunded one, or else the upgraded one, or else any one, but always the same.
///
/// Where no version of a transaction was signed by then, the first one signed afterwards counts, without what it says to
/// have happened later: a refund or a revocation, an upgrade (it has no date; what took the place was bought later), the
/// purchase itself. A renewal info says how things stood when it was signed, so none from afterwards counts.
public struct CustomerFacts: Sendable, Hashable {
    /// The transactions.
    public var transactions: [TransactionFact]
    /// The renewal infos.
    public var renewals: [RenewalFact]
    /// When the customer first got the app, for each Apple account that is known.
    public var originalPurchases: [OriginalPurchaseFact] = []
    /// What the team gave the customer. Nothing of it was signed by the App Store.
    public var grants: [GrantFact] = []
    /// The subscription groups that the app has, as far as they are known beside the catalogue's.
    public var groups: Set<String> = []

    /// Collects facts.
    public init(
        transactions: [TransactionFact] = [], renewals: [RenewalFact] = [],
        originalPurchases: [OriginalPurchaseFact] = [], grants: [GrantFact] = [], groups: Set<String> = []
    ) {
        self.transactions = transactions
        self.renewals = renewals
        self.originalPurchases = originalPurchases
        self.grants = grants
        self.groups = groups
    }

    /// When the newest fact was signed; nil without facts.
    public var newestSignedDate: Date? {
        var newest: Date?
        for index in transactions.indices { newest = Swift.max(newest ?? .distantPast, transactions[index].signedDate) }
        for index in renewals.indices { newest = Swift.max(newest ?? .distantPast, renewals[index].signedDate) }
        return newest
    }

    /// The instant to ask about when the present is meant: `now`, or when the newest fact was signed if that is later.
    ///
    /// The clock of a host can be behind the App Store's. What is signed has happened, whatever that clock shows.
    public func present(now: Date) -> Date { newestSignedDate.map { Swift.max($0, now) } ?? now }
}
