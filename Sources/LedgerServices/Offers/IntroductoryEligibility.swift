internal import AppStoreModels
internal import Entitlements
internal import Ledger

/// Decides who is eligible for an introductory offer.
///
/// The signature replaces the App Store's own decision, so the check uses the same data: all subscriptions of the Apple
/// account in the subscription group, whichever of the app's customers they belong to.
struct IntroductoryEligibility: Sendable {
    let storage: any OfferService.Storage
    let customers: CustomerReader
    /// The app's products.
    let catalogue: ProductCatalogue?
    let appEnvironment: AppEnvironment
    let productID: String
    /// Whether the request used a key shipped in an app.
    let isPublic: Bool

    /// Checks that the accounts have no subscription in the product's group and never had an introductory offer in it.
    ///
    /// - Parameters:
    ///   - reading: The customer, whose purchases count too.
    ///   - accounts: The Apple accounts, by their app transaction identifiers.
    ///   - found: Further purchases of the accounts from the App Store's history.
    /// - Throws: ``ServiceFailure`` if they are not eligible, or if the group of the product is unknown and matters.
    func require(_ reading: CustomerReading, _ accounts: [String], _ found: Set<ExactText> = []) async throws {
        let groups = SubscriptionGroups(
            learned: try await storage.productGroups(in: appEnvironment.id),
            configured: catalogue?.groups ?? [:])
        var lineages = try await all(reading, accounts, found)
        let names = groups.fillIn(&lineages)
        let target = groups.names(of: productID)
        guard !target.isEmpty || !isPublic else { throw unknownGroup }
        let states = try await customers.reading(reading.customer, appEnvironment, lineages, at: nil).states.groups
        // A product or purchase whose group is unknown may belong to any group.
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
        _ reading: CustomerReading, _ accounts: [String], _ found: Set<ExactText>
    ) async throws -> [Lineage] {
        let others =
            try await storage.lineages(ofAccounts: accounts, in: appEnvironment.id)
            + storage.sameAccountPurchases(of: found.sorted().map(\.text), in: appEnvironment.id)
        var known: Set<ExactText> = []
        return (reading.lineages + others).filter { known.insert(ExactText($0.originalTransactionID)).inserted }
    }

    private var unknownGroup: ServiceFailure {
        ServiceFailure(
            .conflict, "unknown_group",
            """
            The subscription group of the product is unknown, because nobody has bought the product yet. Set its group \
            in the app's products in the server's configuration.
            """, parameter: "product_id")
    }
}

/// The subscription groups of products, from purchases and from the configuration. If they differ, both count.
private struct SubscriptionGroups {
    var learned: [String: String]
    var configured: [String: String]

    func names(of productID: String) -> Set<String> {
        Set([learned[productID], configured[productID]].compactMap(\.self))
    }

    /// Sets the group of subscriptions that do not name one, as in receipts; the empty string if it is unknown. Returns
    /// all names of each group.
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
