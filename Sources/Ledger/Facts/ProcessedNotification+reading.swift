package import AppStoreModels
internal import AppStoreServer
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
        try SignedDataVerifier.requirePart(of: self.bundleID, self.environment, bundleID, environment)
    }
}
