internal import AppStoreModels
internal import Foundation

extension ProductState {
    /// Creates the state of the product that a subscription is in.
    init(_ subscription: SubscriptionState) {
        self.init(
            productID: subscription.productID, type: .autoRenewableSubscription,
            state: subscription.hasAccess ? .active : .inactive, details: subscription.details,
            until: subscription.accessUntil, willRenew: subscription.willRenew,
            transactionID: subscription.transactionID, originalTransactionID: subscription.originalTransactionID)
        // The replacement of an upgraded subscription began at an unknown time before the end of the period.
        guard !subscription.hasAccess, !subscription.details.contains(.upgraded) else { return }
        let end = subscription.status == .billingRetry ? subscription.accessEndDate : subscription.expiresDate
        endedDate = subscription.revocationDate ?? end
    }

    /// Creates the state of a product that a subscription was in before it changed to another product.
    init(ended fact: TransactionFact, _ period: EffectiveFacts.Transaction, asOf: Date) {
        let isReplaced = period.isUpgraded || fact.expiresDate.map { $0 > asOf } ?? false
        let detail: StateDetail =
            period.isRevoked && !period.isUpgraded
            ? .revocation(fact.revocationType, fact.ownership) : isReplaced ? .upgraded : .changedProduct
        self.init(
            productID: fact.productID, type: .autoRenewableSubscription, state: .inactive, details: [detail],
            endedDate: period.isRevoked ? fact.revocationDate : isReplaced ? nil : fact.expiresDate, willRenew: false,
            transactionID: fact.transactionID, originalTransactionID: fact.originalTransactionID)
        if let owner = StateDetail(fact.ownership) { details.append(owner) }
    }

    /// Creates the state of the product of a purchase.
    init(_ purchase: PurchaseState) {
        self.init(
            productID: purchase.productID, type: purchase.type, state: purchase.hasAccess ? .active : .inactive,
            details: purchase.details, until: purchase.hasAccess ? purchase.endDate : nil,
            endedDate: purchase.hasAccess ? nil : purchase.revocationDate ?? purchase.endDate,
            transactionID: purchase.transactionID, originalTransactionID: purchase.originalTransactionID)
    }

    /// Returns the state with the highest priority of each product, sorted by product.
    static func best(_ candidates: [ProductState]) -> [ProductState] {
        guard candidates.count > 1 else { return candidates }
        let sorted = candidates.sorted { one, other in
            one.productID.isExactly(other.productID)
                ? one.hasPriority(over: other) : one.productID.precedesExactly(other.productID)
        }
        var best: [ProductState] = []
        for state in sorted where best.last?.productID.isExactly(state.productID) != true { best.append(state) }
        return best
    }

    /// Whether this state has priority over another one of the same product: active before inactive, then the later
    /// end, then the higher transaction identifier.
    func hasPriority(over other: ProductState) -> Bool {
        if state != other.state { return state == .active }
        let (end, otherEnd) = (state == .active ? until : endedDate, state == .active ? other.until : other.endedDate)
        if end != otherEnd {
            // For active products no end is the latest one; for inactive products an unknown end is the earliest one.
            let none: Date = state == .active ? .distantFuture : .distantPast
            return end ?? none > otherEnd ?? none
        }
        return TransactionFact.identifier(other.transactionID ?? "", isBefore: transactionID ?? "")
    }
}

extension CustomerFold {
    /// Returns the entitlements of the catalogue, sorted by name.
    func entitlements() -> [EntitlementState] {
        var decidingProducts = [Int?](repeating: nil, count: engine.names.count)
        var ends = [Date?](repeating: .distantPast, count: engine.names.count)
        for (position, product) in states.products.enumerated() {
            for entitlement in engine.names(of: product.productID) {
                let decidingProduct = decidingProducts[entitlement].map { states.products[$0] }
                if decidingProduct.map({ isBetter(product, than: $0) }) ?? true {
                    decidingProducts[entitlement] = position
                }
                guard product.state == .active else { continue }
                // Nil means without end.
                ends[entitlement] = product.until.flatMap { until in ends[entitlement].map { max($0, until) } }
            }
        }
        return engine.names.indices.map { index in
            EntitlementState(
                engine.names[index], decidingProducts[index].map { states.products[$0] }, until: ends[index])
        }
    }

    /// Among active products, the higher level has priority.
    private func isBetter(_ one: ProductState, than other: ProductState) -> Bool {
        if one.state == .active, other.state == .active {
            let (level, otherLevel) = (engine.level(of: one.productID), engine.level(of: other.productID))
            if level != otherLevel { return level < otherLevel }
        }
        return one.hasPriority(over: other)
    }
}

extension EntitlementState {
    fileprivate init(_ name: String, _ product: ProductState?, until: Date?) {
        let isActive = product?.state == .active
        self.init(
            entitlement: name, isActive: isActive, state: product?.state ?? .new, details: product?.details ?? [],
            until: isActive ? until : nil, willRenew: product?.willRenew, productID: product?.productID,
            transactionID: product?.transactionID, originalTransactionID: product?.originalTransactionID)
    }
}
