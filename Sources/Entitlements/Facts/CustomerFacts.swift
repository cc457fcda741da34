public import Foundation

/// All known facts about a customer, in one app and one environment.
///
/// The order of the facts does not matter. A transaction or a renewal info may have several versions, one for each time
/// it was signed. At an instant, the last version signed at or before it counts. Of several versions signed at the same
/// time, a refunded or revoked one has priority, then an upgraded one. Remaining ties are resolved in a fixed order.
///
/// If no version of a transaction was signed by the instant, the first later version counts, but events after the
/// instant are left out: a refund or revocation, an upgrade (which has no date; it counts from the purchase that
/// replaced the transaction), and the purchase itself. A renewal info describes the state when it was signed, so a
/// later one never counts.
public struct CustomerFacts: Sendable, Hashable {
    /// The transactions.
    public var transactions: [TransactionFact]
    /// The renewal infos.
    public var renewals: [RenewalFact]
    /// The grace periods that earlier renewal infos named, if these are not among ``renewals``.
    package var gracePeriods: [GracePeriod] = []
    /// When the customer first got the app: one fact for each known Apple account.
    public var originalPurchases: [OriginalPurchaseFact] = []
    /// The entitlements that the team granted to the customer. The App Store did not sign them.
    public var grants: [GrantFact] = []
    /// The subscription groups of the app that are known in addition to the catalogue's.
    public var groups: Set<String> = []

    /// Creates a collection of facts.
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

    /// The signing date of the newest fact; nil without facts.
    public var newestSignedDate: Date? {
        var newest: Date?
        for index in transactions.indices { newest = Swift.max(newest ?? .distantPast, transactions[index].signedDate) }
        for index in renewals.indices { newest = Swift.max(newest ?? .distantPast, renewals[index].signedDate) }
        return newest
    }

    /// Returns the instant to use for the present: `now`, or the signing date of the newest fact if that is later.
    ///
    /// The clock of a host can be behind the App Store's. A signed event has happened, whatever the host's clock shows.
    public func evaluationDate(now: Date) -> Date { newestSignedDate.map { Swift.max($0, now) } ?? now }
}
