internal import AppStoreModels
internal import Foundation
internal import Ledger

/// Where the ledger has what somebody pasted, and what it says otherwise.
struct KnownOfDecoded {
    var kind: String
    var id: String
    var scope: Scope
    var customers: [String] = []
    var note: String?
    var differences: [PayloadDifference] = []

    static func find(
        _ verdict: DecodeVerdict, for principal: Principal, _ scopes: ScopeRegistry, _ storage: any DecodeRoutes.Storage
    ) async throws -> KnownOfDecoded? {
        // What is not proven could have been made to ask about anybody.
        guard verdict.isProven else { return nil }
        for verdict in [verdict] + verdict.parts.map(\.verdict).filter(\.isProven) {
            for scope in scopes.all where principal.maySee(scope) && verdict.subject.isAbout(scope) {
                if let known = try await find(verdict, in: scope, storage) { return known }
            }
        }
        return nil
    }

    private static func find(
        _ verdict: DecodeVerdict, in scope: Scope, _ storage: any DecodeRoutes.Storage
    ) async throws -> KnownOfDecoded? {
        if let uuid = verdict.subject.notification, let kept = try await storage.notification(uuid),
            kept.scope == scope.id
        {
            var known = KnownOfDecoded(kind: "notification", id: kept.uuid, scope: scope)
            known.note = "It was received, and is \(kept.state.rawValue)."
            guard !kept.isDamaged else {
                known.note?.append(" The text that was received is damaged on disk.")
                return known
            }
            let payload = DecodedNotification.payload(of: kept.text)
            if payload != verdict.payload { known.note?.append(" Another text was received under its identifier.") }
            known.differences = PayloadDifference.between(payload, verdict.payload)
            return known
        }
        guard let id = verdict.subject.transactionID,
            let original = try await storage.originalTransactionID(of: id, in: scope.id)
        else { return nil }
        var known = KnownOfDecoded(
            kind: "transaction", id: id, scope: scope, customers: try await storage.owners(of: original, in: scope.id))
        if let newest = try await NewestText.payload(like: verdict, about: original, in: scope.id, storage) {
            known.differences = PayloadDifference.between(newest, verdict.payload)
        }
        return known
    }
}

extension DecodeVerdict.Subject {
    fileprivate func isAbout(_ scope: Scope) -> Bool {
        (bundleID.map { $0 == scope.bundleID } ?? true)
            && (environment.map { $0 == scope.environment.rawValue } ?? true)
    }
}
