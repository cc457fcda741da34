package import Ledger
internal import AppStoreModels
internal import AppStoreServer
package import AppStoreTrust
package import Entitlements
internal import Foundation

/// Where a fact is from, verified again at its signing date.
package struct Evidence: Sendable {
    package var origin: Origin
    package var receivedAt: Milliseconds
    /// The identifier of the notification that it was part of.
    package var notification: String?
    /// The exact text that was signed.
    package var text: String
    /// What its verification rested on.
    package var trace: VerificationTrace
}

/// One version of a fact: everything that it says. Two texts of one instant may say different things.
package typealias EvidenceKey = ExplainedFact.Version

extension CustomerReader {
    typealias FoundEvidence = (found: [EvidenceKey: Evidence], unverified: [UnverifiedText])

    /// The evidence of facts as they stand, from the texts that the ledger has them from, and what does not hold any more.
    func evidence(of facts: [ExplainedFact], in scope: Scope) async throws -> FoundEvidence {
        var collection = EvidenceCollection(verifier: verifier)
        let purchases = Dictionary(grouping: facts, by: \.originalTransactionID).sorted { $0.key < $1.key }
        let wanted = purchases.map { original, facts in
            WantedFacts(
                original, transactions: Set(facts.filter { $0.kind == .transaction }.map(\.identifier)),
                renewal: facts.contains { $0.kind == .renewalInfo })
        }
        for text in try await storage.sources(of: wanted, notifications: true, in: scope.id) {
            await collection.add(text.source, text.originalTransactionID)
        }
        return (collection.found, collection.unverified)
    }

    /// The evidence of everything that was ever known of these purchases: what facts said in the past, other texts say.
    func evidence(ofAllAbout originals: Set<String>, in scope: Scope) async throws -> FoundEvidence {
        var collection = EvidenceCollection(verifier: verifier)
        var allowance = TextAllowance()
        for (original, kept) in try await notifications(about: originals.sorted(), in: scope, &allowance) {
            for kind in [KeptStatement.Kind.transaction, .renewal] {
                await collection.add(.notification(kept, holding: kind), original)
            }
        }
        // One purchase after the other: not all texts of all are held at once.
        for original in originals.sorted() {
            let statements = try await storage.sources(
                of: [WantedFacts(original)], notifications: false, in: scope.id)
            try allowance.take(statements.count)
            for statement in statements { await collection.add(statement.source, original) }
        }
        return (collection.found, collection.unverified)
    }
}

/// Collects what proves facts.
private struct EvidenceCollection {
    let verifier: SignedDataVerifier
    private(set) var found: [EvidenceKey: Evidence] = [:]
    private(set) var unverified: [UnverifiedText] = []

    init(verifier: SignedDataVerifier) { self.verifier = verifier }

    mutating func add(_ source: KeptSource, _ original: String) async {
        do throws(VerificationError) {
            switch source {
            case .statement(let kept): try await add(kept.text, kept.kind, (kept.origin, kept.receivedAt, nil))
            case .notification(let kept, _) where kept.state != .folded: break
            case .notification(let kept, let kind):
                let data = try await verifier.notification(kept.text).payload.data
                let text = kind == .transaction ? data?.signedTransactionInfo : data?.signedRenewalInfo
                if let text { try await add(text, kind, (kept.origin, kept.receivedAt, kept.uuid)) }
            }
        } catch {
            let text = UnverifiedText(
                error, isDamaged: source.isDamaged, original, notification: source.notification)
            if !unverified.contains(text) { unverified.append(text) }
        }
    }

    private mutating func add(
        _ text: String, _ kind: KeptStatement.Kind,
        _ source: (origin: Origin, receivedAt: Milliseconds, notification: String?)
    ) async throws(VerificationError) {
        let (key, trace) = try await proof(of: text, kind)
        guard found[key] == nil else { return }
        found[key] = Evidence(
            origin: source.origin, receivedAt: source.receivedAt, notification: source.notification, text: text,
            trace: trace)
    }

    private func proof(
        of text: String, _ kind: KeptStatement.Kind
    ) async throws(VerificationError) -> (EvidenceKey, VerificationTrace) {
        switch kind {
        case .transaction:
            let verified = try await verifier.transaction(text)
            return (.transaction(TransactionFact(verified.payload)), verified.trace)
        case .renewal:
            let verified = try await verifier.renewalInfo(text)
            return (.renewal(RenewalFact(verified.payload)), verified.trace)
        }
    }
}
