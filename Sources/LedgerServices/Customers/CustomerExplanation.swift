package import Ledger
internal import AppStoreModels
package import Entitlements
package import Foundation

/// Why a customer has an entitlement or has not, with what proves it.
package struct CustomerExplanation: Sendable {
    package var customer: String
    package var scope: Scope
    package var explanation: Explanation
    /// What it rests on and what was set aside: as many as were asked for, what decided among them.
    package var facts: [ExplainedFact] = []
    /// When the purchases that concern the entitlement came to the customer and went from them, the last of them.
    package var changes: [CustomerChange] = []
    /// Whether who asks may know of other customers.
    package var namesCustomers: Bool
    package var evidence: [EvidenceKey: Evidence] = [:]
    /// What came of the boundary for who got the app early; nil where the entitlement has none.
    package var originalPurchase: OriginalPurchase?
    /// What the team granted of the entitlement, the first that was made first.
    package var grants: [Grant] = []
    /// What does not count, because it does not verify now.
    package var unverified: [UnverifiedText] = []

    /// How many changes there are at most: a purchase may go to and fro.
    private static let maximumChanges = 100

    /// Takes in whose the purchases of the entitlement were until an instant. What another customer has now is a reason.
    package mutating func add(
        _ held: [HeldPurchase], by engine: EntitlementEngine, until instant: Milliseconds
    ) {
        let products = engine.catalogue.entitlements[explanation.entitlement] ?? []
        let concerned = held.filter { $0.lineage.transactions.contains { products.contains($0.productID) } }
        var all: [CustomerChange] = []
        var losses: [(loss: CustomerChange, explanation: Explanation)] = []
        for purchase in concerned {
            let changes = purchase.changes(for: customer, until: instant)
            all += changes
            guard let last = changes.last, last.isLoss else { continue }
            let facts = CustomerFacts(
                transactions: purchase.lineage.transactions, renewals: purchase.lineage.renewal.map { [$0] } ?? [])
            let then = engine.explanation(
                of: explanation.entitlement, facts: facts, asOf: Date(milliseconds: last.change.instant))
            losses.append((last, then))
        }
        changes = Array(all.sorted { $0.change.instant < $1.change.instant }.suffix(Self.maximumChanges))
        guard !explanation.isActive, let last = losses.max(by: { $0.loss.change.instant < $1.loss.change.instant }),
            explanation.rule == .neverBought || last.explanation.isActive
        else { return }
        let product = last.explanation.productID ?? "The purchase \(last.loss.originalTransactionID)"
        let owner =
            namesCustomers
            ? last.loss.change.to.map { "the customer \($0)" }.joined(separator: " and ") : "another customer"
        let date = Date(milliseconds: last.loss.change.instant).formatted(.iso8601)
        (explanation.rule, explanation.productID) = (.transferred, last.explanation.productID)
        explanation.transactionID = nil
        explanation.sentence = "\(product) was transferred to \(owner.isEmpty ? "nobody" : owner) on \(date)."
    }
}

extension CustomerReader {
    /// Explains an entitlement of a customer at an instant, nil for now.
    ///
    /// - Parameter limit: How many facts are wanted with their evidence, at most. What decides is always among them.
    package func explanation(
        of entitlement: String, for customer: String, in scope: Scope, at instant: Date?, limit: Int, naming: Bool
    ) async throws -> CustomerExplanation {
        let engine = apps.engine(of: scope.bundleID)
        let reading = try await self.customer(customer, in: scope, at: instant)
        let explanation = engine.explanation(of: entitlement, facts: reading.facts, asOf: reading.states.asOf)
        var answer = CustomerExplanation(
            customer: customer, scope: scope, explanation: explanation, namesCustomers: naming)
        answer.add(
            try await storage.purchasesHeld(by: customer, in: scope.id), by: engine,
            until: instant.map { $0 < now ? $0.milliseconds : .max } ?? .max)
        if let original = explanation.originalPurchase {
            answer.originalPurchase = try await self.evidence(of: original, for: customer, in: scope)
        }
        if reading.facts.grants.contains(where: { $0.entitlement.isExactly(entitlement) }) {
            let at = reading.states.asOf.milliseconds
            answer.grants = try await storage.grants(of: customer, in: scope.id)
                .filter { $0.entitlement.isExactly(entitlement) && $0.createdAt <= at }
        }
        answer.facts = explanation.facts(limit: limit)
        let isPast = instant.map { $0 < now } ?? false
        let evidence =
            try await isPast
            ? self.evidence(ofAllAbout: Set(explanation.facts.map(\.originalTransactionID)), in: scope)
            : self.evidence(of: answer.facts, in: scope)
        answer.evidence = evidence.found
        answer.unverified =
            evidence.unverified + reading.unverified.filter { !evidence.unverified.contains($0) }
        return answer
    }
}

extension Explanation {
    /// As many of the facts, the last of those that did not decide.
    fileprivate func facts(limit: Int) -> [ExplainedFact] {
        guard facts.count > limit else { return facts }
        let deciding = facts.filter { $0.role == .decides }
        return deciding + facts.filter { $0.role != .decides }.suffix(max(limit - deciding.count, 0))
    }
}
