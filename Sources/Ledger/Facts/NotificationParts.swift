package import AppStoreModels
package import AppStoreServer
package import AppStoreTrust

/// A verified notification with its verified signed parts. The ledger, webhooks and the inspection of notifications all
/// use this type.
package struct NotificationParts: Sendable {
    package var payload: ResponseBodyV2DecodedPayload
    package var transaction: JWSTransactionDecodedPayload?
    package var renewal: JWSRenewalInfoDecodedPayload?
    package var appTransaction: AppTransaction?
}

extension NotificationParts {
    /// Verifies the signed parts of a verified notification.
    ///
    /// - Throws: Also if a part is signed for another app or environment than the notification.
    package init(
        inside payload: ResponseBodyV2DecodedPayload, in appEnvironment: AppEnvironment,
        verifiedBy verifier: SignedDataVerifier
    ) async throws(VerificationError) {
        let parts = try await verifier.parts(inside: payload, of: appEnvironment.bundleID, appEnvironment.environment)
        self.init(
            payload: payload, transaction: parts.transaction?.payload, renewal: parts.renewal?.payload,
            appTransaction: parts.appTransaction?.payload)
    }

    /// Verifies a stored notification and its parts; nil if it is not processed.
    package init?(
        of stored: StoredNotification, in appEnvironment: AppEnvironment, verifiedBy verifier: SignedDataVerifier
    ) async throws(VerificationError) {
        guard stored.state == .processed else { return nil }
        let payload = try await verifier.notification(stored.text).payload
        try await self.init(inside: payload, in: appEnvironment, verifiedBy: verifier)
    }
}
