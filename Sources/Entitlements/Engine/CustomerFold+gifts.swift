internal import AppStoreModels
internal import Foundation

/// What gives a customer an entitlement beside purchases.
///
/// It is applied to what the purchases gave, which stays as it was: a product that was bought keeps speaking for the
/// entitlement, with its transaction.
struct EntitlementGift {
    /// What the rule of the catalogue says of the customer's first version; nil where there is no rule.
    let finding: OriginalPurchaseFinding?
    /// The grants that run.
    let grants: [GrantFact]

    init(of entitlement: String, _ facts: CountingFacts, _ catalogue: ProductCatalogue) {
        finding = catalogue.boughtBefore[entitlement].map {
            $0.finding(in: facts.facts.originalPurchases, asOf: facts.asOf)
        }
        grants = facts.facts.grants.filter {
            $0.entitlement.isExactly(entitlement) && $0.isRunning(at: facts.asOf)
        }
    }

    /// When the last of the grants ends; nil if one does not.
    private var end: Date? { grants.contains { $0.until == nil } ? nil : grants.compactMap(\.until).max() }

    /// The rule by which access lasts longest; nil where it is that of the product, or there is none.
    func rule(_ state: EntitlementState, product: ProductState?) -> ExplanationRule? {
        if finding == .before { return .boughtBefore }
        guard !grants.isEmpty else { return nil }
        guard product?.state == .active else { return .granted }
        // Access may last longer by another product, which goes behind this one for its level.
        guard let until = product?.until, end == state.until else { return nil }
        return end.map { $0 > until } ?? true ? .granted : nil
    }
}

extension CustomerFold {
    /// Adds what the team gave, and what is due to who got the app early.
    func addGifts(to entitlements: inout [EntitlementState]) {
        guard !facts.facts.grants.isEmpty || !engine.catalogue.boughtBefore.isEmpty else { return }
        for index in entitlements.indices {
            entitlements[index].take(
                EntitlementGift(of: entitlements[index].entitlement, facts, engine.catalogue))
        }
    }
}

extension EntitlementState {
    fileprivate mutating func take(_ gift: EntitlementGift) {
        if !gift.grants.isEmpty {
            activate()
            // Nil is for ever.
            for grant in gift.grants { until = until.flatMap { until in grant.until.map { max(until, $0) } } }
            details.append(.granted)
        }
        if gift.finding == .before {
            activate()
            until = nil
            details.append(.boughtBefore)
        } else if !isActive, gift.finding?.isUnknown == true {
            details.append(.originalPurchaseUnknown)
        }
    }

    /// Of a product that is over nothing is said any more.
    private mutating func activate() {
        guard !isActive else { return }
        self = EntitlementState(
            entitlement: entitlement, isActive: true, state: .active, details: [], until: .distantPast)
    }
}
