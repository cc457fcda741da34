internal import AppStoreModels
internal import Entitlements
internal import Ledger

extension OfferService {
    /// Checks that the accounts have no subscription in the product's group and never had an introductory offer in it:
    /// see ``IntroductoryEligibility``.
    ///
    /// - Parameters:
    ///   - reading: The customer, whose purchases count too.
    ///   - accounts: The Apple accounts, by their app transaction identifiers.
    ///   - found: Further purchases of the accounts from the App Store's history.
    ///   - isPublic: Whether the request used a key shipped in an app.
    /// - Throws: ``ServiceFailure`` if they are not eligible, or if the group of the product is unknown and matters.
    func requireIntroductoryEligibility(
        of reading: CustomerReading, _ accounts: [String], found: Set<ExactText> = [], productID: String,
        isPublic: Bool
    ) async throws {
        let groups = SubscriptionGroups(
            learned: try await storage.productGroups(in: appEnvironment.id), configured: app?.catalogue.groups ?? [:])
        let others =
            try await storage.lineages(ofAccounts: accounts, in: appEnvironment.id)
            + storage.sameAccountPurchases(of: found.sorted().map(\.text), in: appEnvironment.id)
        var known: Set<ExactText> = []
        var lineages = (reading.lineages + others).filter {
            known.insert(ExactText($0.originalTransactionID)).inserted
        }
        let names = groups.fillIn(&lineages)
        let states = try await customers.reading(reading.customer, appEnvironment, lineages, at: nil).states.groups
        switch groups.eligibility(for: productID, states, named: names, requiresGroup: isPublic) {
        case .eligible: return
        case .used:
            throw ServiceFailure(
                .conflict, "not_eligible",
                "The Apple account has a subscription of the group, or had an introductory offer in it.")
        case .unknownGroup:
            throw ServiceFailure(
                .conflict, "unknown_group",
                """
                The subscription group of the product is unknown, because nobody has bought the product yet. Set its \
                group in the app's products in the server's configuration.
                """, parameter: "product_id")
        }
    }
}
