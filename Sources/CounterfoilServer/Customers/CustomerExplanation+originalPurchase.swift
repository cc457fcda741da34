internal import Ledger
internal import AppStoreServer
internal import AppStoreTrust
internal import Entitlements
internal import Foundation

extension CustomerExplanation {
    /// What came of the boundary for who got the app early, with what proves it.
    struct OriginalPurchase: Sendable {
        var explained: ExplainedOriginalPurchase
        /// Where the fact is from; nil where none is known.
        var held: HeldOriginalPurchase?
        /// What its verification rested on; a receipt is not kept.
        var trace: VerificationTrace?
        /// Why it does not verify now.
        var failure: VerificationError?
    }
}

extension ServerCore {
    /// Finds what proves the fact that decided, and verifies it again.
    func evidence(
        of explained: ExplainedOriginalPurchase, for customer: String, in scope: Scope
    ) async throws -> CustomerExplanation.OriginalPurchase {
        var evidence = CustomerExplanation.OriginalPurchase(explained: explained)
        guard let fact = explained.fact else { return evidence }
        evidence.held = try await storage.originalPurchasesHeld(by: customer, in: scope.id).first { $0.fact == fact }
        guard let held = evidence.held, held.kind == .appTransaction else { return evidence }
        do throws(VerificationError) {
            evidence.trace = try await historical.appTransaction(held.text).trace
        } catch {
            evidence.failure = error
        }
        return evidence
    }
}
