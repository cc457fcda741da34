internal import AppStoreModels
public import Foundation

extension EntitlementEngine {
    /// Returns why a customer has an entitlement at an instant, or why not.
    ///
    /// The explanation is derived from the same states that ``state(of:asOf:)`` returns.
    ///
    /// - Parameters:
    ///   - entitlement: A name in the catalogue.
    ///   - facts: All known facts about the customer.
    ///   - asOf: The instant.
    public func explanation(of entitlement: String, facts: CustomerFacts, asOf: Date) -> Explanation {
        guard let products = catalogue.entitlements[entitlement] else {
            return Explanation(
                entitlement: entitlement, asOf: asOf, isActive: false, rule: .unknownEntitlement,
                sentence: "The catalogue has no entitlement \(entitlement.debugDescription).", facts: [])
        }
        let effective = EffectiveFacts(facts, asOf: asOf)
        let states = state(of: effective)
        let state = states.entitlement(entitlement)
        let isActive = state?.isActive ?? false
        let product = state?.productID.map { states.product($0) }
        let access = AccessWithoutPurchase(of: entitlement, effective, catalogue)
        let otherRule = state.flatMap { access.rule($0, product: product) }
        let rule = otherRule ?? product.map { ExplanationRule($0) } ?? .neverBought
        let isEarlyCustomer = rule == .qualifyingOriginalPurchase
        let original = catalogue.originalPurchaseRules[entitlement].map {
            $0.decision(in: facts.originalPurchases, asOf: asOf)
        }
        let others = rule == .neverBought ? states.activeProducts(withoutEntitlementIn: catalogue) : []
        let grant = isActive ? nil : facts.lastEndedGrant(of: entitlement, asOf: asOf, after: product?.endedDate)
        let originalRemark = isActive && !isEarlyCustomer ? nil : original.map { Sentence.text($0) }
        let unknown = isActive ? nil : states.purchases.last { !$0.type.isKnown && products.contains($0.productID) }
        let remarks = [
            unknown.map { Sentence.text(ofUnknownType: $0) }, Sentence.text(withoutEntitlement: others), originalRemark,
            grant.map { Sentence.text($0) },
        ].compactMap(\.self)
        let intent = effective.expirationIntent(of: product, states)
        let sentence = Sentence(
            product, states, grantEnd: access.end, revoked: effective.revoked(product), expirationIntent: intent,
            lateCancellation: intent == .customerCancelled ? effective.lateCancellation(product) : nil)
        // For early customers, the remark about the rule says everything.
        let conclusion = isEarlyCustomer ? "" : sentence.text(rule, isSold: !products.isEmpty)
        let classifier = FactClassifier(facts: effective, states: states, products: products, decidingProduct: product)
        return Explanation(
            entitlement: entitlement, asOf: asOf, isActive: isActive, until: state?.until, rule: rule,
            sentence: (isEarlyCustomer ? remarks : [conclusion] + remarks).joined(separator: " "),
            productID: product?.productID, transactionID: product?.transactionID,
            facts: classifier.transactions() + classifier.renewals(), originalPurchase: original,
            endedDate: product?.endedDate, conclusion: conclusion, remarks: remarks)
    }
}

extension CustomerStates {
    /// Returns the products that the customer has and that give none of the catalogue's entitlements.
    fileprivate func activeProducts(withoutEntitlementIn catalogue: ProductCatalogue) -> [String] {
        products.filter { $0.state == .active && !catalogue.hasEntitlement(ofProduct: $0.productID) }.map(\.productID)
    }
}

extension EffectiveFacts {
    /// Returns the transaction of a product if it was refunded or revoked.
    fileprivate func revoked(_ product: ProductState?) -> TransactionFact? {
        guard let id = product?.transactionID else { return nil }
        return transactions.first { $0.isRevoked && fact($0).transactionID.isExactly(id) }.map { fact($0) }
    }

    /// Returns why the subscription to a product ended; nil if that is not known. If the customer has bought another
    /// product since, only earlier versions of the renewal info say so.
    fileprivate func expirationIntent(of product: ProductState?, _ states: CustomerStates) -> ExpirationIntent? {
        let subscription = states.subscriptions.first { product?.transactionID?.isExactly($0.transactionID) == true }
        if let subscription { return subscription.expirationIntent }
        let reasons = renewals(about: product).filter { $0.renewalDate != nil && $0.expirationIntent != nil }
        return reasons.max { $0.precedes($1) }?.expirationIntent
    }

    /// Returns the versions of the renewal info about the period of a product.
    private func renewals(about product: ProductState?) -> [RenewalFact] {
        guard let original = product?.originalTransactionID, let id = product?.transactionID,
            let period = transactions.first(where: { fact($0).transactionID.isExactly(id) }),
            let end = fact(period).expiresDate
        else { return [] }
        // `renewalDate` is the end of the period that was paid last. Receipts have none.
        return facts.renewals.filter {
            $0.originalTransactionID.isExactly(original) && $0.signedDate <= asOf
                && ($0.renewalDate.map { $0 == end } ?? ($0.signedDate >= end))
        }
    }

    /// Returns when a customer who cancelled had not paid for the renewal of a product; nil if the payment had not failed
    /// before. Only earlier versions of the renewal info say so: the last one names the cancellation only.
    fileprivate func lateCancellation(_ product: ProductState?) -> LateCancellation? {
        let versions = renewals(about: product)
        let last = versions.filter(\.isInBillingRetry).max { $0.signedDate < $1.signedDate }
        guard let failed = last else { return nil }
        let cancelled = versions.filter {
            $0.expirationIntent == .customerCancelled && $0.signedDate >= failed.signedDate
        }.map(\.signedDate).min()
        guard let cancelled, let grace = failed.gracePeriodExpiresDate, cancelled < grace else {
            return .inBillingRetry
        }
        return .inGracePeriod
    }
}

extension CustomerFacts {
    /// Returns the grant of an entitlement that ended last, if it ended after the purchases.
    fileprivate func lastEndedGrant(of entitlement: String, asOf: Date, after end: Date?) -> GrantFact? {
        let last = grants.filter {
            $0.entitlement.isExactly(entitlement) && $0.from <= asOf && !$0.isActive(at: asOf)
        }.max { $0.end < $1.end }
        return last.flatMap { grant in end.map { grant.end > $0 } ?? true ? grant : nil }
    }
}

extension ExplanationRule {
    /// The rule that determined the state of a product that was bought.
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
            (.refunded, .refunded), (.revoked, .revoked), (.upgraded, .replacedByUpgrade),
            (.billingRetry, .billingRetry),
            (.changedProduct, .changedProduct), (.durationOver, .durationOver),
        ]
        self = rules.first { product.details.contains($0.0) }?.1 ?? .expired
    }
}
