internal import AppStoreModels
internal import Entitlements

/// Finds purchases that are nobody's.
package protocol UnclaimedStorage: Sendable {
    /// The purchases that somebody paid for and that no customer has: neither by a claim nor by the account that the app named.
    ///
    /// - Parameters:
    ///   - original: Where to go on: those after it.
    ///   - limit: How many at most.
    /// - Returns: Them, and where the next page begins; nil when there is no more. Only so many are looked through at a time.
    func unclaimedPurchases(
        in scope: Int64, after original: String, limit: Int
    ) async throws -> (items: [Lineage], next: String?)
}

extension Lineage {
    /// Whether whoever has it paid for it, rather than shared it or was assigned it.
    package var isPaid: Bool { transactions.contains { $0.ownership == .purchased } }
}
