internal import AppStoreModels
internal import AppStoreTrust
package import Entitlements
package import Foundation
package import Ledger

/// The explanation why a customer has or does not have an entitlement, with its evidence.
package struct CustomerExplanation: Sendable {
    package var customer: String
    package var appEnvironment: AppEnvironment
    package var explanation: Explanation
    /// The considered facts, up to the requested limit. The deciding facts are always included.
    package var facts: [ExplainedFact] = []
    /// The latest changes of owner of the entitlement's purchases, oldest first.
    package var changes: [CustomerChange] = []
    /// Whether the client may see the identifiers of other customers.
    package var namesCustomers: Bool
    package var evidence: [EvidenceKey: Evidence] = [:]
    /// The result of the rule for customers who got the app early; nil if the entitlement has no such rule.
    package var originalPurchase: OriginalPurchase?
    /// The team's grants of the entitlement, oldest first.
    package var grants: [Grant] = []
    /// The texts that do not count, because they do not verify now.
    package var unverified: [UnverifiedText] = []

    /// The maximum number of changes: a purchase may change its owner many times.
    private static let maximumChanges = 100

    /// Adds the changes of owner of the entitlement's purchases up to `instant`. If the entitlement is inactive because
    /// such a purchase moved to another customer, and the customer's own purchases did not end later, the explanation
    /// says so.
    package mutating func add(
        _ owned: [OwnedPurchase], by engine: EntitlementEngine, until instant: Milliseconds
    ) {
        let products = engine.catalogue.entitlements[explanation.entitlement] ?? []
        let concerned = owned.filter { $0.lineage.transactions.contains { products.contains($0.productID) } }
        var all: [CustomerChange] = []
        var losses: [(loss: CustomerChange, explanation: Explanation)] = []
        for purchase in concerned {
            let changes = purchase.changes(for: customer, in: appEnvironment.bundleID, until: instant)
            all += changes
            guard let last = changes.last, last.isLoss else { continue }
            let then = engine.explanation(
                of: explanation.entitlement, facts: purchase.lineage.facts(),
                asOf: Date(milliseconds: last.change.instant))
            losses.append((last, then))
        }
        changes = Array(all.sorted { $0.change.instant < $1.change.instant }.suffix(Self.maximumChanges))
        let decisive = explanation.rule == .neverBought ? losses : losses.filter { $0.explanation.isActive }
        guard !explanation.isActive, let last = decisive.max(by: { $0.loss.change.instant < $1.loss.change.instant })
        else { return }
        let lostAt = Date(milliseconds: last.loss.change.instant)
        if let end = explanation.endedDate, end > lostAt { return }
        let product = last.explanation.productID ?? "The purchase \(last.loss.originalTransactionID)"
        let date = lostAt.formatted(.iso8601)
        (explanation.rule, explanation.productID) = (.transferred, last.explanation.productID)
        explanation.transactionID = nil
        var loss: String
        if last.loss.isErasure {
            loss = "\(product) lost its owner on \(date): the customer was erased."
        } else {
            let owners = TimelineSentence.newOwners(last.loss.change, naming: namesCustomers)
            loss = "\(product) was transferred to \(owners) on \(date)."
        }
        // The purchase may have been refunded, for example, before it moved.
        if !last.explanation.isActive, last.explanation.rule != .neverBought {
            loss += " It gave no access then: \(last.explanation.conclusion)"
        }
        explanation.sentence = ([loss] + explanation.remarks).joined(separator: " ")
    }

    /// If no product of the entitlement was bought in this environment, adds to the sentence what was bought in another
    /// one.
    fileprivate mutating func add(
        _ lineages: [Lineage], boughtIn environment: AppStoreEnvironment, by engine: EntitlementEngine
    ) {
        let products = engine.catalogue.entitlements[explanation.entitlement] ?? []
        let bought = lineages.flatMap(\.transactions).filter {
            products.contains($0.productID) && $0.purchaseDate <= explanation.asOf
        }
        guard explanation.rule == .neverBought, let last = bought.max(by: { $0.purchaseDate < $1.purchaseDate }) else {
            return
        }
        let date = Date(milliseconds: last.purchaseDate.milliseconds).formatted(.iso8601)
        explanation.sentence +=
            " In \(environment.rawValue), the customer bought \(last.productID) on \(date), which gives no access in "
            + "\(appEnvironment.environment.rawValue)."
    }
}

