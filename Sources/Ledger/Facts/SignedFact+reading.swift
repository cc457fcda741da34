package import AppStoreServer
internal import AppStoreTrust
internal import Entitlements

extension SignedFact.Fact {
    /// Verifies the text of a signed fact and returns the fact.
    package static func read(
        _ text: String, kind: SignedFact.Kind, in appEnvironment: AppEnvironment, by verifier: SignedDataVerifier
    ) async throws -> SignedFact.Fact {
        switch kind {
        case .receipt:
            guard let purchase = ReceiptFact(text: text) else {
                throw VerificationError(.malformedReceipt, "the stored contents of the receipt are not a purchase")
            }
            return .transaction(purchase.fact)
        case .transaction:
            let payload = try await verifier.transaction(text).payload
            try appEnvironment.requireMatch(payload.bundleId, payload.environment)
            return .transaction(TransactionFact(payload))
        case .renewal:
            let payload = try await verifier.renewalInfo(text).payload
            try appEnvironment.requireMatch(appEnvironment.bundleID, payload.environment)
            return .renewal(RenewalFact(payload))
        }
    }
}
