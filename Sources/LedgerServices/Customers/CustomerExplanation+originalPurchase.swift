package import Ledger
internal import AppStoreServer
package import AppStoreTrust
package import Entitlements
internal import Foundation

extension CustomerExplanation {
    /// What came of the boundary for who got the app early, with what proves it.
    package struct OriginalPurchase: Sendable {
        package var explained: ExplainedOriginalPurchase
        /// Where the fact is from; nil where none is known.
        package var held: HeldOriginalPurchase?
        /// What its verification rested on; a receipt is not kept.
        package var trace: VerificationTrace?
        /// Why it does not verify now.
        package var failure: VerificationError?
    }
}

extension CustomerReader {
    /// Finds what proves the fact that decided, and verifies it again.
    package func evidence(
        of explained: ExplainedOriginalPurchase, for customer: String, in scope: Scope
    ) async throws -> CustomerExplanation.OriginalPurchase {
        var evidence = CustomerExplanation.OriginalPurchase(explained: explained)
        guard let fact = explained.fact else { return evidence }
        evidence.held = try await storage.originalPurchasesHeld(by: customer, in: scope.id).first { $0.fact == fact }
        guard let held = evidence.held, held.kind == .appTransaction else { return evidence }
        do throws(VerificationError) {
            evidence.trace = try await verifier.appTransaction(held.text).trace
        } catch {
            evidence.failure = error
        }
        return evidence
    }
}
