package import Entitlements

/// Reads what the ledger knows about customers.
package protocol CustomerStorage: Sendable {
    /// Returns the subscriptions and purchases of a customer, with the newest facts of each, sorted by identifier.
    func lineages(of customer: String, in scope: Int64) async throws -> [Lineage]

    /// Returns one subscription or purchase; nil if the ledger does not have it.
    func lineage(_ originalTransactionID: String, in scope: Int64) async throws -> Lineage?

    /// Returns the transactions of other subscriptions that continue this one, whoever owns them. This subscription
    /// gives no access after their purchase.
    func successors(of originalTransactionID: String, in scope: Int64) async throws -> [TransactionFact]

    /// Returns the notifications about a subscription or purchase, and different texts with the same UUIDs, sorted by
    /// signing date, then by identifier, then by text.
    ///
    /// - Parameter limit: The maximum number of notifications, those that were received first; and the maximum number
    ///   of different texts, those of the earliest notifications first.
    func notifications(
        about originalTransactionID: String, in scope: Int64, limit: Int
    ) async throws -> [StoredNotification]

    /// Returns the owners of a subscription or purchase, sorted by name, without erased customers. Events name the
    /// first.
    func owners(of originalTransactionID: String, in scope: Int64) async throws -> [String]

    /// Returns whether a subscription or purchase has no owner because its owner was erased.
    func isOwnerErased(of originalTransactionID: String, in scope: Int64) async throws -> Bool

    /// Returns the customer of an Apple account, by ``AccountOwnership``. Events about the account name this customer.
    func customer(ofAccount appTransactionID: String, in scope: Int64) async throws -> String?

    /// Returns the original transaction identifier of a transaction; nil if the transaction is unknown. A purchase with
    /// the same identifier has priority, then the first (by identifier) of those that the transaction was signed for.
    func originalTransactionID(of transactionID: String, in scope: Int64) async throws -> String?

    /// Returns the subscriptions and purchases of some Apple accounts, whoever owns them, sorted by account and then by
    /// identifier.
    func lineages(ofAccounts appTransactionIDs: [String], in scope: Int64) async throws -> [Lineage]

    /// Returns the Apple accounts of a customer, sorted by identifier, including accounts without a purchase.
    func accounts(of customer: String, in scope: Int64) async throws -> [String]

    /// Returns the subscription group of each product that appears in the App Store's signed data of any customer. A
    /// product never changes its group; if signed data name two, either is returned.
    func productGroups(in scope: Int64) async throws -> [String: String]
}

/// The data that affect a customer's entitlements beside purchases.
package struct EntitlementContext: Sendable, Hashable {
    /// The original purchases of the app.
    package var originalPurchases: [OriginalPurchaseFact] = []
    /// The grants of the team.
    package var grants: [GrantFact] = []
    /// The known subscription groups of the app.
    package var groups: Set<String> = []

    package init() {}
}

/// Reads the present data of a customer with one query: this is the most frequent request. The server sets no time
/// limit for a request that needs nothing else, so an engine that may have to wait needs a limit of its own.
package protocol EntitlementContextStorage: Sendable {
    func entitlementContext(of customer: String, in appEnvironment: AppEnvironment) async throws -> EntitlementContext

    /// Returns the context together with ``CustomerStorage/lineages(of:in:)``, from the same snapshot.
    func snapshot(
        of customer: String, in appEnvironment: AppEnvironment
    ) async throws -> (lineages: [Lineage], context: EntitlementContext)
}
