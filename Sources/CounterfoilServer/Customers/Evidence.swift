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

/// Names one version of a fact.
package struct EvidenceKey: Sendable, Hashable {
    package var kind: FactKind
    package var identifier: String
    package var signedDate: Milliseconds
}

extension ServerCore {
    /// The evidence of everything that is known of these purchases. What does not hold any more is not among it.
    package func evidence(about originals: Set<String>, in scope: Scope) async throws -> [EvidenceKey: Evidence] {
        var found: [EvidenceKey: Evidence] = [:]
        for original in originals.sorted() {
            for kept in try await storage.notifications(about: original, in: scope.id) where kept.state == .folded {
                await add(kept, to: &found)
            }
            for kept in try await storage.statements(about: original, in: scope.id) {
                await add(kept.text, kept.kind, kept.origin, kept.receivedAt, nil, to: &found)
            }
        }
        return found
    }

    private func add(_ kept: KeptNotification, to found: inout [EvidenceKey: Evidence]) async {
        let data: NotificationData?
        do { data = try await historical.notification(kept.text).payload.data } catch { return }
        let texts: [(KeptStatement.Kind, String?)] = [
            (.transaction, data?.signedTransactionInfo), (.renewal, data?.signedRenewalInfo),
        ]
        for (kind, text) in texts {
            guard let text else { continue }
            await add(text, kind, kept.origin, kept.receivedAt, kept.uuid, to: &found)
        }
    }

    private func add(
        _ text: String, _ kind: KeptStatement.Kind, _ origin: Origin, _ receivedAt: Milliseconds,
        _ notification: String?, to found: inout [EvidenceKey: Evidence]
    ) async {
        do {
            let (key, trace) = try await proof(of: text, kind)
            guard found[key] == nil else { return }
            found[key] = Evidence(
                origin: origin, receivedAt: receivedAt, notification: notification, text: text, trace: trace)
        } catch { return }
    }

    private func proof(
        of text: String, _ kind: KeptStatement.Kind
    ) async throws(VerificationError) -> (EvidenceKey, VerificationTrace) {
        switch kind {
        case .transaction:
            let verified = try await historical.transaction(text)
            let key = EvidenceKey(
                kind: .transaction, identifier: verified.payload.transactionId,
                signedDate: verified.payload.signedDate.milliseconds)
            return (key, verified.trace)
        case .renewal:
            let verified = try await historical.renewalInfo(text)
            let key = EvidenceKey(
                kind: .renewalInfo, identifier: verified.payload.originalTransactionId,
                signedDate: verified.payload.signedDate.milliseconds)
            return (key, verified.trace)
        }
    }
}
