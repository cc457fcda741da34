internal import AppStoreModels
public import Foundation

extension EntitlementEngine {
    /// Why a customer has an entitlement at an instant, or has not.
    ///
    /// It follows the fold itself, so its answer is that of ``state(of:asOf:)``.
    ///
    /// - Parameters:
    ///   - entitlement: A name in the catalogue.
    ///   - facts: All that is known of the customer.
    ///   - asOf: The instant.
    public func explanation(of entitlement: String, facts: CustomerFacts, asOf: Date) -> Explanation {
        guard let products = catalogue.entitlements[entitlement] else {
            return Explanation(
                entitlement: entitlement, asOf: asOf, isActive: false, rule: .unknownEntitlement,
                sentence: "The catalogue has no entitlement \(entitlement.debugDescription).", facts: [])
        }
        let counting = CountingFacts(facts, asOf: asOf)
        let states = state(of: counting)
        let state = states.entitlement(entitlement)
        let speaker = state?.productID.map { states.product($0) }
        let scrutiny = Scrutiny(facts: counting, states: states, products: products, speaker: speaker)
        let gift = state.flatMap {
            EntitlementGift(of: entitlement, counting, catalogue).rule($0, product: speaker)
        }
        let rule = gift ?? speaker.map { ExplanationRule($0) } ?? .neverBought
        let original = catalogue.boughtBefore[entitlement].map { ExplainedOriginalPurchase($0, facts, asOf: asOf) }
        let remark = state?.isActive == true && rule != .boughtBefore ? nil : original.map(Sentence.text)
        let text = rule == .boughtBefore ? nil : Sentence(speaker, states, until: state?.until).text(rule)
        return Explanation(
            entitlement: entitlement, asOf: asOf, isActive: state?.isActive ?? false, until: state?.until, rule: rule,
            sentence: [text, remark].compactMap(\.self).joined(separator: " "), productID: speaker?.productID,
            transactionID: speaker?.transactionID, facts: scrutiny.transactions() + scrutiny.renewals(),
            originalPurchase: original)
    }
}

extension ExplainedOriginalPurchase {
    fileprivate init(_ rule: OriginalPurchaseRule, _ facts: CustomerFacts, asOf: Date) {
        (finding, fact) = rule.deciding(in: facts.originalPurchases, asOf: asOf)
    }
}

extension ExplanationRule {
    /// The rule by which a product that was bought came to its state.
    init(_ product: ProductState) {
        if product.state == .active {
            switch product.type {
            case .nonConsumable?: self = .nonConsumableOwned
            case .nonRenewingSubscription?: self = .durationRunning
            default: self = product.details.contains(.inGracePeriod) ? .gracePeriod : .subscriptionActive
            }
            return
        }
        let rules: [(StateDetail, ExplanationRule)] = [
            (.refunded, .refunded), (.revoked, .revoked), (.upgraded, .upgradedAway), (.billingRetry, .billingRetry),
            (.changedProduct, .changedProduct), (.durationOver, .durationOver),
        ]
        self = rules.first { product.details.contains($0.0) }?.1 ?? .expired
    }
}
