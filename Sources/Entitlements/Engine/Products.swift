internal import AppStoreModels
internal import Foundation

extension ProductState {
    /// Creates the state of the product that a subscription is in.
    init(_ subscription: SubscriptionState, asOf: Date) {
        self.init(
            productID: subscription.productID, type: .autoRenewableSubscription,
            state: subscription.hasAccess ? .active : .inactive, details: subscription.details,
            until: subscription.accessUntil, willRenew: subscription.willRenew,
            transactionID: subscription.transactionID, originalTransactionID: subscription.originalTransactionID)
        // The replacement of an upgraded subscription began at an unknown time before the end of the period.
        guard !subscription.hasAccess else { return }
        guard !subscription.details.contains(.upgraded) else {
            replacedAfter = subscription.purchaseDate
            return
        }
        let end = subscription.accessEndDate.map { min($0, asOf) }
        endedDate = Self.earliest(subscription.revocationDate, end)
    }

    /// Creates the state of a product that a subscription was in before it changed to another product.
    ///
    /// - Parameters:
    ///   - replacedAt: When another period replaced this one before it was over; nil if that is not known.
    ///   - next: When the next period began, which may be a renewal that begins early; nil if there is none.
    ///   - isRestart: Whether the subscription had ended when the customer bought the next period.
    init(
        ended fact: TransactionFact, _ period: EffectiveFacts.Transaction, replacedAt: Date?, next: Date?,
        isRestart: Bool, asOf: Date
    ) {
        let isRunning = !period.isRevoked && fact.expiresDate.map { $0 > asOf } ?? false
        let isReplaced = replacedAt != nil || period.isUpgraded || isRunning
        let detail: StateDetail =
            isReplaced
            ? .upgraded
            : period.isRevoked
                ? .revocation(fact.revocationType, fact.ownership) : isRestart ? .expired : .changedProduct
        self.init(
            productID: fact.productID, type: .autoRenewableSubscription, state: .inactive, details: [detail],
            endedDate: isReplaced
                ? replacedAt
                : Self.earliest(period.isRevoked ? fact.revocationDate : nil, fact.expiresDate, next),
            willRenew: false,
            transactionID: fact.transactionID, originalTransactionID: fact.originalTransactionID)
        if isReplaced { replacedAfter = fact.purchaseDate }
        if let owner = StateDetail(fact.ownership) { details.append(owner) }
    }

    /// Records that the subscription continued under another original transaction. If it had access until then, a later
    /// refund or purchase did not end it.
    mutating func recordMigration(at date: Date, periodEnd: Date?) {
        guard state == .inactive, endedDate.map({ $0 > date }) ?? true else { return }
        endedDate = nil
        replacedAfter = periodEnd.map { min($0, date) } ?? date
    }

    /// Creates the state of the product of a purchase.
    init(_ purchase: PurchaseState) {
        self.init(
            productID: purchase.productID, type: purchase.type, state: purchase.hasAccess ? .active : .inactive,
            details: purchase.details, until: purchase.hasAccess ? purchase.endDate : nil,
            endedDate: purchase.hasAccess ? nil : Self.earliest(purchase.revocationDate, purchase.endDate),
            transactionID: purchase.transactionID, originalTransactionID: purchase.originalTransactionID)
    }

    /// Returns the first of the instants that ended access: a refund after the end of a period ended nothing.
    private static func earliest(_ ends: Date?...) -> Date? { ends.compactMap(\.self).min() }

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

    /// When access ended, or the last instant at which it is known to have existed.
    private var lastAccess: Date? { endedDate ?? replacedAfter }

    /// Whether this state has priority over another one of the same product: active before inactive, then the later
    /// end, then the higher transaction identifier.
    func hasPriority(over other: ProductState) -> Bool {
        if state != other.state { return state == .active }
        let (end, otherEnd) = state == .active ? (until, other.until) : (lastAccess, other.lastAccess)
        if end != otherEnd {
            // For active products no end is the latest one; for inactive products an unknown end is the earliest one.
            let none: Date = state == .active ? .distantFuture : .distantPast
            return end ?? none > otherEnd ?? none
        }
        return TransactionFact.identifier(other.transactionID ?? "", isBefore: transactionID ?? "")
    }
}

extension CustomerStatesBuilder {
    /// The product that determines an entitlement, and the end of the access. Nil means without end.
    private struct Decision {
        var product: Int?
        var end: Date? = .distantPast
    }

    /// Returns the entitlements of the catalogue, sorted by name.
    func entitlements() -> [EntitlementState] {
        let products = states.products
        var decisions = [Decision](repeating: Decision(), count: engine.names.count)
        for position in products.indices {
            for entitlement in engine.names(of: products[position].productID) {
                let other = decisions[entitlement].product
                if other.map({ isBetter(products[position], than: products[$0]) }) ?? true {
                    decisions[entitlement].product = position
                }
                guard products[position].state == .active else { continue }
                let end = decisions[entitlement].end
                decisions[entitlement].end = products[position].until.flatMap { until in end.map { max($0, until) } }
            }
        }
        return zip(engine.names, decisions).map { name, decision in
            EntitlementState(name, decision.product.map { products[$0] }, until: decision.end)
        }
    }

    /// Adds the periods that are paid for and will change the product of a subscription to a product that another
    /// purchase gives until then.
    func addChangesPaidAhead(to products: inout [ProductState]) {
        for change in changesPaidAhead.sorted(by: { $0.from < $1.from }) {
            let index = products.firstIndex { $0.productID.isExactly(change.productID) }
            guard let index, products[index].state == .active, let end = products[index].until, end >= change.from
            else { continue }
            products[index].until = max(end, change.until)
        }
    }

    /// Adds these periods to the entitlements that last until then, by a product or a grant.
    func addChangesPaidAhead(to entitlements: inout [EntitlementState]) {
        for change in changesPaidAhead.sorted(by: { $0.from < $1.from }) {
            for entitlement in engine.names(of: change.productID) where entitlements[entitlement].isActive {
                guard let end = entitlements[entitlement].until, end >= change.from else { continue }
                entitlements[entitlement].until = max(end, change.until)
            }
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
