internal import AppStoreModels
internal import Foundation

/// Goes through the facts that count, once, and collects the states.
struct CustomerFold {
    let facts: CountingFacts
    let engine: EntitlementEngine
    private(set) var states: CustomerStates
    /// The groups in which the customer has had an introductory offer.
    var introducedGroups: [String] = []
    /// For every product each purchase or period that could speak for it.
    var products: [ProductState] = []

    init(facts: CountingFacts, engine: EntitlementEngine) {
        self.facts = facts
        self.engine = engine
        states = CustomerStates(
            asOf: facts.asOf, entitlements: [], subscriptions: [], groups: [], products: [], purchases: [],
            consumables: [])
    }

    mutating func run() {
        let all = facts.facts.transactions
        var rest = facts.transactions[...]
        while let first = rest.first {
            let key = all[first.index].originalTransactionID
            let lineage = rest.prefix { all[$0.index].originalTransactionID == key }
            add(lineage: lineage)
            rest = rest[lineage.endIndex...]
        }
        finish()
    }

    /// The transactions of one original transaction.
    private mutating func add(lineage: ArraySlice<CountingFacts.Transaction>) {
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

    /// A subscription with all its periods.
    private mutating func add(periods: ArraySlice<CountingFacts.Transaction>) {
        guard let current = facts.currentPeriod(of: periods) else { return }
        var state = facts.subscription(current, periods)
        // A receipt does not say the group.
        state.subscriptionGroupIdentifier = state.subscriptionGroupIdentifier ?? engine.group(of: state.productID)
        states.subscriptions.append(state)
        products.append(ProductState(state))
        let all = facts.facts.transactions
        var previous = state.productID
        for period in periods {
            if all[period.index].offerType == .introductory {
                noteIntroduction(all[period.index], state.subscriptionGroupIdentifier)
            }
            // Of periods of one product in a row the last speaks for all; one that is paid ahead does not speak yet.
            guard all[period.index].productID != state.productID, all[period.index].purchaseDate <= facts.asOf else {
                continue
            }
            let fact = all[period.index]
            let product = ProductState(ended: fact, period, asOf: facts.asOf)
            if fact.productID == previous { products[products.count - 1] = product } else { products.append(product) }
            previous = fact.productID
        }
    }

    /// What was bought by an introductory offer.
    private mutating func noteIntroduction(_ fact: TransactionFact, _ group: String?) {
        guard fact.ownership == .purchased else { return }
        guard let group = fact.subscriptionGroupIdentifier ?? group, introducedGroups.last != group else { return }
        introducedGroups.append(group)
    }

    /// A purchase that is no auto-renewable subscription.
    private mutating func add(_ fact: TransactionFact, revokedBy revocation: TransactionFact?) {
        let period = fact.type == .nonRenewingSubscription ? engine.duration(of: fact.productID) : nil
        let purchase = PurchaseState(
            fact, revokedBy: revocation, endDate: period?.after(fact.purchaseDate), asOf: facts.asOf)
        states.purchases.append(purchase)
        if fact.type == .nonConsumable || fact.type == .nonRenewingSubscription {
            products.append(ProductState(purchase))
        }
    }

    private mutating func finish() {
        states.purchases.sort { one, other in
            if one.purchaseDate != other.purchaseDate { return one.purchaseDate < other.purchaseDate }
            return TransactionFact.identifier(one.transactionID, isBefore: other.transactionID)
        }
        states.consumables = ConsumableBalance.of(states.purchases)
        states.products = ProductState.best(products)
        states.groups = groups()
        addNewGroups(to: &states.groups)
        states.entitlements = entitlements()
        addGifts(to: &states.entitlements)
        states.originalPurchase = facts.facts.originalPurchases
            .filter { ($0.purchaseDate ?? .distantPast) <= facts.asOf }.min { $0.precedes($1) }
    }
}
