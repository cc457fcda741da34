internal import AppStoreModels
package import Entitlements

/// Whether an Apple account may have an introductory offer of a product.
///
/// The signature replaces the App Store's own decision, so this one uses the same data: all subscriptions of the account
/// in the subscription group, whichever of the app's customers they belong to.
package enum IntroductoryEligibility: Sendable, Hashable {
    case eligible
    /// The account has a subscription of the group, or had an introductory offer in it.
    case used
    /// The product's group is unknown, and matters.
    case unknownGroup
}

/// The subscription groups of products, from purchases and from the configuration. If they differ, both count.
package struct SubscriptionGroups: Sendable {
    private let learned: [String: String]
    private let configured: [String: String]

    package init(learned: [String: String], configured: [String: String]) {
        (self.learned, self.configured) = (learned, configured)
    }

    private func names(of productID: String) -> Set<String> {
        Set([learned[productID], configured[productID]].compactMap(\.self))
    }

    /// Sets the group of subscriptions that do not name one, as in receipts; the empty string if it is unknown. Returns
    /// all names of each group.
    package func fillIn(_ lineages: inout [Lineage]) -> [String: Set<String>] {
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

    /// Decides about the introductory offer of a product. A product or purchase whose group is unknown may belong to any
    /// group.
    ///
    /// - Parameters:
    ///   - states: The states of the account's groups, from lineages after ``fillIn(_:)``.
    ///   - names: The result of ``fillIn(_:)``.
    ///   - requiresGroup: Whether the group must be known even if the account has no subscription.
    package func eligibility(
        for productID: String, _ states: [GroupState], named names: [String: Set<String>], requiresGroup: Bool
    ) -> IntroductoryEligibility {
        let target = self.names(of: productID)
        if target.isEmpty, requiresGroup { return .unknownGroup }
        let isUsed = states.contains { state in
            let name = state.subscriptionGroupIdentifier
            let isOther = !target.isEmpty && !name.isEmpty && names[name, default: []].isDisjoint(with: target)
            return !isOther && !state.isEligibleForIntroductoryOffer
        }
        guard isUsed else { return .eligible }
        return target.isEmpty ? .unknownGroup : .used
    }
}
