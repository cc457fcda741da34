package import AppStoreServer
internal import AppStoreTrust
internal import Entitlements

extension Statement.Fact {
    /// What a text says that came without a notification, its signature verified.
    package static func read(
        _ text: String, kind: Statement.Kind, scope: Scope, by verifier: SignedDataVerifier
    ) async throws -> Statement.Fact {
        switch kind {
        case .receipt:
            guard let purchase = ReceiptFact(text: text) else {
                throw VerificationError(.malformedReceipt, "what a receipt said of a purchase cannot be read")
            }
            return .transaction(purchase.fact)
        case .transaction:
            let payload = try await verifier.transaction(text).payload
            try scope.requireMatch(payload.bundleId, payload.environment)
            return .transaction(TransactionFact(payload))
        case .renewal:
            let payload = try await verifier.renewalInfo(text).payload
            try scope.requireMatch(scope.bundleID, payload.environment)
            return .renewal(RenewalFact(payload))
        }
    }
}
