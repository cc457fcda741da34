/// All that is known of a customer in one app and one environment.
///
/// The order of the facts does not matter. A transaction or a renewal info may be there in several versions, one for each
/// time it was signed. At an instant the version counts that was signed last before or at it. Where none was, the first
/// one signed afterwards counts, without what it says to have happened later.
public struct CustomerFacts: Sendable, Hashable {
    /// The transactions.
    public var transactions: [TransactionFact]
    /// The renewal infos.
    public var renewals: [RenewalFact]

    /// Collects facts.
    public init(transactions: [TransactionFact] = [], renewals: [RenewalFact] = []) {
        self.transactions = transactions
        self.renewals = renewals
    }
}
