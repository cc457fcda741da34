package import AppStoreModels
package import AppStoreServer
package import AppStoreTrust

/// A notification and what is signed inside it, all of it proven: made in one way, for the ledger, for webhooks and for whoever
/// looks at it.
package struct NotificationParts: Sendable {
    package var payload: ResponseBodyV2DecodedPayload
    package var transaction: JWSTransactionDecodedPayload?
    package var renewal: JWSRenewalInfoDecodedPayload?
    package var appTransaction: AppTransaction?

    package init(
        payload: ResponseBodyV2DecodedPayload, transaction: JWSTransactionDecodedPayload? = nil,
        renewal: JWSRenewalInfoDecodedPayload? = nil, appTransaction: AppTransaction? = nil
    ) {
        self.payload = payload
        self.transaction = transaction
        self.renewal = renewal
        self.appTransaction = appTransaction
    }

    /// Proves what is inside a notification that is proven itself.
    ///
    /// - Throws: Also where a part is signed for another app or environment than the whole.
    package init(
        inside payload: ResponseBodyV2DecodedPayload, in scope: Scope, verifiedBy verifier: SignedDataVerifier
    ) async throws(VerificationError) {
        let parts = try await verifier.parts(inside: payload, of: scope.bundleID, scope.environment)
        self.init(
            payload: payload, transaction: parts.transaction?.payload, renewal: parts.renewal?.payload,
            appTransaction: parts.appTransaction?.payload)
    }

    /// What a notification that was kept says; nil when it was not folded.
    package init?(
        of kept: KeptNotification, in scope: Scope, verifiedBy verifier: SignedDataVerifier
    ) async throws(VerificationError) {
        guard kept.state == .folded else { return nil }
        let payload = try await verifier.notification(kept.text).payload
        try await self.init(inside: payload, in: scope, verifiedBy: verifier)
    }
}
