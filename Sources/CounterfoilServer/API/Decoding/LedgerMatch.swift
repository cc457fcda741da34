internal import AppStoreServer
internal import Ledger

/// The ledger's record of the pasted data, and their differences.
struct LedgerMatch {
    var kind, id: String
    var appEnvironment: AppEnvironment
    var customers: [String] = []
    var note: String?
    var differences: [PayloadDifference] = []

    static func find(
        _ verdict: DecodeVerdict, for principal: Principal, _ scopes: AppEnvironmentRegistry,
        _ storage: any DecodeRoutes.Storage
    ) async throws -> LedgerMatch? {
        // Unproven data could be forged to query any record.
        guard verdict.isProven else { return nil }
        for verdict in [verdict] + verdict.parts.map(\.verdict).filter(\.isProven) {
            for appEnvironment in scopes.all
            where principal.maySee(appEnvironment)
                && appEnvironment.matches(app: verdict.subject.bundleID, environment: verdict.subject.environment)
            {
                if let match = try await find(verdict, in: appEnvironment, storage) { return match }
            }
        }
        return nil
    }

    private static func find(
        _ verdict: DecodeVerdict, in appEnvironment: AppEnvironment, _ storage: any DecodeRoutes.Storage
    ) async throws -> LedgerMatch? {
        if let uuid = verdict.subject.notification, let stored = try await storage.notification(uuid),
            stored.scope == appEnvironment.id
        {
            var match = LedgerMatch(kind: "notification", id: stored.uuid, appEnvironment: appEnvironment)
            match.note = "It was received, and is \(stored.state.rawValue)."
            guard !stored.isDamaged else {
                match.note?.append(" The received text is damaged on disk.")
                return match
            }
            let payload = CompactJWS.payload(of: stored.text)
            if payload != verdict.payload { match.note?.append(" Another text was received under its identifier.") }
            match.differences = PayloadDifference.between(payload, verdict.payload)
            return match
        }
        guard let id = verdict.subject.transactionID,
            let original = try await storage.originalTransactionID(of: id, in: appEnvironment.id)
        else { return nil }
        var match = LedgerMatch(
            kind: "transaction", id: id, appEnvironment: appEnvironment,
            customers: try await storage.owners(of: original, in: appEnvironment.id))
        if let newest = try await NewestTextLookup.payload(
            like: verdict, about: original, in: appEnvironment.id, storage)
        {
            match.differences = PayloadDifference.between(newest, verdict.payload)
        }
        return match
    }
}
