internal import AppStoreModels
internal import Foundation

/// Goes once through the facts in effect and collects the states.
struct CustomerStatesBuilder {
    let facts: EffectiveFacts
    let engine: EntitlementEngine
    private(set) var states: CustomerStates
    /// The groups in which the customer has had an introductory offer.
    var groupsWithIntroductoryOffer: [String] = []
    /// The candidates for the state of each product: one for each purchase or period.
    var products: [ProductState] = []
    /// The periods that are paid for and will change the product of a subscription.
    var changesPaidAhead: [(productID: String, from: Date, until: Date)] = []

    init(facts: EffectiveFacts, engine: EntitlementEngine) {
        self.facts = facts
        self.engine = engine
        states = CustomerStates(asOf: facts.asOf)
    }

    mutating func build() {
        let all = facts.facts.transactions
        var rest = facts.transactions[...]
        while let first = rest.first {
            let key = all[first.index].originalTransactionID
            let lineage = rest.prefix { all[$0.index].originalTransactionID.isExactly(key) }
            add(lineage: lineage)
            rest = rest[lineage.endIndex...]
        }
        finish()
    }

    /// Adds the transactions with one `originalTransactionId`.
    private mutating func add(lineage: ArraySlice<EffectiveFacts.Transaction>) {
        let all = facts.facts.transactions
        let revoked = lineage.filter(\.isRevoked)
        var rest = lineage
        while let first = rest.first {
            if all[first.index].type == .autoRenewableSubscription {
                let periods = rest.prefix { all[$0.index].type == .autoRenewableSubscription }
                add(periods: periods)
                rest = rest[periods.endIndex...]
            } else {
                add(all[first.index], revokedBy: facts.revocation(of: first, among: revoked))
                rest = rest.dropFirst()
            }
        }
    }

    /// Adds a subscription with all its periods.
    private mutating func add(periods: ArraySlice<EffectiveFacts.Transaction>) {
        guard let current = facts.currentPeriod(of: periods) else { return }
        var state = facts.subscription(current, periods)
        let product = state.productID
        // Receipts do not contain the group.
        let group = state.subscriptionGroupIdentifier ?? engine.group(of: product)
        state.subscriptionGroupIdentifier = group
        var productState = ProductState(state, asOf: facts.asOf)
        if let date = current.migratedAt { productState.recordMigration(at: date, periodEnd: state.expiresDate) }
        if let (next, end) = facts.periodPaidAhead(among: periods), !next.productID.isExactly(product) {
            let change = state.expiresDate.map { min($0, next.purchaseDate) } ?? next.purchaseDate
            productState.until = change
            changesPaidAhead.append((productID: next.productID, from: change, until: end))
        }
        products.append(productState)
        states.subscriptions.append(state)
        let all = facts.facts.transactions
        var previous = product
        for position in periods.indices {
            let period = periods[position]
            if all[period.index].offerType == .introductory {
                recordIntroductoryOffer(all[period.index], group)
            }
            // Of consecutive periods of one product, the last one represents them. A period that has not begun is not a
            // candidate.
            guard !all[period.index].productID.isExactly(product), all[period.index].purchaseDate <= facts.asOf else {
                continue
            }
            let fact = all[period.index]
            let next = (position + 1..<periods.endIndex).first { !facts.neverBegins(periods[$0]) }
                .map { all[periods[$0].index] }
            var ended = ProductState(
                ended: fact, period, replacedAt: facts.replacementDate(position, in: periods, current),
                next: next?.purchaseDate, isRestart: next.map { facts.restarted(after: fact, by: $0) } ?? false,
                asOf: facts.asOf)
            if let date = period.migratedAt { ended.recordMigration(at: date, periodEnd: fact.expiresDate) }
            if fact.productID.isExactly(previous) {
                // A period that never began did not end the one before it.
                if !facts.neverBegins(period) { products[products.count - 1] = ended }
            } else {
                products.append(ended)
            }
            previous = fact.productID
        }
    }

    /// Records that the customer has used an introductory offer in a group.
    private mutating func recordIntroductoryOffer(_ fact: TransactionFact, _ group: String?) {
        guard fact.ownership == .purchased else { return }
        guard let group = fact.subscriptionGroupIdentifier ?? group,
            groupsWithIntroductoryOffer.last?.isExactly(group) != true
        else { return }
        groupsWithIntroductoryOffer.append(group)
    }

    /// Adds a purchase that is not an auto-renewable subscription.
    private mutating func add(_ fact: TransactionFact, revokedBy revocation: TransactionFact?) {
        let period = fact.type == .nonRenewingSubscription ? engine.duration(of: fact.productID) : nil
        let purchase = PurchaseState(
            fact, revokedBy: revocation, endDate: period?.date(after: fact.purchaseDate), asOf: facts.asOf)
        states.purchases.append(purchase)
        if fact.type.canGiveAccess { products.append(ProductState(purchase)) }
    }

    private mutating func finish() {
        states.purchases.sort { one, other in
            if one.purchaseDate != other.purchaseDate { return one.purchaseDate < other.purchaseDate }
            return TransactionFact.identifier(one.transactionID, isBefore: other.transactionID)
        }
        states.consumables = ConsumableTotals.totals(of: states.purchases)
        var best = ProductState.best(products)
        addChangesPaidAhead(to: &best)
        states.products = best
        withdrawOffers()
        // Through variables: passing a part of `states` as inout to a method would copy all of this value.
        var (groups, entitlements) = (groups(), entitlements())
        addNewGroups(to: &groups)
        addAccessWithoutPurchase(to: &entitlements)
        addChangesPaidAhead(to: &entitlements)
        (states.groups, states.entitlements) = (groups, entitlements)
        states.originalPurchase = facts.facts.originalPurchases
            .filter { ($0.purchaseDate ?? .distantPast) <= facts.asOf }.min { $0.precedes($1) }
    }

    /// Removes the offers of ended subscriptions if another one of the group gives access, as a subscription shared by
    /// the family does, and the win-back offers also while the customer owes a payment for another one. The App Store's
    /// last renewal info about the ended one does not say so.
    private mutating func withdrawOffers() {
        guard states.subscriptions.count > 1 else { return }
        let active = groupNames(where: \.hasAccess)
        let bought = groupNames { $0.ownership == .purchased && ($0.hasAccess || $0.status == .billingRetry) }
        guard !active.isEmpty || !bought.isEmpty else { return }
        for index in states.subscriptions.indices {
            guard let group = states.subscriptions[index].subscriptionGroupIdentifier else { continue }
            if bought.contains(ExactText(group)) { states.subscriptions[index].withdrawWinBackOffers() }
            guard states.subscriptions[index].nextStep.isOffer else { continue }
            if active.contains(ExactText(group)) { states.subscriptions[index].nextStep = .noAction }
        }
    }

    /// Returns the groups of the subscriptions that `fits` accepts.
    private func groupNames(where fits: (SubscriptionState) -> Bool) -> Set<ExactText> {
        var names: Set<ExactText> = []
        for subscription in states.subscriptions where fits(subscription) {
            if let group = subscription.subscriptionGroupIdentifier { names.insert(ExactText(group)) }
        }
        return names
    }
}

extension SubscriptionState {
    /// Removes the win-back offers, which are for customers without any subscription of their own.
    fileprivate mutating func withdrawWinBackOffers() {
        eligibleWinBackOfferIDs = []
        if nextStep == .winBackOffer { nextStep = .noAction }
    }
}

extension NextStep {
    /// Whether the step asks a customer without access to subscribe.
    fileprivate var isOffer: Bool { self == .winBackOffer || self == .promotionalOffer || self == .subscribe }
}
