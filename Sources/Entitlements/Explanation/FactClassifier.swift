internal import AppStoreModels
internal import Foundation

/// Finds the role of each fact that concerns an entitlement.
struct FactClassifier {
    private let facts: EffectiveFacts
    private let products: Set<ExactText>
    private let decidingProduct: ProductState?
    /// The version in effect of each transaction, by `transactionId`.
    private var effective: [ExactText: EffectiveFacts.Transaction] = [:]
    private var subscriptions: [ExactText: SubscriptionState] = [:]
    private var purchases: [ExactText: PurchaseState] = [:]
    /// The `originalTransactionId` of every purchase that had a product of the entitlement.
    private var lineages: Set<ExactText> = []

    init(facts: EffectiveFacts, states: CustomerStates, products: Set<String>, decidingProduct: ProductState?) {
        self.facts = facts
        self.products = Set(products.map { ExactText($0) })
        self.decidingProduct = decidingProduct
        for var transaction in facts.transactions {
            // Few renewals that a purchase replaced before they began are signed again and say so themselves.
            if transaction.wasReplacedAhead, !transaction.isRevoked { transaction.isUpgraded = true }
            effective[ExactText(facts.fact(transaction).transactionID)] = transaction
        }
        for subscription in states.subscriptions {
            subscriptions[ExactText(subscription.originalTransactionID)] = subscription
        }
        for purchase in states.purchases { purchases[ExactText(purchase.transactionID)] = purchase }
        for fact in facts.facts.transactions where self.products.contains(ExactText(fact.productID)) {
            lineages.insert(ExactText(fact.originalTransactionID))
        }
    }

    /// Returns the transactions. Identical versions are listed once.
    func transactions() -> [ExplainedFact] {
        let all = facts.facts.transactions.filter { lineages.contains(ExactText($0.originalTransactionID)) }
        return Self.versions(of: all).map { fact in
            ExplainedFact(
                kind: .transaction, identifier: fact.transactionID, originalTransactionID: fact.originalTransactionID,
                productID: fact.productID, signedDate: fact.signedDate, role: role(of: fact),
                version: .transaction(fact))
        }
    }

    /// Returns the renewal infos. Identical versions are listed once.
    func renewals() -> [ExplainedFact] {
        let all = facts.facts.renewals.filter { lineages.contains(ExactText($0.originalTransactionID)) }
        return Self.versions(of: all).map { fact in
            ExplainedFact(
                kind: .renewalInfo, identifier: fact.originalTransactionID,
                originalTransactionID: fact.originalTransactionID, productID: fact.productID,
                signedDate: fact.signedDate, role: role(of: fact), version: .renewal(fact))
        }
    }

    private static func versions<Fact: VersionedFact>(of facts: [Fact]) -> [Fact] {
        let sorted = facts.sorted { $0.precedes($1) }
        return sorted.indices.filter { $0 == 0 || sorted[$0] != sorted[$0 - 1] }.map { sorted[$0] }
    }

    private func role(of fact: TransactionFact) -> FactRole {
        guard let chosen = effective[ExactText(fact.transactionID)] else { return .purchasedLater }
        guard facts.fact(chosen) == fact else { return fact.signedDate > facts.asOf ? .signedLater : .olderVersion }
        if decidingProduct?.transactionID?.isExactly(fact.transactionID) == true { return .decides }
        if let purchase = purchases[ExactText(fact.transactionID)] { return role(of: purchase) }
        if chosen.isUpgraded { return .upgraded }
        if chosen.isRevoked { return .refundedOrRevoked }
        guard let subscription = subscriptions[ExactText(fact.originalTransactionID)] else { return .ended }
        if subscription.transactionID.isExactly(fact.transactionID) {
            if !products.contains(ExactText(fact.productID)) { return .otherProduct }
            return subscription.hasAccess ? .lowerPriority : .ended
        }
        return fact.purchaseDate > subscription.purchaseDate ? .laterPeriod : .earlierPeriod
    }

    private func role(of purchase: PurchaseState) -> FactRole {
        if purchase.hasAccess { return .lowerPriority }
        if purchase.revocationDate != nil { return .refundedOrRevoked }
        return purchase.type.canGiveAccess ? .ended : .typeGivesNoAccess
    }

    private func role(of fact: RenewalFact) -> FactRole {
        guard let chosen = facts.renewal(of: fact.originalTransactionID), chosen == fact else {
            return fact.signedDate > facts.asOf ? .signedLater : .olderVersion
        }
        guard decidingProduct?.originalTransactionID?.isExactly(fact.originalTransactionID) == true,
            let subscription = subscriptions[ExactText(fact.originalTransactionID)],
            let current = effective[ExactText(subscription.transactionID)]
        else { return .otherSubscription }
        return fact.describes(facts.fact(current)) ? .decides : .earlierPeriod
    }
}
