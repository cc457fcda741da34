package import AppStoreModels
package import AppStoreServer
package import AppStoreTrust

/// Who proves a signed text.
package protocol TextVerifier: Sendable {
    func notification(
        _ text: String
    ) async throws(VerificationError) -> Verified<ResponseBodyV2DecodedPayload>
    func transaction(_ text: String) async throws(VerificationError) -> Verified<JWSTransactionDecodedPayload>
    func renewalInfo(_ text: String) async throws(VerificationError) -> Verified<JWSRenewalInfoDecodedPayload>
}

extension SignedDataVerifier: TextVerifier {}

/// A notification and what is signed inside it, all of it proven: made in one way, for the ledger, for webhooks and for whoever
/// looks at it.
package struct NotificationParts: Sendable {
    package var payload: ResponseBodyV2DecodedPayload
    package var transaction: JWSTransactionDecodedPayload?
    package var renewal: JWSRenewalInfoDecodedPayload?

    package init(
        payload: ResponseBodyV2DecodedPayload, transaction: JWSTransactionDecodedPayload? = nil,
        renewal: JWSRenewalInfoDecodedPayload? = nil
    ) {
        self.payload = payload
        self.transaction = transaction
        self.renewal = renewal
    }

    /// Proves what is inside a notification that is proven itself.
    ///
    /// - Throws: Also where a part is signed for another app or environment than the whole.
    package init(
        inside payload: ResponseBodyV2DecodedPayload, in scope: Scope, verifiedBy verifier: some TextVerifier
    ) async throws(VerificationError) {
        self.payload = payload
        if let text = payload.data?.signedTransactionInfo {
            let transaction = try await verifier.transaction(text).payload
            try scope.requireMatch(transaction.bundleId, transaction.environment)
            self.transaction = transaction
        }
        if let text = payload.data?.signedRenewalInfo {
            let renewal = try await verifier.renewalInfo(text).payload
            try scope.requireMatch(scope.bundleId, renewal.environment)
            self.renewal = renewal
        }
    }

    /// What a notification that was kept says; nil when it was not folded.
    package init?(
        of kept: KeptNotification, in scope: Scope, verifiedBy verifier: some TextVerifier
    ) async throws(VerificationError) {
        guard kept.state == .folded else { return nil }
        let payload = try await verifier.notification(kept.text).payload
        try await self.init(inside: payload, in: scope, verifiedBy: verifier)
    }
}
