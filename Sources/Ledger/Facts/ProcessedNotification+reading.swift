package import AppStoreModels
package import AppStoreTrust
internal import Entitlements
package import Foundation

extension ProcessedNotification {
    /// Creates a notification from its verified parts.
    package init(_ parts: NotificationParts, id: Int64, in appEnvironment: AppEnvironment, at now: Date) {
        let payload = parts.payload
        self.init(
            id: id, scope: appEnvironment.id, uuid: payload.notificationUUID, type: payload.notificationType,
            subtype: payload.subtype, signedDate: payload.signedDate.milliseconds, processedAt: now.milliseconds)
        transaction = parts.transaction.map { TransactionFact($0) }
        renewal = parts.renewal.map { RenewalFact($0) }
        appTransactionID = parts.appTransaction?.appTransactionId
    }
}

extension AppEnvironment {
    /// Throws if a signed part belongs to another app or environment.
    package func requireMatch(_ bundleID: String, _ environment: AppStoreEnvironment) throws(VerificationError) {
        guard bundleID.isExactly(self.bundleID) else {
            throw VerificationError(.wrongApp, "a part of the notification is signed for another app")
        }
        guard environment == self.environment else {
            throw VerificationError(.wrongEnvironment, "a part of the notification is signed for another environment")
        }
    }
}
