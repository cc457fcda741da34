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
    /// The evidence of everything that is known of these purchases, and what does not hold any more.
    package func evidence(
        about originals: Set<String>, in scope: Scope
    ) async throws -> (found: [EvidenceKey: Evidence], unverified: [UnverifiedText]) {
        var collection = EvidenceCollection(proven: proven)
        var allowance = TextAllowance()
        for (original, kept) in try await notifications(about: originals.sorted(), in: scope, &allowance)
        where kept.state == .folded {
            await collection.add(kept, original)
        }
        for original in originals.sorted() {
            let statements = try await storage.statements(about: original, in: scope.id)
            try allowance.take(statements.count)
            for kept in statements { await collection.add(kept, original) }
        }
        return (collection.found, collection.unverified)
    }
}

/// Collects what proves facts.
private struct EvidenceCollection {
    let proven: ProvenTexts
    private(set) var found: [EvidenceKey: Evidence] = [:]
    private(set) var unverified: [UnverifiedText] = []

    init(proven: ProvenTexts) { self.proven = proven }

    mutating func add(_ kept: KeptNotification, _ original: String) async {
        do throws(VerificationError) {
            let data = try await proven.notification(kept.text).payload.data
            let origin = (kept.origin, kept.receivedAt, kept.uuid as String?)
            if let text = data?.signedTransactionInfo { try await add(text, .transaction, origin) }
            if let text = data?.signedRenewalInfo { try await add(text, .renewal, origin) }
        } catch {
            unverified.append(UnverifiedText(error, original, notification: kept.uuid))
        }
    }

    mutating func add(_ kept: KeptStatement, _ original: String) async {
        do throws(VerificationError) {
            try await add(kept.text, kept.kind, (kept.origin, kept.receivedAt, nil))
        } catch {
            unverified.append(UnverifiedText(error, original, notification: nil))
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
            let verified = try await proven.transaction(text)
            return (.transaction(TransactionFact(verified.payload)), verified.trace)
        case .renewal:
            let verified = try await proven.renewalInfo(text)
            return (.renewal(RenewalFact(verified.payload)), verified.trace)
        }
    }
}
