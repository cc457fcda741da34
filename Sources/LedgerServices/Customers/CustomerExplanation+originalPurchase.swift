internal import AppStoreServer
package import AppStoreTrust
package import Entitlements
package import Ledger

extension CustomerExplanation {
    /// The result of the rule for customers who got the app early, with its evidence.
    package struct OriginalPurchase: Sendable {
        package var explained: ExplainedOriginalPurchase
        /// The stored original purchase with its source; nil if there is none.
        package var purchase: OwnedOriginalPurchase?
        /// The trace of its verification; nil for receipts, which are not stored.
        package var trace: VerificationTrace?
        /// The reason why it does not verify now.
        package var failure: VerificationError?
    }
}

extension CustomerReader {
    /// Finds the signed text of the deciding fact and verifies it again.
    package func evidence(
        of explained: ExplainedOriginalPurchase, for customer: String, in appEnvironment: AppEnvironment
    ) async throws -> CustomerExplanation.OriginalPurchase {
        var evidence = CustomerExplanation.OriginalPurchase(explained: explained)
        guard let fact = explained.fact else { return evidence }
        evidence.purchase = try await storage.originalPurchases(ownedBy: customer, in: appEnvironment.id)
            .first { $0.purchase.fact == fact }
        guard let purchase = evidence.purchase?.purchase, purchase.kind == .appTransaction else { return evidence }
        do throws(VerificationError) {
            evidence.trace = try await verifier.appTransaction(purchase.text).trace
        } catch {
            evidence.failure = error
        }
        return evidence
    }
}