extension CustomerReader {
    /// Explains an entitlement of a customer.
    ///
    /// - Parameters:
    ///   - instant: The instant to explain; nil for now.
    ///   - limit: The maximum number of facts with evidence. The deciding facts are always included.
    ///   - naming: Whether the client may see the identifiers of other customers.
    ///   - others: The app's other environments that the client may see.
    package func explanation(
        of entitlement: String, for customer: String, in appEnvironment: AppEnvironment, at instant: Date?, limit: Int,
        naming: Bool, others: [AppEnvironment] = []
    ) async throws -> CustomerExplanation {
        let engine = apps.engine(of: appEnvironment.bundleID)
        let reading = try await self.customer(customer, in: appEnvironment, at: instant)
        var explanation = engine.explanation(of: entitlement, facts: reading.facts, asOf: reading.states.asOf)
        if explanation.rule == .expired, let ended = reading.subscriptionNeedingEarlierRenewals(explanation) {
            var facts = reading.facts
            facts.renewals += try await lastRenewals(of: ended, in: appEnvironment)
            let again = engine.explanation(of: entitlement, facts: facts, asOf: reading.states.asOf)
            if again.rule == .expired { explanation.sentence = again.sentence }
        }
        var result = CustomerExplanation(
            customer: customer, appEnvironment: appEnvironment, explanation: explanation, namesCustomers: naming)
        result.add(
            try await storage.purchases(ownedBy: customer, in: appEnvironment.id), by: engine,
            until: instant.map { $0 < now ? $0.milliseconds : .max } ?? .max)
        for other in others where result.explanation.rule == .neverBought {
            result.add(
                try await storage.lineages(of: customer, in: other.id), boughtIn: other.environment, by: engine)
        }
        if let original = explanation.originalPurchase {
            result.originalPurchase = try await self.evidence(of: original, for: customer, in: appEnvironment)
        }
        if reading.facts.grants.contains(where: { $0.entitlement.isExactly(entitlement) }) {
            let at = reading.states.asOf.milliseconds
            result.grants = try await storage.grants(of: customer, in: appEnvironment.id)
                .filter { $0.entitlement.isExactly(entitlement) && (instant == nil || $0.createdAt <= at) }
        }
        result.facts = explanation.facts(limit: limit)
        let isPast = instant.map { $0 < now } ?? false
        let evidence =
            try await isPast
            ? self.evidence(
                ofAllAbout: Set(explanation.facts.map { ExactText($0.originalTransactionID) }), in: appEnvironment)
            : self.evidence(of: result.facts, in: appEnvironment)
        result.evidence = evidence.found
        let known = Set(evidence.unverified)
        result.unverified = evidence.unverified + reading.unverified.filter { !known.contains($0) }
        return result
    }

    /// Returns the renewal infos of the last notifications about a subscription. Those that no longer verify are
    /// omitted.
    private func lastRenewals(of original: String, in appEnvironment: AppEnvironment) async throws -> [RenewalFact] {
        var filter = InboxFilter(scopes: [appEnvironment.id])
        filter.originalTransactionID = original
        var renewals: [RenewalFact] = []
        for stored in try await storage.notifications(filter, before: .max, limit: 20).items {
            do throws(VerificationError) {
                if let renewal = try await parts(of: stored)?.renewal { renewals.append(RenewalFact(renewal)) }
            } catch { continue }
        }
        return renewals
    }
}

extension CustomerReading {
    /// Returns the original transaction identifier of the subscription that decided, if its earlier renewal infos may say
    /// more about the end. The record has only the last one, which does not say that the payment had failed before the
    /// customer cancelled, or why a period ended before the customer bought another product.
    fileprivate func subscriptionNeedingEarlierRenewals(_ explanation: Explanation) -> String? {
        guard let id = explanation.transactionID else { return nil }
        if let current = states.subscriptions.first(where: { $0.transactionID.isExactly(id) }) {
            return current.expirationIntent == .customerCancelled ? current.originalTransactionID : nil
        }
        return facts.transactions.first { $0.transactionID.isExactly(id) }?.originalTransactionID
    }
}

extension Explanation {
    /// Returns the deciding facts, and up to the limit the last of the others.
    fileprivate func facts(limit: Int) -> [ExplainedFact] {
        guard facts.count > limit else { return facts }
        let deciding = facts.filter { $0.role == .decides }
        return deciding + facts.filter { $0.role != .decides }.suffix(max(limit - deciding.count, 0))
    }
}
