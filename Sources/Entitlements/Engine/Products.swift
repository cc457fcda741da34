internal import AppStoreModels
internal import Foundation

extension ProductState {
    /// What a subscription says of the product that it is in.
    init(_ subscription: SubscriptionState) {
        self.init(
            productID: subscription.productID, type: .autoRenewableSubscription,
            state: subscription.hasAccess ? .active : .inactive, details: subscription.details,
            until: subscription.accessUntil, willRenew: subscription.willRenew,
            transactionID: subscription.transactionID, originalTransactionID: subscription.originalTransactionID)
        // What took the place of an upgraded one began some time before its end.
        guard !subscription.hasAccess, !subscription.details.contains(.upgraded) else { return }
        let end = subscription.status == .billingRetry ? subscription.lostAccess : subscription.expiresDate
        endedDate = subscription.revocationDate ?? end
    }

    /// What a period of a subscription, which is in another period of another product now, says of its own product.
    init(ended fact: TransactionFact, _ period: CountingFacts.Transaction, asOf: Date) {
        let isReplaced = period.isUpgraded || fact.expiresDate.map { $0 > asOf } ?? false
        let detail: StateDetail =
            period.isRevoked && !period.isUpgraded
            ? .takenBack(fact.revocationType, fact.ownership) : isReplaced ? .upgraded : .changedProduct
        self.init(
            productID: fact.productID, type: .autoRenewableSubscription, state: .inactive, details: [detail],
            endedDate: period.isRevoked ? fact.revocationDate : isReplaced ? nil : fact.expiresDate, willRenew: false,
            transactionID: fact.transactionID, originalTransactionID: fact.originalTransactionID)
        if let owner = StateDetail(fact.ownership) { details.append(owner) }
    }

    /// What a purchase says of its product.
    init(_ purchase: PurchaseState) {
        self.init(
            productID: purchase.productID, type: purchase.type, state: purchase.hasAccess ? .active : .inactive,
            details: purchase.details, until: purchase.hasAccess ? purchase.endDate : nil,
            endedDate: purchase.hasAccess ? nil : purchase.revocationDate ?? purchase.endDate,
            transactionID: purchase.transactionID, originalTransactionID: purchase.originalTransactionID)
    }

    /// Of each product the state that speaks for it, by product.
    static func best(_ candidates: [ProductState]) -> [ProductState] {
        guard candidates.count > 1 else { return candidates }
        let sorted = candidates.sorted { one, other in
            one.productID == other.productID ? one.speaksBefore(other) : one.productID < other.productID
        }
        var best: [ProductState] = []
        for state in sorted where state.productID != best.last?.productID { best.append(state) }
        return best
    }

    /// With access before without; then what ends later, or ended later; then the higher identifier.
    func speaksBefore(_ other: ProductState) -> Bool {
        if state != other.state { return state == .active }
        let (end, otherEnd) = (state == .active ? until : endedDate, state == .active ? other.until : other.endedDate)
        if end != otherEnd {
            // With access, no end is the latest; without, an end that nobody knows is the earliest.
            let none: Date = state == .active ? .distantFuture : .distantPast
            return end ?? none > otherEnd ?? none
        }
        return TransactionFact.identifier(other.transactionID ?? "", isBefore: transactionID ?? "")
    }
}

extension CustomerFold {
    /// The entitlements of the catalogue, by name.
    func entitlements() -> [EntitlementState] {
        var speakers = [Int?](repeating: nil, count: engine.names.count)
        var ends = [Date?](repeating: .distantPast, count: engine.names.count)
        for (position, product) in states.products.enumerated() {
            for entitlement in engine.names(of: product.productID) {
                let speaker = speakers[entitlement].map { states.products[$0] }
                if speaker.map({ isBetter(product, than: $0) }) ?? true { speakers[entitlement] = position }
                guard product.state == .active else { continue }
                // Nil is for ever.
                ends[entitlement] = product.until.flatMap { until in ends[entitlement].map { max($0, until) } }
            }
        }
        return engine.names.indices.map { index in
            EntitlementState(engine.names[index], speakers[index].map { states.products[$0] }, until: ends[index])
        }
    }

    /// Among active ones the higher level comes first.
    private func isBetter(_ one: ProductState, than other: ProductState) -> Bool {
        if one.state == .active, other.state == .active {
            let (level, otherLevel) = (engine.level(of: one.productID), engine.level(of: other.productID))
            if level != otherLevel { return level < otherLevel }
        }
        return one.speaksBefore(other)
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
