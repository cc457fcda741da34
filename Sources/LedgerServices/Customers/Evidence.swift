internal import AppStoreModels
internal import AppStoreServer
package import AppStoreTrust
package import Entitlements
package import Ledger

/// The signed text of a fact, verified again at its signing date.
package struct Evidence: Sendable {
    package var origin: Origin
    package var receivedAt: Milliseconds
    /// The UUID of the notification that contained it; nil if it came without one.
    package var notification: String?
    /// The exact signed text.
    package var text: String
    /// The trace of its verification.
    package var trace: VerificationTrace
}

/// One version of a fact, with all its values. Two texts with the same signing date may have different values.
package typealias EvidenceKey = ExplainedFact.Version

extension CustomerReader {
    typealias FoundEvidence = (found: [EvidenceKey: Evidence], unverified: [UnverifiedText])

    /// Returns the evidence of current facts from their stored sources, and the texts that no longer verify.
    func evidence(of facts: [ExplainedFact], in appEnvironment: AppEnvironment) async throws -> FoundEvidence {
        var collection = EvidenceCollection(verifier: verifier)
        let purchases = Dictionary(grouping: facts) { ExactText($0.originalTransactionID) }.sorted { $0.key < $1.key }
        let wanted = purchases.map { original, facts in
            FactSelection(
                original.text, transactions: Set(facts.filter { $0.kind == .transaction }.map(\.identifier)),
                renewal: facts.contains { $0.kind == .renewalInfo })
        }
        for text in try await storage.sources(of: wanted, notifications: true, in: appEnvironment.id) {
            await collection.add(text.source, text.originalTransactionID)
        }
        return (collection.found, collection.unverified)
    }

    /// Returns the evidence of all versions of facts about these purchases, including past ones.
    func evidence(ofAllAbout originals: Set<ExactText>, in appEnvironment: AppEnvironment) async throws -> FoundEvidence
    {
        let originals = originals.sorted().map(\.text)
        var collection = EvidenceCollection(verifier: verifier)
        var allowance = TextAllowance()
        for (original, stored) in try await notifications(about: originals, in: appEnvironment, &allowance) {
            for kind in [StoredSignedFact.Kind.transaction, .renewal] {
                await collection.add(.notification(stored, holding: kind), original)
            }
        }
        // Read one purchase at a time, so that not all texts are in memory at once.
        for original in originals {
            let signedFacts = try await storage.sources(
                of: [FactSelection(original)], notifications: false, in: appEnvironment.id)
            try allowance.take(signedFacts.count)
            for signedFact in signedFacts { await collection.add(signedFact.source, original) }
        }
        return (collection.found, collection.unverified)
    }
}

/// Collects the evidence of facts.
struct EvidenceCollection {
    let verifier: SignedDataVerifier
    private(set) var found: [EvidenceKey: Evidence] = [:]
    private(set) var unverified: [UnverifiedText] = []
    private var seen: Set<UnverifiedText> = []

    init(verifier: SignedDataVerifier) { self.verifier = verifier }

    /// Verifies a stored text and adds it. Other tasks run first: a request may add ``TextAllowance/texts`` of them.
    mutating func add(_ source: StoredSource, _ original: String) async {
        await Task.yield()
        do throws(VerificationError) {
            switch source {
            case .signedFact(let stored):
                try await add(stored.text, stored.kind, (stored.origin, stored.receivedAt, nil))
            case .notification(let stored, _) where stored.state != .processed: break
            case .notification(let stored, let kind):
                let data = try await verifier.notification(stored.text).payload.data
                let text = kind == .transaction ? data?.signedTransactionInfo : data?.signedRenewalInfo
                if let text { try await add(text, kind, (stored.origin, stored.receivedAt, stored.uuid)) }
            }
        } catch {
            let text = UnverifiedText(
                error, isDamaged: source.isDamaged, original, notification: source.notification)
            if seen.insert(text).inserted { unverified.append(text) }
        }
    }

    private mutating func add(
        _ text: String, _ kind: StoredSignedFact.Kind,
        _ source: (origin: Origin, receivedAt: Milliseconds, notification: String?)
    ) async throws(VerificationError) {
        let key: EvidenceKey
        let trace: VerificationTrace
        switch kind {
        case .transaction:
            let verified = try await verifier.transaction(text)
            (key, trace) = (.transaction(TransactionFact(verified.payload)), verified.trace)
        case .renewal:
            let verified = try await verifier.renewalInfo(text)
            (key, trace) = (.renewal(RenewalFact(verified.payload)), verified.trace)
        }
        guard found[key] == nil else { return }
        found[key] = Evidence(
            origin: source.origin, receivedAt: source.receivedAt, notification: source.notification, text: text,
            trace: trace)
    }
}
