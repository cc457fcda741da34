internal import Ledger
internal import AppStoreModels
internal import Entitlements
internal import Foundation

/// Judges who may have an introductory offer.
///
/// The signature takes the place of the App Store's own judgement, so it rests on what the App Store would look at:
/// everything that the Apple account has in the subscription group, whichever of the app's customers it belongs to.
struct IntroductoryEligibility: Sendable {
    let storage: any OfferService.Storage
    let customers: CustomerReader
    /// Of the app.
    let catalogue: ProductCatalogue?
    let scope: Scope
    let productID: String
    /// Whether the one who asks may be anybody.
    let isPublic: Bool

    /// An introductory offer is for those who have no subscription in the group and never had an introductory offer in it.
    ///
    /// - Parameters:
    ///   - reading: The customer's own purchases count as well.
    ///   - accounts: The Apple accounts, by their app transactions.
    ///   - found: Further purchases that the App Store says are theirs.
    func require(_ reading: CustomerReading, _ accounts: [String], _ found: Set<String> = []) async throws {
        let groups = SubscriptionGroups(
            learned: try await storage.productGroups(in: scope.id),
            configured: catalogue?.groups ?? [:])
        var lineages = try await all(reading, accounts, found)
        let names = groups.fillIn(&lineages)
        let target = groups.names(of: productID)
        guard !target.isEmpty || !isPublic else { throw unknownGroup }
        let states = try await customers.reading(reading.customer, scope, lineages, at: nil).states.groups
        // A product of a group that nobody knows may be of any, and so may a purchase.
        let hadOne = states.contains { state in
            let name = state.subscriptionGroupIdentifier
            let isOther = !target.isEmpty && !name.isEmpty && names[name, default: []].isDisjoint(with: target)
            return !isOther && !state.isEligibleForIntroductoryOffer
        }
        guard hadOne else { return }
        guard !target.isEmpty else { throw unknownGroup }
        throw ServiceFailure(
            .conflict, "not_eligible",
            "The Apple account has a subscription of the group, or had an introductory offer in it.")
    }

    private func all(
        _ reading: CustomerReading, _ accounts: [String], _ found: Set<String>
    ) async throws -> [Lineage] {
        let others =
            try await storage.lineages(ofAccounts: accounts, in: scope.id)
            + storage.relatives(of: found.sorted(), in: scope.id)
        var known: Set<String> = []
        return (reading.lineages + others).filter { known.insert($0.originalTransactionID).inserted }
    }

    private var unknownGroup: ServiceFailure {
        ServiceFailure(
            .conflict, "unknown_group",
            """
            Which subscription group the product is of is not known, since nobody bought it yet: name its group among the \
            app's products in the server's configuration.
            """, parameter: "product_id")
    }
}

/// Which group a product is of: what the App Store has said of purchases, and what the configuration says. Should they
/// differ, both count.
private struct SubscriptionGroups {
    var learned: [String: String]
    var configured: [String: String]

    func names(of productID: String) -> Set<String> {
        Set([learned[productID], configured[productID]].compactMap(\.self))
    }

    /// Gives the subscriptions a group that do not say it, as in receipts; the empty one where nobody knows it. Gives all
    /// names of the groups that there are.
    func fillIn(_ lineages: inout [Lineage]) -> [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        for lineage in lineages.indices {
            for index in lineages[lineage].transactions.indices {
                let fact = lineages[lineage].transactions[index]
                guard fact.type == .autoRenewableSubscription else { continue }
                let others = self.names(of: fact.productID)
                let group = fact.subscriptionGroupIdentifier ?? others.min() ?? ""
                lineages[lineage].transactions[index].subscriptionGroupIdentifier = group
                names[group, default: [group]].formUnion(others)
            }
        }
        return names
    }
}
