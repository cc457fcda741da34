package import AppStoreModels
package import AppStoreTrust
internal import Entitlements
package import Foundation

extension FoldedNotification {
    /// What a notification says.
    package init(_ parts: NotificationParts, id: Int64, scope: Scope, at now: Date) {
        let payload = parts.payload
        self.init(
            id: id, scope: scope.id, uuid: payload.notificationUUID, type: payload.notificationType,
            subtype: payload.subtype, signedDate: payload.signedDate.milliseconds, foldedAt: now.milliseconds)
        transaction = parts.transaction.map { TransactionFact($0) }
        renewal = parts.renewal.map { RenewalFact($0) }
    }
}

extension Scope {
    /// Refuses what is signed for another app or environment than what it came with.
    package func requireMatch(_ bundleID: String, _ environment: AppStoreEnvironment) throws(VerificationError) {
        guard bundleID.isExactly(self.bundleID) else {
            throw VerificationError(.wrongApp, "a part is signed for another app than the whole")
        }
        guard environment == self.environment else {
            throw VerificationError(.wrongEnvironment, "a part is signed for another environment than the whole")
        }
    }
}
