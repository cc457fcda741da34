internal import AppStoreModels
internal import Foundation

/// Finds the role of each fact that concerns an entitlement.
struct FactClassifier {
    private let facts: EffectiveFacts
    private let products: Set<String>
    private let decidingProduct: ProductState?
    /// The version in effect of each transaction, by `transactionId`.
    private var effective: [String: EffectiveFacts.Transaction] = [:]
    private var subscriptions: [String: SubscriptionState] = [:]
    private var purchases: [String: PurchaseState] = [:]
    /// The `originalTransactionId` of every purchase that had a product of the entitlement.
    private var lineages: Set<String> = []

    init(facts: EffectiveFacts, states: CustomerStates, products: Set<String>, decidingProduct: ProductState?) {
        self.facts = facts
        self.products = products
        self.decidingProduct = decidingProduct
        for transaction in facts.transactions { effective[facts.fact(transaction).transactionID] = transaction }
        for subscription in states.subscriptions { subscriptions[subscription.originalTransactionID] = subscription }
        for purchase in states.purchases { purchases[purchase.transactionID] = purchase }
        for fact in facts.facts.transactions where products.contains(fact.productID) {
            lineages.insert(fact.originalTransactionID)
        }
    }

    /// Returns the transactions. Identical versions are listed once.
    func transactions() -> [ExplainedFact] {
        let all = facts.facts.transactions.filter { lineages.contains($0.originalTransactionID) }
        let sorted = all.sorted(by: EffectiveFacts.precedes)
        return sorted.indices.filter { $0 == 0 || sorted[$0] != sorted[$0 - 1] }.map { index in
            let fact = sorted[index]
            return ExplainedFact(
                kind: .transaction, identifier: fact.transactionID, originalTransactionID: fact.originalTransactionID,
                productID: fact.productID, signedDate: fact.signedDate, role: role(of: fact),
                version: .transaction(fact))
        }
    }

    /// Returns the renewal infos. Identical versions are listed once.
    func renewals() -> [ExplainedFact] {
        let all = facts.facts.renewals.filter { lineages.contains($0.originalTransactionID) }
        let sorted = all.sorted(by: EffectiveFacts.precedes)
        return sorted.indices.filter { $0 == 0 || sorted[$0] != sorted[$0 - 1] }.map { index in
            let fact = sorted[index]
            return ExplainedFact(
                kind: .renewalInfo, identifier: fact.originalTransactionID,
                originalTransactionID: fact.originalTransactionID, productID: fact.productID,
                signedDate: fact.signedDate, role: role(of: fact), version: .renewal(fact))
        }
    }

    private func role(of fact: TransactionFact) -> FactRole {
        guard let chosen = effective[fact.transactionID] else { return .purchasedLater }
        guard facts.fact(chosen) == fact else { return fact.signedDate > facts.asOf ? .signedLater : .olderVersion }
        if fact.transactionID == decidingProduct?.transactionID { return .decides }
        if let purchase = purchases[fact.transactionID] { return role(of: purchase) }
        if chosen.isUpgraded { return .upgraded }
        if chosen.isRevoked { return .refundedOrRevoked }
        guard let subscription = subscriptions[fact.originalTransactionID] else { return .ended }
        if subscription.transactionID == fact.transactionID {
            if !products.contains(fact.productID) { return .otherProduct }
            return subscription.hasAccess ? .lowerPriority : .ended
        }
        return fact.purchaseDate > subscription.purchaseDate ? .laterPeriod : .earlierPeriod
    }

    private func role(of purchase: PurchaseState) -> FactRole {
        if purchase.hasAccess { return .lowerPriority }
        if purchase.revocationDate != nil { return .refundedOrRevoked }
        return purchase.type == .nonConsumable || purchase.type == .nonRenewingSubscription
            ? .ended : .typeGivesNoAccess
    }

    private func role(of fact: RenewalFact) -> FactRole {
        guard let chosen = facts.renewal(of: fact.originalTransactionID), chosen == fact else {
            return fact.signedDate > facts.asOf ? .signedLater : .olderVersion
        }
        guard fact.originalTransactionID == decidingProduct?.originalTransactionID else { return .otherSubscription }
        guard let subscription = subscriptions[fact.originalTransactionID],
            let current = effective[subscription.transactionID]
        else { return .otherSubscription }
        return fact.describes(facts.fact(current)) ? .decides : .earlierPeriod
    }
}
