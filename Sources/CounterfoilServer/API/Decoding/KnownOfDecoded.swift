internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import Ledger
internal import LedgerServices

/// Where the ledger has what somebody pasted, and what it says otherwise.
struct KnownOfDecoded {
    /// Something that the ledger says otherwise, by Apple's name.
    struct Difference: Hashable {
        var member: String
        var kept: String
        var shown: String
    }

    var kind: String
    var id: String
    var scope: Scope
    var customers: [String] = []
    var note: String?
    var differences: [Difference] = []

    static func find(
        _ verdict: DecodeVerdict, for principal: Principal, _ scopes: ScopeRegistry, _ storage: any LedgerEngine
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
        _ verdict: DecodeVerdict, in scope: Scope, _ storage: any LedgerEngine
    ) async throws -> KnownOfDecoded? {
        if let uuid = verdict.subject.notification, let kept = try await storage.notification(uuid),
            kept.scope == scope.id
        {
            var known = KnownOfDecoded(kind: "notification", id: kept.uuid, scope: scope)
            let isSame = DecodedNotification.payload(of: kept.text) == verdict.payload
            known.note =
                "It was received, and is \(kept.state.rawValue)."
                + (isSame ? "" : " Another text was received under its identifier.")
            return known
        }
        guard let id = verdict.subject.transactionID,
            let original = try await storage.originalTransactionID(of: id, in: scope.id)
        else { return nil }
        var known = KnownOfDecoded(
            kind: "transaction", id: id, scope: scope, customers: try await storage.owners(of: original, in: scope.id))
        let kept = try await storage.lineage(original, in: scope.id)?.transactions.first { $0.transactionID == id }
        if let kept, let shown = verdict.subject.transaction { known.differences = differences(kept, shown) }
        return known
    }

    private static func differences(_ kept: TransactionFact, _ shown: TransactionFact) -> [Difference] {
        func day(_ date: Date?) -> String { date?.formatted(.iso8601) ?? "none" }
        let pairs = [
            ("signedDate", day(kept.signedDate), day(shown.signedDate)),
            ("productId", kept.productID, shown.productID),
            ("purchaseDate", day(kept.purchaseDate), day(shown.purchaseDate)),
            ("expiresDate", day(kept.expiresDate), day(shown.expiresDate)),
            ("revocationDate", day(kept.revocationDate), day(shown.revocationDate)),
            ("isUpgraded", kept.isUpgraded ? "yes" : "no", shown.isUpgraded ? "yes" : "no"),
        ]
        return pairs.filter { $0.1 != $0.2 }.map { Difference(member: $0.0, kept: $0.1, shown: $0.2) }
    }
}

extension DecodeVerdict.Subject {
    fileprivate func isAbout(_ scope: Scope) -> Bool {
        (bundleID.map { $0 == scope.bundleID } ?? true)
            && (environment.map { $0 == scope.environment.rawValue } ?? true)
    }
}
