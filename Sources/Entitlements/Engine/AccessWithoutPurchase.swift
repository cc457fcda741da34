internal import AppStoreModels
internal import Foundation

/// Access to an entitlement that does not come from a purchase in the app: grants, and the rule for customers who got
/// the app early.
///
/// It is added to the state that the purchases give. A product that was bought still determines the entitlement's
/// product and transaction.
struct AccessWithoutPurchase {
    /// The result of the catalogue's rule for customers who got the app early; nil if there is no rule.
    let finding: OriginalPurchaseFinding?
    /// The grants that are running.
    let grants: [GrantFact]

    init(of entitlement: String, _ facts: EffectiveFacts, _ catalogue: ProductCatalogue) {
        finding = catalogue.originalPurchaseRules[entitlement].map {
            $0.finding(in: facts.facts.originalPurchases, asOf: facts.asOf)
        }
        grants = facts.facts.grants.filter {
            $0.entitlement.isExactly(entitlement) && $0.isActive(at: facts.asOf)
        }
    }

    /// When the last of the grants ends; nil if one has no end.
    var end: Date? { grants.contains { $0.until == nil } ? nil : grants.compactMap(\.until).max() }

    /// Returns the rule that gives access longest; nil if that is the rule of the product, or if there is none.
    func rule(_ state: EntitlementState, product: ProductState?) -> ExplanationRule? {
        if finding == .before { return .qualifyingOriginalPurchase }
        guard !grants.isEmpty else { return nil }
        guard product?.state == .active else { return .granted }
        // Another product may give access for longer than this one, although its level is lower.
        guard let until = product?.until, end == state.until else { return nil }
        return end.map { $0 > until } ?? true ? .granted : nil
    }
}

extension CustomerStatesBuilder {
    /// Adds the access from grants and from the rules for customers who got the app early.
    func addAccessWithoutPurchase(to entitlements: inout [EntitlementState]) {
        guard !facts.facts.grants.isEmpty || !engine.catalogue.originalPurchaseRules.isEmpty else { return }
        for index in entitlements.indices {
            entitlements[index].apply(
                AccessWithoutPurchase(of: entitlements[index].entitlement, facts, engine.catalogue))
        }
    }
}

extension EntitlementState {
    fileprivate mutating func apply(_ access: AccessWithoutPurchase) {
        if !access.grants.isEmpty {
            activate()
            // Nil means without end.
            for grant in access.grants { until = until.flatMap { until in grant.until.map { max(until, $0) } } }
            details.append(.granted)
        }
        if access.finding == .before {
            activate()
            until = nil
            details.append(.qualifyingOriginalPurchase)
        } else if !isActive, access.finding?.isUnknown == true {
            details.append(.originalPurchaseUnknown)
        }
    }

    /// Removes the product from an inactive entitlement: a product that is over does not explain the access.
    private mutating func activate() {
        guard !isActive else { return }
        self = EntitlementState(
            entitlement: entitlement, isActive: true, state: .active, until: .distantPast)
    }
}
