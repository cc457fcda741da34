internal import AppStoreModels
internal import Foundation

/// Goes through the facts that concern an entitlement, and says what came of each.
struct Scrutiny {
    private let facts: CountingFacts
    private let products: Set<String>
    private let speaker: ProductState?
    /// The version that counts, by transaction.
    private var counting: [String: CountingFacts.Transaction] = [:]
    private var subscriptions: [String: SubscriptionState] = [:]
    private var purchases: [String: PurchaseState] = [:]
    /// The subscriptions that had a product of the entitlement.
    private var concerned: Set<String> = []

    init(facts: CountingFacts, states: CustomerStates, products: Set<String>, speaker: ProductState?) {
        self.facts = facts
        self.products = products
        self.speaker = speaker
        for transaction in facts.transactions { counting[facts.fact(transaction).transactionID] = transaction }
        for subscription in states.subscriptions { subscriptions[subscription.originalTransactionID] = subscription }
        for purchase in states.purchases { purchases[purchase.transactionID] = purchase }
        for fact in facts.facts.transactions where products.contains(fact.productID) {
            concerned.insert(fact.originalTransactionID)
        }
    }

    /// The transactions, each version once.
    func transactions() -> [ExplainedFact] {
        let all = facts.facts.transactions.filter { concerned.contains($0.originalTransactionID) }
        let sorted = all.sorted(by: CountingFacts.precedes)
        return sorted.indices.filter { $0 == 0 || sorted[$0] != sorted[$0 - 1] }.map { index in
            let fact = sorted[index]
            return ExplainedFact(
                kind: .transaction, identifier: fact.transactionID, originalTransactionID: fact.originalTransactionID,
                productID: fact.productID, signedDate: fact.signedDate, role: role(of: fact),
                version: .transaction(fact))
        }
    }

    /// The renewal infos, each version once.
    func renewals() -> [ExplainedFact] {
        let all = facts.facts.renewals.filter { concerned.contains($0.originalTransactionID) }
        let sorted = all.sorted(by: CountingFacts.precedes)
        return sorted.indices.filter { $0 == 0 || sorted[$0] != sorted[$0 - 1] }.map { index in
            let fact = sorted[index]
            return ExplainedFact(
                kind: .renewalInfo, identifier: fact.originalTransactionID,
                originalTransactionID: fact.originalTransactionID, productID: fact.productID,
                signedDate: fact.signedDate, role: role(of: fact), version: .renewal(fact))
        }
    }

    private func role(of fact: TransactionFact) -> FactRole {
        guard let chosen = counting[fact.transactionID] else { return .notYet }
        guard facts.fact(chosen) == fact else { return fact.signedDate > facts.asOf ? .signedLater : .olderVersion }
        if fact.transactionID == speaker?.transactionID { return .decides }
        if let purchase = purchases[fact.transactionID] { return role(of: purchase) }
        if chosen.isUpgraded { return .upgraded }
        if chosen.isRevoked { return .takenBack }
        guard let subscription = subscriptions[fact.originalTransactionID] else { return .over }
        if subscription.transactionID == fact.transactionID {
            if !products.contains(fact.productID) { return .otherProduct }
            return subscription.hasAccess ? .goesBehind : .over
        }
        return fact.purchaseDate > subscription.purchaseDate ? .laterPeriod : .earlierPeriod
    }

    private func role(of purchase: PurchaseState) -> FactRole {
        if purchase.hasAccess { return .goesBehind }
        if purchase.revocationDate != nil { return .takenBack }
        return purchase.type == .nonConsumable || purchase.type == .nonRenewingSubscription ? .over : .neverEntitles
    }

    private func role(of fact: RenewalFact) -> FactRole {
        guard let chosen = facts.renewal(of: fact.originalTransactionID), chosen == fact else {
            return fact.signedDate > facts.asOf ? .signedLater : .olderVersion
        }
        guard fact.originalTransactionID == speaker?.originalTransactionID else { return .otherSubscription }
        guard let subscription = subscriptions[fact.originalTransactionID],
            let current = counting[subscription.transactionID]
        else { return .otherSubscription }
        return fact.isAbout(facts.fact(current)) ? .decides : .earlierPeriod
    }
}
