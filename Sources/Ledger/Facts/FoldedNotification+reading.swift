package import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import Entitlements
package import Foundation

extension FoldedNotification {
    /// What a notification says, every signature in it verified.
    package static func read(
        _ payload: ResponseBodyV2DecodedPayload, id: Int64, scope: Scope, by verifier: SignedDataVerifier, at now: Date
    ) async throws -> FoldedNotification {
        var folded = FoldedNotification(
            id: id, scope: scope.id, uuid: payload.notificationUUID, type: payload.notificationType,
            subtype: payload.subtype, signedDate: payload.signedDate.milliseconds, foldedAt: now.milliseconds)
        if let text = payload.data?.signedTransactionInfo {
            let transaction = try await verifier.transaction(text).payload
            try scope.requireMatch(transaction.bundleId, transaction.environment)
            folded.transaction = TransactionFact(transaction)
        }
        if let text = payload.data?.signedRenewalInfo {
            let renewal = try await verifier.renewalInfo(text).payload
            try scope.requireMatch(scope.bundleId, renewal.environment)
            folded.renewal = RenewalFact(renewal)
        }
        return folded
    }
}

extension Scope {
    /// Refuses what is signed for another app or environment than what it came with.
    package func requireMatch(_ bundleId: String, _ environment: AppStoreEnvironment) throws(VerificationError) {
        guard bundleId.isExactly(self.bundleId) else {
            throw VerificationError(.wrongApp, "a part is signed for another app than the whole")
        }
        guard environment == self.environment else {
            throw VerificationError(.wrongEnvironment, "a part is signed for another environment than the whole")
        }
    }
}
