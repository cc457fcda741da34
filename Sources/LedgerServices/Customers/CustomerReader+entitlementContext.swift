internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import Ledger

extension CustomerReader {
    /// Adds a customer's groups, grants and original purchases to the facts. Original purchases are as of `instant`;
    /// nil for now.
    func addEntitlementContext(
        to facts: inout CustomerFacts, of customer: String, in appEnvironment: AppEnvironment, at instant: Date?
    )
        async throws
    {
        facts.add(try await storage.entitlementContext(of: customer, in: appEnvironment))
        guard let instant, instant < now else { return }
        facts.originalPurchases = try await storage.originalPurchases(ownedBy: customer, in: appEnvironment.id)
            .filter { $0.ownership.owners(at: instant.milliseconds).containsExactly(customer) }.map(\.purchase.fact)
    }
}

extension CustomerFacts {
    mutating func add(_ context: EntitlementContext) {
        groups = context.groups
        grants = context.grants
        originalPurchases = context.originalPurchases
    }
}
