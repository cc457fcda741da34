internal import AppStoreModels
internal import Entitlements

/// Finds purchases without an owner.
package protocol UnclaimedStorage: Sendable {
    /// Returns purchases that were paid for and that no customer owns, neither by a claim nor by the account that the
    /// app named.
    ///
    /// - Parameters:
    ///   - original: The cursor: only purchases after it.
    ///   - limit: The maximum number of purchases.
    /// - Returns: The purchases, and the cursor of the next page; nil if there are no more. The number of rows that are
    ///   read is limited.
    func unclaimedPurchases(
        in scope: Int64, after original: String, limit: Int
    ) async throws -> (items: [Lineage], next: String?)
}

extension Lineage {
    /// Whether the purchase was paid for, rather than shared by a family member or assigned.
    package var isPaid: Bool { transactions.contains { $0.ownership == .purchased } }
}
