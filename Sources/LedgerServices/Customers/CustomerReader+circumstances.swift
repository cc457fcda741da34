internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import Ledger

extension CustomerReader {
    /// Adds to a customer's facts what concerns the customer beside purchases, as it was at an instant; nil for now.
    func addCircumstances(to facts: inout CustomerFacts, of customer: String, in scope: Scope, at instant: Date?)
        async throws
    {
        facts.add(try await storage.circumstances(of: customer, in: scope))
        guard let instant, instant < now else { return }
        facts.originalPurchases = try await storage.originalPurchasesHeld(by: customer, in: scope.id)
            .filter { $0.ownership.owners(at: instant.milliseconds).containsExactly(customer) }.map(\.fact)
    }
}

extension CustomerFacts {
    mutating func add(_ circumstances: CustomerCircumstances) {
        groups = circumstances.groups
        grants = circumstances.grants
        originalPurchases = circumstances.originalPurchases
    }
}
